// How many rows a statement reads: those of every node of its real plan (read, filtered away, joined without result), and those that its triggers
// and functions read besides. Rows are counted and not time, so that the answer is the same on every machine.
import pg from 'pg';
import type { Queryable } from '../../src/platform/database.ts';
import type { PlannedStatement } from '../../src/platform/planner-settings.ts';
import type { Home } from './plan-case.ts';
import type { World } from './world.ts';

export interface Reading {
  readonly name: string;
  readonly rows: number;
  /** The plan as the server shows it, for a message. */
  readonly plan: unknown;
}

export type PlanMode = 'as in the product' | 'generic';

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** Rows of a plan, its inner plans included. What collects the rows of parallel workers reads none of its own. */
export function rowsOf(node: Node): number {
  const each =
    (node['Node Type'].startsWith('Gather') ? 0 : node['Actual Rows']) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(each * node['Actual Loops']) + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0);
}

/** Runs a case in the open transaction, measures each of its statements and takes everything back. */
export async function measureCase(
  client: pg.ClientBase,
  home: Home,
  world: World,
  call: (db: Queryable, world: World) => unknown,
  mode: PlanMode,
): Promise<Reading[]> {
  const settings = Object.entries({
    ...home.settings,
    ...(mode === 'generic' ? { plan_cache_mode: 'force_generic_plan' } : {}),
    ...(home.ofTenant ? { 'millrace.tenant_id': world.ours } : {}),
    role: home.role,
  });
  const enter = settings.map(([name, value]) => `select set_config('${name}', '${value}', true)`).join('; ');
  await client.query(`savepoint a_case; ${enter}`);
  const readings: Reading[] = [];
  try {
    await call(measuring(client, readings), world);
  } finally {
    await client.query('rollback to savepoint a_case; release savepoint a_case');
  }
  return readings;
}

interface EarlyQuery {
  readonly callback: (error: Error) => void;
}

type Config = Pick<PlannedStatement, 'settings'> & {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
};

function measuring(client: pg.ClientBase, readings: Reading[]): Queryable {
  const query = async (given: string | Config | pg.Query, values: readonly unknown[] = []) => {
    const config: Config = typeof given === 'string' ? { text: given, values } : (given as Config);
    if (/^\s*(?:savepoint|rollback|release|begin|commit|set|listen)\b/i.test(config.text))
      return client.query(config.text);
    return underSettings(client, config.settings, async () => {
      readings.push(await explain(client, config));
      // Whoever wants its rows early gets none: it was measured, and that is all.
      if (given instanceof pg.Query) return (given as unknown as EarlyQuery).callback(new Error('measured'));
      return client.query({ text: config.text, values: [...(config.values ?? [])] });
    });
  };
  const lent = { query, on: () => lent, off: () => lent, release: () => {} };
  return { query, connect: async () => lent } as unknown as Queryable;
}

/** Those that a statement brings hold for it alone. */
async function underSettings<T>(
  client: pg.ClientBase,
  settings: Readonly<Record<string, string>> = {},
  work: () => Promise<T>,
): Promise<T> {
  const names = Object.keys(settings);
  if (names.length === 0) return work();
  const set = (values: Readonly<Record<string, string>>) =>
    client.query(names.map((name) => `set local ${name} = '${values[name]}'`).join('; '));
  const { rows } = await client.query<Record<string, string>>(
    `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`,
  );
  await set(settings);
  const result = await work();
  await set(rows[0] ?? {});
  return result;
}

async function explain(client: pg.ClientBase, { name, text, values = [] }: Config): Promise<Reading> {
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  const results = (await client.query(`
    deallocate all; savepoint a_statement; prepare a_statement as ${text};
    select plan.rows_read() as rows; explain (analyze, timing off, format json) execute a_statement${given}; select plan.rows_read() as rows;
    rollback to savepoint a_statement; release savepoint a_statement`)) as unknown as pg.QueryResult[];
  const answers = (column: string) => results.flatMap(({ fields, rows }) => (fields?.[0]?.name === column ? rows : []));
  const [before = 0, after = 0] = answers('rows').map(({ rows }) => Number(rows));
  const plan = (answers('QUERY PLAN')[0] as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan;
  return { name: name ?? '', rows: Math.max(rowsOf(plan), after - before), plan };
}

/** A value as the driver would send it, as a literal. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return `'${textOf(value).replaceAll("'", "''")}'`;
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return isBinaryArray(value) ? textOf(readArray(value)) : `\\x${value.toString('hex')}`;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const INT4 = 23;
const INT8 = 20;
const JSON_TEXT = 114;
const JSONB = 3802;

/** Of src/platform/binary-arrays.ts. */
function isBinaryArray(value: Buffer): boolean {
  return (
    value.length >= 12 && value.readInt32BE(0) <= 1 && [INT4, INT8, JSON_TEXT, JSONB].includes(value.readInt32BE(8))
  );
}

function readArray(value: Buffer): unknown[] {
  const elements: unknown[] = [];
  for (let at = 20; at < value.length; ) {
    const bytes = value.readInt32BE(at);
    at += 4;
    if (bytes < 0) elements.push(null);
    else {
      const element = value.subarray(at, at + bytes);
      if (value.readInt32BE(8) === INT4) elements.push(element.readInt32BE());
      else if (value.readInt32BE(8) === INT8) elements.push(element.readBigInt64BE());
      else elements.push(element.toString('utf8', value.readInt32BE(8) === JSONB ? 1 : 0));
      at += bytes;
    }
  }
  return elements;
}

function elementOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return textOf(value);
  return `"${textOf(value).replaceAll(/["\\]/g, '\\$&')}"`;
}

/** A plan in a few lines: each node with its table, its index and what it read. */
export function describePlan(node: unknown, depth = 0): string {
  const each = node as Node & Record<string, unknown>;
  const on = each['Relation Name'] ?? each['CTE Name'] ?? each['Function Name'];
  const words = [each['Node Type'], each['Index Name'] && `by ${each['Index Name']}`, on && `on ${on}`].filter(Boolean);
  const own = rowsOf({ ...each, Plans: [] });
  const conditions = ['Index Cond', 'Filter', 'Join Filter', 'Hash Cond'].flatMap((key) =>
    each[key] ? [`${key}: ${each[key]}`] : [],
  );
  const line = `${'  '.repeat(depth + 2)}${words.join(' ')} · ${own} rows${depth < 12 && own > 0 ? ` ${conditions.join('; ')}`.slice(0, 160) : ''}`;
  return [line, ...(each.Plans ?? []).map((inner) => describePlan(inner, depth + 1))].join('\n');
}
