// Looks up ends whose answer was lost.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';
import type { AttemptEnd } from './end-attempts.ts';

/** Of these ends, those that stand in the history, as `run/attempt`. An attempt that somebody else ended stands there with another outcome. */
export async function endsInHistory(
  db: Queryable,
  ends: readonly Pick<AttemptEnd, 'runId' | 'attempt' | 'outcome'>[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ run_id: string; attempt: number }>({
    name: 'engine-ends-in-history',
    text: `
      select a.run_id, a.attempt
      from unnest($1::uuid[], $2::int[], $3::text[]) as e (run_id, attempt, outcome)
      join engine.attempts a on a.run_id = e.run_id and a.attempt = e.attempt and a.outcome = e.outcome`,
    values: [
      arrayLiteral(ends, (end) => end.runId),
      arrayLiteral(ends, (end) => end.attempt),
      arrayLiteral(ends, (end) => end.outcome),
    ],
  });
  return new Set(rows.map((row) => `${row.run_id}/${row.attempt}`));
}
