// An installation of any size, made in the database by one statement per table. Row i of every table is the same at every size, so that a
// case can name what it asks for: a tenant with three quarters of everything ("ours"), a run with few rows ("small"), one with half of
// all rows ("big"), runs in every phase, and everything else around them.
import { machines } from '../../src/contract/pipelines/all.ts';
import { arrowsOf, statesOf } from '../../src/engine/machines.ts';
import { addArrows, addStates, upsertPipeline } from '../../src/engine/sql/register-pipelines.ts';
import type { Queryable } from '../../src/platform/database.ts';
import type { Column, GrowingTable } from './catalogue.ts';

const DAY_MS = 86_400_000;
const STEP_MS = 10_000;
/** Rows of the small run. */
const FEW = 40;
const OFFSET = 192;

const pipelines = machines.map(({ pipeline }) => pipeline);

/** What a run of the world is: its phase, and for those that are done how many rows it has. */
const kindsOfRun = ['ready', 'scheduled', 'active', 'failed', 'dead', 'small', 'big', 'held'] as const;
export type KindOfRun = (typeof kindsOfRun)[number];

/** The least size at which every run that a case can name is there. */
export const LEAST_SIZE = 2 * OFFSET + pipelines.length * 4;

/**
 * How rows of a table are made. `columns`: expressions over `i` (the row), `r` (the run it belongs to), `tenant` and `run`.
 * What is left out and required is made up from name and type.
 */
export interface Seed {
  readonly table: string;
  /** Rows belong to runs of this pipeline: half of them to the big one, few to the small one. Left out: row i belongs to run i. */
  readonly runsOf?: string;
  readonly columns?: Readonly<Record<string, string>>;
  /** Of the rows, those that are there. */
  readonly where?: string;
}

export interface World {
  /** The tenant of three quarters of all rows. */
  readonly ours: string;
  readonly now: Date;
  /** Rows of each table. */
  readonly size: number;
  run(pipeline: string, kind: KindOfRun): string;
  runIndex(pipeline: string, kind: KindOfRun): number;
  /** The value of a uuid column in row i of the table it belongs to; the same name is the same thing everywhere. */
  id(column: string, i: number): string;
  at(i: number): Date;
}

const kindOf = (column: string) => {
  if (['run_id', 'upload_id', 'batch_id'].includes(column)) return 1;
  let hash = 7;
  for (const letter of column) hash = (hash * 31 + letter.charCodeAt(0)) % 4_000;
  return hash + 16;
};

const uuidOf = (ms: number, kind: number, i: number) => {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${kind.toString(16).padStart(3, '0')}-8000-${i.toString(16).padStart(12, '0')}`;
};

export function worldOf(now: Date, size: number): World {
  const at = (i: number) => new Date(now.getTime() - 20 * DAY_MS + i * STEP_MS);
  const runIndex = (pipeline: string, kind: KindOfRun) =>
    OFFSET + 24 * kindsOfRun.indexOf(kind) + 4 * pipelines.indexOf(pipeline);
  const id = (column: string, i: number) => uuidOf(at(i).getTime(), kindOf(column), i);
  return {
    ours: id('tenant_id', 0),
    now,
    size,
    at,
    id,
    runIndex,
    run: (pipeline, kind) => id('run_id', runIndex(pipeline, kind)),
  };
}

/** A row of the small tenant, in every table. */
const THEIRS = 3;

/** The same, asked by a tenant with four rows of each table, the oldest ones: what it names is its own. */
export const ofSmallTenant = (world: World): World => ({
  ...world,
  ours: world.id('tenant_id', 1),
  id: (column) => world.id(column, THEIRS),
  run: () => world.id('run_id', THEIRS),
  runIndex: () => THEIRS,
});

/** Tells whether a case asks for the rows of its tenant at all. */
export function watched(world: World): { readonly world: World; wasAskedForTenant(): boolean } {
  let wasAsked = false;
  const asked = Object.defineProperty({ ...world }, 'ours', {
    get: () => {
      wasAsked = true;
      return world.ours;
    },
  });
  return { world: asked, wasAskedForTenant: () => wasAsked };
}

/** Functions that seeds use, and a database in which nothing but the seeds decides what is stored. */
export async function layGround(admin: Queryable, world: World, tables: readonly GrowingTable[]): Promise<void> {
  const base = world.at(0).toISOString();
  const phases = `array['waiting','waiting','active','failed','dead','done','done','waiting']`;
  await admin.query(`
    create schema plan;
    grant usage on schema plan to public;
    create function plan.at(i int) returns timestamptz language sql immutable parallel safe
      return timestamptz '${base}' + i * interval '${STEP_MS} milliseconds';
    create function plan.uuid(kind int, i int) returns uuid language sql immutable parallel safe
      return (lpad(to_hex((extract(epoch from timestamptz '${base}') * 1000)::bigint + i * ${STEP_MS}::bigint), 12, '0')
        || '7' || lpad(to_hex(kind), 3, '0') || '8000' || lpad(to_hex(i), 12, '0'))::uuid;
    -- Three quarters of all rows are ours; the others belong to ever more tenants.
    create function plan.tenant(i int) returns uuid language sql immutable parallel safe
      return plan.uuid(${kindOf('tenant_id')}, case when i % 4 = 3 then i / 16 + 1 else 0 end);
    create function plan.run(i int) returns uuid language sql immutable parallel safe return plan.uuid(1, i);
    create function plan.kind(i int) returns text language sql immutable parallel safe
      return (array[${kindsOfRun.map((kind) => `'${kind}'`).join()}])[(i / 24) % 8 + 1];
    create function plan.phase(i int) returns text language sql immutable parallel safe return (${phases})[(i / 24) % 8 + 1];
    create function plan.pipeline(i int) returns text language sql immutable parallel safe
      return (array[${pipelines.map((name) => `'${name}'`).join()}])[(i / 4) % ${pipelines.length} + 1];
    create table plan.first_states (pipeline text, phase text, status text, primary key (pipeline, phase));
    create function plan.status(i int) returns text language sql stable
      return coalesce((select status from plan.first_states where pipeline = plan.pipeline(i) and phase = plan.phase(i)), 'none');
    create function plan.rows_read() returns bigint language sql volatile
      return (select coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)::bigint from pg_class c
              where c.relkind in ('r', 'i') and c.relnamespace::regnamespace::text in ('engine', 'public', 'intake', 'ingest', 'tabular'))`);
  for (const machine of machines) {
    await upsertPipeline(admin, {
      pipeline: machine.pipeline,
      version: machine.version,
      initialStatus: machine.initial,
      laneCap: null,
      lostLimit: 3,
      lostAction: 'requeue',
      lostCode: null,
      announced: [],
      failedAreDeadLetters: machine.pipeline !== 'syncs',
    });
    await addStates(admin, machine.pipeline, statesOf(machine));
    await addArrows(admin, machine.pipeline, arrowsOf(machine));
  }
  // The state a run of a phase is most easily in: one that can be claimed, worked on, ended.
  await admin.query(`
    insert into plan.first_states
    select distinct on (s.pipeline, s.phase) s.pipeline, s.phase, s.status
    from engine.states s
    left join engine.transitions t on t.pipeline = s.pipeline and t.from_status = s.status and t.event in ('claim', 'complete')
    order by s.pipeline, s.phase, t.event nulls last, s.status`);
  await admin.query(`insert into engine.consumers (consumer, position) values ('read-all', 1000000000)`);
  // Rows are made up: what they must look like is not what is measured here. The server must not gather statistics of its own accord.
  const { rows } = await admin.query<{ command: string }>(
    `
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as command
    from pg_constraint where contype = 'c' and conrelid <> 0 and coninhcount = 0
      and conrelid::regclass::text = any ($1::text[])
    union all
    select format('alter table %s set (autovacuum_enabled = off)', c.oid::regclass)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('engine', 'public', 'intake', 'ingest', 'tabular')
    union all
    select format('select setval(%L, 100000000)', pg_get_serial_sequence(c.oid::regclass::text, a.attname))
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
    where c.relkind in ('r', 'p') and not c.relispartition`,
    [tables.map(({ name }) => name.replace(/^public\./, ''))],
  );
  await admin.query(rows.map(({ command }) => command).join(';\n'));
}

/** Rows `from` up to `to` of each table. */
export async function grow(
  admin: Queryable,
  tables: readonly GrowingTable[],
  seeds: ReadonlyMap<string, Seed>,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  await admin.query('begin');
  await admin.query('set local session_replication_role = replica');
  const failures: string[] = [];
  for (const table of tables) {
    const statement = insertInto(table, seeds.get(table.name) ?? { table: table.name }, range);
    await admin.query('savepoint a_table');
    await admin.query(statement).catch(async (error: Error) => {
      failures.push(`rows of ${table.name} could not be made: ${error.message}\n${statement}`);
      await admin.query('rollback to savepoint a_table');
    });
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
  await admin.query('commit');
}

function insertInto(table: GrowingTable, seed: Seed, { from, to }: { from: number; to: number }): string {
  const given = seed.columns ?? {};
  const unknown = Object.keys(given).filter((name) => !table.columns.some((column) => column.name === name));
  if (unknown.length > 0) throw new Error(`${table.name} has no column ${unknown.join(', ')}`);
  const filled = table.columns.filter(
    (column) =>
      column.name in given || column.isIdentity || isOfTenant(column) || (column.isRequired && !column.hasDefault),
  );
  const names = filled.map(({ name }) => `"${name}"`).join(', ');
  const values = filled
    .map(
      (column) => `(${given[column.name] ?? madeUp(column, seed)})${column.type === 'bit' ? '' : `::${column.type}`}`,
    )
    .join(', ');
  const index = seed.runsOf === undefined ? 'i' : runIndexOf(seed.runsOf);
  return `insert into ${table.name} (${names}) overriding system value
    select ${values}
    from generate_series(${from}, ${to}) i
    cross join lateral (select ${index} as r offset 0) x
    cross join lateral (select plan.tenant(r) as tenant, plan.run(r) as run) y
    where ${seed.where ?? 'true'}`;
}

/** Whose a row is, where it says so at all. */
const isOfTenant = ({ name }: Pick<Column, 'name'>) => name === 'tenant_id' || name === 'workspace_id';

function runIndexOf(pipeline: string): string {
  const place = 4 * pipelines.indexOf(pipeline) + OFFSET;
  const small = place + 24 * kindsOfRun.indexOf('small');
  const big = place + 24 * kindsOfRun.indexOf('big');
  return `case when i <= ${FEW} then ${small} when i % 2 = 0 then ${big} else i end`;
}

function madeUp({ name, type }: Column, { runsOf }: Seed): string {
  if (isOfTenant({ name })) return type === 'uuid' ? 'tenant' : 'tenant::text';
  if (type === 'uuid') return kindOf(name) === 1 ? 'run' : `plan.uuid(${kindOf(name)}, i)`;
  if (/^(?:text|character varying)$/.test(type)) return `'${name} ' || i`;
  if (/\[\]$/.test(type)) return `'{}'`;
  if (type === 'jsonb') return `'{}'`;
  if (type === 'boolean') return 'false';
  if (type === 'bytea') return `sha256(('${name}' || i)::bytea)`;
  if (type === 'date') return 'plan.at(i)::date';
  if (/^timestamp/.test(type)) return 'plan.at(i)';
  if (/^(?:smallint|integer|bigint|numeric|real|double precision)$/.test(type))
    return type === 'smallint' ? 'i % 100' : 'i';
  if (type === 'tsvector') return `to_tsvector('simple', 'word' || i)`;
  if (type === 'bit') return 'i::bigint::bit(64)';
  if (/^bit/.test(type)) return `B'1010'`;
  if (/multirange$/.test(type)) return `'{}'`;
  throw new Error(
    `say how "${name}" of type ${type} is made${runsOf === undefined ? '' : ` (${runsOf})`}: in "seeds" of the plan test`,
  );
}

/** For seeds: what a uuid column of another table is in row i. */
export const idOf = (column: string, index: string) => `plan.uuid(${kindOf(column)}, ${index})`;
