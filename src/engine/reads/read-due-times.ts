// When schedules fire next, by their names.
import type { Queryable } from '../../platform/database.ts';

export async function readDueTimes(
  db: Queryable,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await db.query<{ name: string; next_at: Date }>({
    name: 'reads-due-times',
    text: `
      select s.name, s.next_at from unnest($2::text[]) given (name)
      cross join lateral (
        select name, next_at from engine.schedules where tenant_id = $1 and name >= given.name order by name limit 1
      ) s
      where s.name = given.name`,
    values: [tenantId, names],
  });
  return new Map(rows.map((row) => [row.name, row.next_at]));
}
