// What the doctor asks the server itself.
import type { Queryable } from '../../../platform/database.ts';

export async function readServerVersion(db: Queryable): Promise<{ number: number; text: string }> {
  const { rows } = await db.query<{ number: number; text: string }>({
    text: `select current_setting('server_version_num')::int as number, split_part(current_setting('server_version'), ' ', 1) as text`,
  });
  return rows[0] ?? { number: 0, text: 'unknown' };
}

export async function readServerTime(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>({ text: 'select engine.now() as now' });
  return rows[0]?.now ?? new Date(Number.NaN);
}
