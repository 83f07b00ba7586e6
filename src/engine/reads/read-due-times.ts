// When schedules fire next, by their names.
import type { Queryable } from '../../platform/database.ts';

export async function readDueTimes(
  db: Queryable,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await db.query<{ name: string; next_at: Date }>({
    name: 'reads-due-times',
    text: `select name, next_at from engine.schedules where tenant_id = $1 and name = any ($2::text[])`,
    values: [tenantId, names],
  });
  return new Map(rows.map((row) => [row.name, row.next_at]));
}
