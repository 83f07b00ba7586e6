// The tables of a pipeline: those that its database roles write, or those that came with it.
import type { Queryable } from '../../src/platform/database.ts';

export interface OwnTable {
  readonly name: string;
  /** Whose rows are whose. */
  readonly owner: string;
  /** Row-level security is on, for the owner of the table as well. */
  readonly is_forced: boolean;
  /** By millrace_app. */
  readonly is_readable: boolean;
}

export async function listTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema|test_record)'`,
  );
  return rows.map(({ name }) => name);
}

export async function listKitTables(
  db: Queryable,
  roles: readonly string[],
  added: readonly string[],
): Promise<OwnTable[]> {
  const { rows } = await db.query<OwnTable>(
    `select c.oid::regclass::text as name, a.attname as owner, c.relrowsecurity and c.relforcerowsecurity as is_forced,
            has_table_privilege('millrace_app', c.oid, 'select') as is_readable
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attname in ('tenant_id', 'workspace_id') and not a.attisdropped
     where c.relkind in ('r', 'p') and n.nspname not in ('engine', 'tabular')
       and (c.oid::regclass::text = any ($2)
            or exists (select from unnest($1::text[]) as role where has_table_privilege(role, c.oid, 'insert')))
     order by 1`,
    [roles, added],
  );
  return rows;
}

/** How many rows of the tenant each table has; staged rows that are cleaned up later count too. */
export async function rowsOf(
  db: Queryable,
  tables: readonly OwnTable[],
  tenantId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, owner } of tables) {
    const { rows } = await db.query<{ rows: number }>(`select count(*)::int as rows from ${name} where ${owner} = $1`, [
      tenantId,
    ]);
    counts[name] = rows[0]?.rows ?? 0;
  }
  return counts;
}
