// Which tables grow, and which views and functions lead to them: from the catalogue of the database, so that a new table grows until
// somebody says here why it does not.
import type { Queryable } from '../../src/platform/database.ts';

/** Tables whose number of rows does not follow from what an installation takes in. */
const fixed = [
  'engine.alert_clock',
  'engine.consumers',
  'engine.elections',
  'engine.pipelines',
  'engine.states',
  'engine.transitions',
  'millrace.migrations',
];

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
  readonly isIdentity: boolean;
}

export interface GrowingTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

export async function readGrowingTables(admin: Queryable): Promise<GrowingTable[]> {
  const { rows } = await admin.query<GrowingTable>(
    `select n.nspname || '.' || c.relname as name,
            json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'isRequired', a.attnotnull,
                                       'hasDefault', a.atthasdef, 'isIdentity', a.attidentity <> '') order by a.attnum)
              filter (where a.attgenerated = '') as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema|test_record)'
     group by 1
     order by 1`,
  );
  return rows.filter(({ name }) => !fixed.includes(name));
}

/** By the name of a table, view or function: the tables that grow behind it. */
export type Ways = ReadonlyMap<string, readonly string[]>;

export async function readWays(admin: Queryable, tables: readonly GrowingTable[]): Promise<Ways> {
  const ways = new Map<string, readonly string[]>(tables.map(({ name }) => [name, [name]]));
  const { rows } = await admin.query<{ name: string; body: string }>(
    `select n.nspname || '.' || c.relname as name, pg_get_viewdef(c.oid) as body
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'v' and n.nspname !~ '^(pg_|information_schema)'
     union all
     select n.nspname || '.' || p.proname, p.prosrc
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname !~ '^(pg_|information_schema|test_record)' and p.prorettype <> 'trigger'::regtype`,
  );
  // A view may read views: until nothing is added.
  for (let before = -1; before < ways.size; ) {
    before = ways.size;
    for (const { name, body } of rows) {
      const behind = tablesIn(body, ways);
      if (behind.length > 0) ways.set(name, behind);
    }
  }
  return ways;
}

/** The tables that grow behind what a text names. */
export function tablesIn(text: string, ways: Ways): string[] {
  const found = new Set<string>();
  // Comments of the source name tables too.
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  for (const [name, tables] of ways) {
    const [schema = '', relation = ''] = name.split('.');
    const own = schema === 'public' ? `(?:public\\.)?${relation}` : `${schema}\\.${relation}`;
    const isThere = new RegExp(
      `(?:\\b(?:from|join|into|update|using|only)\\s+|\\(\\s*|,\\s*)${own}\\b(?!\\s*:)`,
      'i',
    ).test(code);
    const isCalled = new RegExp(`\\b${own}\\(`).test(code);
    if (isCalled || (isThere && names(code, schema, relation))) for (const table of tables) found.add(table);
  }
  return [...found].sort();
}

/** A table of the public schema may have the name of an ordinary word. */
function names(code: string, schema: string, relation: string): boolean {
  if (schema !== 'public') return true;
  return new RegExp(`\\b(?:from|join|into|update|using|only)\\s+(?:public\\.)?${relation}\\b`, 'i').test(code);
}
