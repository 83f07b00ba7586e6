// Every statement over a table that grows is run on an installation of three sizes, under three statistics: none, taken when almost nothing
// was there, and fresh; and for two tenants: the one that has most rows, and one that has a few among many. Asked for the first alone, a
// page needs no index: three of four rows are on it. What a statement reads must grow no faster than its input. A folder of statements
// calls `testPlans` with its cases; a statement without a case fails.
import type pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { type GrowingTable, readGrowingTables, readWays, tablesIn, type Ways } from './catalogue.ts';
import { engineSeeds } from './engine-seeds.ts';
import { describePlan, measureCase, type PlanMode, type Reading } from './measure.ts';
import type { PlanCase } from './plan-case.ts';
import { listStatements, matches, type Statement } from './statements.ts';
import { grow, LEAST_SIZE, layGround, ofSmallTenant, type Seed, type World, watched, worldOf } from './world.ts';

export interface PlanTest {
  /** Folders of the source whose statements the cases are for. */
  readonly folders: readonly string[];
  readonly cases: readonly PlanCase[];
  /** How rows of the folder's own tables are made, where names and types do not tell. */
  readonly seeds?: readonly Seed[];
  /** Statements that need no case, each with its reason. */
  readonly exempt?: Readonly<Record<string, string>>;
  /** Statements that still read more than they should, each with how many rows of 3,000. One that is fixed leaves the list. */
  readonly open?: Readonly<Record<string, string>>;
}

const statistics = ['none', 'taken when almost empty', 'fresh'] as const;
export type Statistics = (typeof statistics)[number];

const ALMOST_EMPTY = 20;
/** Rows of each table. Every size is five times the one before, so that what grows with a table shows. */
const factor = 5;
const dose = Number(process.env.MILLRACE_PLAN_ROWS ?? 3_000);
const sizes = [Math.max(LEAST_SIZE, dose / factor ** 2), dose / factor, dose].map(Math.round);
const LONGEST_MS = 60_000;
const LONGEST_HOOK_MS = Math.max(600_000, dose * 100);
/** Rows that do not count: a few look-ups more or less. */
const SLACK = 300;

/** What the cases read, in a database of their own; `spoil` takes something away from it first. */
export function useMeasured(test: PlanTest, spoil?: (admin: pg.ClientBase) => Promise<unknown>): () => PlansFound {
  const database = useDatabase();
  let found: PlansFound;
  beforeAll(async () => {
    found = await measurePlans(database, test, spoil);
  }, LONGEST_HOOK_MS);
  return () => found;
}

export function testPlans(test: PlanTest): void {
  const measured = useMeasured(test);

  it(`every statement of ${test.folders.join(', ')} over a table that grows has a case`, () => {
    expect(missingCases(measured().statements, measured().ways, measured().readings, test).join('\n')).toBe('');
  });

  it('every case can be run, as the role and for the tenant that it names', () => {
    expect(measured().failures.join('\n\n')).toBe('');
  });

  it('what a statement reads grows no faster than its input, whatever the statistics say', () => {
    const { open = {} } = test;
    expect(
      cliffsOf(measured())
        .filter((cliff) => !(nameOf(cliff) in open))
        .join('\n\n'),
    ).toBe('');
  });

  it('a statement that is listed as open still reads too much: one that is fixed leaves the list', () => {
    const cliffs = new Set(cliffsOf(measured()).map(nameOf));
    expect(Object.keys(test.open ?? {}).filter((name) => !cliffs.has(name))).toEqual([]);
  });
}

const cliffsOf = ({ readings, sizes: measured }: PlansFound) => findCliffs(readings, measured);
const nameOf = (cliff: string) => cliff.split(' ')[0] ?? '';

/** Whose rows are asked for: those of the tenant that has most, or of one that has a few. */
export type Asker = 'large' | 'small';

export interface Measured extends Reading {
  readonly asker: Asker;
  readonly statistics: Statistics;
  readonly size: number;
  readonly mode: PlanMode;
  readonly nth: number;
  readonly readsAll: string | undefined;
  readonly share?: number | undefined;
}

export interface PlansFound {
  readonly statements: readonly Statement[];
  readonly ways: Ways;
  readonly readings: readonly Measured[];
  readonly sizes: readonly number[];
  /** Cases that could not be run. */
  readonly failures: readonly string[];
}

async function measurePlans(
  database: TestDatabase,
  test: PlanTest,
  spoil?: (admin: pg.ClientBase) => Promise<unknown>,
): Promise<PlansFound> {
  const admin = await database.admin.connect();
  try {
    const all = await readGrowingTables(admin);
    const ways = await readWays(admin, all);
    const statements = listStatements(test.folders);
    const tables = tablesOf(statements, all, ways);
    const seeds = new Map([...engineSeeds, ...(test.seeds ?? [])].map((seed) => [seed.table, seed]));
    const now = new Date();
    await layGround(admin, worldOf(now, 0), all);
    await grow(admin, tables, seeds, { from: 0, to: ALMOST_EMPTY });
    await admin.query('analyze');
    const early = await readRelations(admin);
    await spoil?.(admin);
    const readings: Measured[] = [];
    const failed = new Set<string>();
    let from = ALMOST_EMPTY + 1;
    for (const size of sizes) {
      await grow(admin, tables, seeds, { from, to: size });
      from = size + 1;
      const world = worldOf(now, size);
      for (const known of statistics) {
        await admin.query('begin');
        // Ends what reads so much that it would not end by itself.
        await admin.query(`set local statement_timeout = '${LONGEST_MS}ms'`);
        await setStatistics(admin, known, early, tables);
        const { measured, failures } = await measureAll(admin, world, test.cases, known);
        readings.push(...measured);
        for (const failure of failures) failed.add(failure);
        await admin.query('rollback');
      }
    }
    return { statements, ways, readings, sizes, failures: [...failed] };
  } finally {
    admin.release(true);
  }
}

/** Tables of the folder's statements, and those that nothing works without. */
function tablesOf(statements: readonly Statement[], all: readonly GrowingTable[], ways: Ways): GrowingTable[] {
  const wanted = new Set(statements.flatMap(({ source }) => tablesIn(source, ways)));
  for (const name of ['public.tenants', 'engine.runs', 'engine.past_runs', 'engine.blobs', 'public.users'])
    wanted.add(name);
  return all.filter(({ name }) => wanted.has(name));
}

async function measureAll(
  admin: pg.ClientBase,
  world: World,
  cases: readonly PlanCase[],
  known: Statistics,
): Promise<{ measured: Measured[]; failures: string[] }> {
  const isLargest = world.size === sizes.at(-1);
  const measured: Measured[] = [];
  const failures: string[] = [];
  const take = (readings: readonly Reading[], more: Pick<Measured, 'mode' | 'nth' | 'asker' | 'readsAll' | 'share'>) =>
    measured.push(...readings.map((reading) => ({ ...reading, statistics: known, size: world.size, ...more })));
  for (const [nth, { home, call, readsAll, share }] of cases.entries()) {
    const seen = watched(world);
    // A named statement is planned for its values at first, and for any values later on.
    const modes: PlanMode[] =
      isLargest && home.settings.plan_cache_mode === undefined
        ? ['as in the product', 'generic']
        : ['as in the product'];
    for (const mode of modes) {
      try {
        take(await measureCase(admin, home, seen.world, call, mode), { mode, nth, asker: 'large', readsAll, share });
      } catch (error) {
        failures.push(
          `case ${nth + 1} could not be run as ${home.role}: ${(error as Error).message}\n${call.toString()}`,
        );
      }
    }
    // What belongs to others is not there for a small tenant; some calls say so by failing, and then there is nothing to measure.
    if (seen.wasAskedForTenant() && home.isAnyTenants && world.size > (sizes[0] ?? 0))
      await measureCase(admin, home, ofSmallTenant(world), call, 'as in the product').then(
        (readings) => take(readings, { mode: 'as in the product', nth, asker: 'small', readsAll, share }),
        () => {},
      );
  }
  return { measured, failures };
}

interface RelationSize {
  readonly oid: number;
  readonly relpages: number;
  readonly reltuples: number;
}

async function readRelations(admin: pg.ClientBase): Promise<RelationSize[]> {
  const { rows } = await admin.query<RelationSize>(
    `select oid::int, relpages, reltuples from pg_class
     where relkind in ('r', 'i', 'p', 'I') and relnamespace::regnamespace::text in ('engine', 'public', 'intake', 'ingest', 'tabular')`,
  );
  return rows;
}

/** For the open transaction. What the server knows of a table stands in two catalogues: how large it is, and what its columns hold. */
async function setStatistics(
  admin: pg.ClientBase,
  known: Statistics,
  early: readonly RelationSize[],
  tables: readonly GrowingTable[],
): Promise<void> {
  const isNone = known === 'none';
  if (known === 'fresh') await admin.query(`analyze ${tables.map(({ name }) => name).join(', ')}`);
  else if (isNone)
    await admin.query(`delete from pg_statistic where starelid = any ($1::oid[])`, [early.map(({ oid }) => oid)]);
  if (known === 'fresh') return;
  await admin.query(
    `update pg_class c set relpages = v.relpages, reltuples = v.reltuples
     from unnest($1::oid[], $2::int[], $3::real[]) as v (oid, relpages, reltuples)
     where c.oid = v.oid and (c.relpages, c.reltuples) is distinct from (v.relpages, v.reltuples)`,
    [
      early.map(({ oid }) => oid),
      early.map(({ relpages }) => (isNone ? 0 : relpages)),
      early.map(({ reltuples }) => (isNone ? -1 : reltuples)),
    ],
  );
}

export function missingCases(
  statements: readonly Statement[],
  ways: Ways,
  readings: readonly Pick<Measured, 'name'>[],
  { exempt = {}, folders }: Pick<PlanTest, 'exempt' | 'folders'>,
): string[] {
  const measured = new Set(readings.map(({ name }) => name));
  return statements.flatMap(({ file, line, name, source }) => {
    const tables = tablesIn(source, ways);
    const isOverAnyTable = /\b(?:from|join|into|update) \$\{/i.test(source);
    if (tables.length === 0 && !isOverAnyTable) return [];
    if (name === null)
      return [`${file}:${line} has no name: give the statement one, and a case in the plan test of ${folders[0]}`];
    if (name in exempt || [...measured].some((each) => matches(name, each))) return [];
    return [
      `${file}:${line} "${name}" reads ${tables.slice(0, 6).join(', ')} and has no case. Add one line to "cases" of plans.db.test.ts in ${folders[0]}: ` +
        `byRequest((db, w) => theFunction(db, w.ours, …)), or byControl, byStage('role', …) as the product calls it. See CONTRIBUTING.md, "Plans".`,
    ];
  });
}

/** By statement, the statistics under which it reads more than it should. */
export function findCliffs(readings: readonly Measured[], [, middle = 0, largest = 0]: readonly number[]): string[] {
  const worst = new Map<string, { text: string; rows: number }>();
  for (const [key, group] of groupByStatement(readings)) {
    const rowsAt = (size: number) => Math.max(0, ...group.filter((each) => each.size === size).map(({ rows }) => rows));
    const before = rowsAt(middle);
    const last = group.filter((each) => each.size === largest).sort((a, b) => b.rows - a.rows)[0];
    if (last === undefined) continue;
    const grown = largest / middle;
    // Who reads all of it, or a part of a known share, may read that a few times over, but not the more often the more there is.
    const { share = 1 } = last;
    const allowed =
      last.readsAll === undefined
        ? 2 * before + SLACK
        : Math.max(share < 1 ? 2 * before + SLACK : 1.5 * grown * before, 3 * share * largest);
    if (last.rows <= allowed) continue;
    const title = `${last.name || 'a statement without a name'} (case ${last.nth + 1}, statistics ${last.statistics}${last.mode === 'generic' ? ', planned for any values' : ''}${last.asker === 'small' ? ', for a small tenant' : ''})`;
    const text = `${title} reads ${last.rows} rows of ${largest} and ${before} of ${middle}${last.readsAll === undefined ? '' : share < 1 ? `, more than ${share} of all` : ', more than all'}:\n${describePlan(last.plan)}`;
    if ((worst.get(key)?.rows ?? 0) < last.rows) worst.set(key, { text, rows: last.rows });
  }
  return [...worst.values()].sort((a, b) => b.rows - a.rows).map(({ text }) => text);
}

/** The same statement of the same case under the same statistics, at all sizes. */
function groupByStatement(readings: readonly Measured[]): (readonly [key: string, group: Measured[]])[] {
  const groups = new Map<string, Measured[]>();
  for (const reading of readings) {
    const key = `${reading.nth} ${reading.name} ${reading.statistics} ${reading.asker}`;
    groups.set(key, [...(groups.get(key) ?? []), reading]);
  }
  return [...groups].map(([key, group]) => [key.split(' ').slice(0, 2).join(' '), group] as const);
}
