// How many rows were offered to the tables of a pipeline, and to the rejects: each insert that was committed, also one that met a row which was
// there already. A stage that goes on from its checkpoint offers each row once, however often its worker is killed. One that begins again offers
// them twice, even where a natural key hides it, and even where it clears the table first (docs/decisions/0520-what-conformance-decides.md).
import type { Queryable } from '../../src/platform/database.ts';
import type { OwnTable } from './tables.ts';

const refusals: Pick<OwnTable, 'name' | 'owner'> = { name: 'engine.rejects', owner: 'tenant_id' };

/** Before the first run. */
export async function recordOffers(admin: Queryable, tables: readonly OwnTable[]): Promise<void> {
  await admin.query(`
    create unlogged table test_record.offers (table_name text, tenant_id uuid);
    create function test_record.note_offer() returns trigger language plpgsql security definer as $$
    begin
      insert into test_record.offers values (tg_argv[0], (to_jsonb(new) ->> tg_argv[1])::uuid);
      return new;
    end $$`);
  const names = new Map([...tables, refusals].map((table) => [table.name, table]));
  for (const { name, owner } of names.values())
    await admin.query(
      `create trigger note_offer before insert on ${name} for each row execute function test_record.note_offer('${name}', '${owner}')`,
    );
}

/** By table. */
export async function offersOf(
  admin: Queryable,
  tables: readonly OwnTable[],
  tenantId: string,
): Promise<Record<string, number>> {
  const { rows } = await admin.query<{ table_name: string; offered: number }>(
    `select table_name, count(*)::int as offered from test_record.offers
     where tenant_id = $1 and table_name = any ($2) group by table_name order by table_name`,
    [tenantId, [...tables, refusals].map(({ name }) => name)],
  );
  return Object.fromEntries(rows.map(({ table_name, offered }) => [table_name, offered]));
}
