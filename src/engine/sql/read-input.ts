// Reads the input of one run. A claim leaves out an input that is large.
import type { Queryable } from '../../platform/database.ts';

export async function readInput(db: Queryable, runId: string): Promise<unknown> {
  const { rows } = await db.query<{ input: unknown }>({
    name: 'engine-read-input',
    text: 'select input from engine.runs where id = $1',
    values: [runId],
  });
  return rows[0]?.input;
}
