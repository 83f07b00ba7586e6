// What the API, the command line and programs need to look after syncs: the engine, the way to Airbyte, and transactions
// in which a tenant's rows and the engine's own stand or fall together.
import type { Engine } from '../../engine/engine.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import { type Queryable, withTransaction } from '../../platform/database.ts';
import type { SyncsDeps } from './syncs-deps.ts';

export interface SyncService extends SyncsDeps {
  readonly engine: Engine;
}

export interface Halves {
  readonly tx: Queryable;
  /** Works under the tenant's row-level security; outside of it the transaction is the engine's. */
  asTenant<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
}

const APP_ROLE = 'millrace_app';

export function inOneTransaction<T>(
  { engine }: Pick<SyncService, 'engine'>,
  tenantId: string,
  work: (halves: Halves) => Promise<T>,
): Promise<T> {
  return withTransaction(engine.pools.control, (tx) =>
    work({
      tx,
      async asTenant(inner) {
        await enterStage(tx, APP_ROLE, tenantId);
        const result = await inner(tx);
        await leaveStage(tx);
        return result;
      },
    }),
  );
}
