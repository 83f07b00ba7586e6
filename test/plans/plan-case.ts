// What a case is: a call of the function that holds the statement, in the session it has in the product.
import type { Queryable } from '../../src/platform/database.ts';
import { shortStatements, throughIndexes } from '../../src/platform/planner-settings.ts';
import type { World } from './world.ts';

/** As which role, with which settings and for which tenant a statement runs. */
export interface Home {
  readonly role: string;
  readonly ofTenant: boolean;
  /** Any tenant may ask. A stage works on the rows of its run, whoever's it is. */
  readonly isAnyTenants: boolean;
  /** Planner settings of the pool. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface PlanCase {
  readonly home: Home;
  readonly call: (db: Queryable, world: World) => unknown;
  /** Why what it reads may grow with the table: whatever it reads is its input. Left out: its input is the same at every size. */
  readonly readsAll?: string;
  /** Of what `readsAll` names: which part of a table of any size it is, 0.05 for one of twenty days. Left out: all of it. */
  readonly share?: number;
}

type Call = PlanCase['call'];
type More = Pick<PlanCase, 'readsAll' | 'share'>;

/** The engine's short statements (src/engine/engine-pools.ts). */
const control: Home = {
  role: 'millrace_engine',
  ofTenant: false,
  isAnyTenants: true,
  settings: shortStatements,
};

/** Single connections of the engine: heartbeat, doctor. */
const bare: Home = { role: 'millrace_engine', ofTenant: false, isAnyTenants: true, settings: throughIndexes };

export const byControl = (call: Call, more: More = {}): PlanCase => ({ home: control, call, ...more });

export const byEngine = (call: Call, more: More = {}): PlanCase => ({ home: bare, call, ...more });

/** A request of a tenant; `role` where the route takes another than the API's own. */
export const byRequest = (call: Call, more: More & { role?: string } = {}): PlanCase => {
  const { role = 'millrace_app', ...rest } = more;
  return { home: { role, ofTenant: true, isAnyTenants: true, settings: throughIndexes }, call, ...rest };
};

/** The operator's command line. */
export const byOperator = (call: Call, more: More = {}): PlanCase => ({
  home: { role: 'millrace_operator', ofTenant: false, isAnyTenants: true, settings: throughIndexes },
  call,
  ...more,
});

/** Effects of a stage, as its role, for the tenant of its run. */
export const byStage = (role: string, call: Call, more: More = {}): PlanCase => ({
  home: { role, ofTenant: true, isAnyTenants: false, settings: throughIndexes },
  call,
  ...more,
});
