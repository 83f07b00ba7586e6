// The input of one run, where the claim left it behind because it is large.
import type { Queryable } from '../../platform/database.ts';

export async function readInput(db: Queryable, runId: string): Promise<unknown> {
  const { rows } = await db.query<{ input: unknown }>({
    name: 'engine-read-input',
    text: 'select input from engine.runs where id = $1',
    values: [runId],
  });
  return rows[0]?.input;
}
