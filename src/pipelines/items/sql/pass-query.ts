// The statement of an own processor, which brings its text and works in another process: it is given to the database as it came.
import type { Queryable } from '../../../platform/database.ts';

export async function passQuery(
  db: Queryable,
  [statement, ...values]: readonly unknown[],
): Promise<{ rows: unknown[]; rowCount: number | null }> {
  const { rows, rowCount } = await db.query(statement as string, ...(values as [unknown[]]));
  return { rows, rowCount };
}
