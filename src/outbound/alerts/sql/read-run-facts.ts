// What alerts say about runs: ids, codes and times, nothing of their rows. Runs as millrace_engine.
import type { Queryable } from '../../../platform/database.ts';

export interface RunFacts {
  readonly run_id: string;
  readonly attempt: number;
  readonly pipeline: string;
  /** The unique key of runs whose pipeline is among `namedByKey`; else the run's id. */
  readonly label: string;
  readonly error_code: string | null;
  /** Where the file came from, when no person uploaded it. */
  readonly source_id: string | null;
  /** How long the given attempt had been going when it was taken over. */
  readonly attempt_hours: number | null;
}

export async function readRunFacts(
  db: Queryable,
  asked: readonly { readonly runId: string; readonly attempt: number }[],
  namedByKey: readonly string[],
): Promise<RunFacts[]> {
  const { rows } = await db.query<RunFacts>({
    name: 'alerts-read-run-facts',
    text: `
      select r.id as run_id, q.attempt, r.pipeline, r.error_code, r.source_id,
             case when r.pipeline = any ($3) then coalesce(r.unique_key, r.id::text) else r.id::text end as label,
             (extract(epoch from a.ended_at - a.started_at) / 3600)::float8 as attempt_hours
      from (select distinct * from unnest($1::uuid[], $2::int[]) as q (run_id, attempt)) q
      join engine.runs r on r.id = q.run_id
      left join engine.attempts a on a.run_id = q.run_id and a.attempt = q.attempt`,
    values: [asked.map(({ runId }) => runId), asked.map(({ attempt }) => attempt), namedByKey],
  });
  return rows;
}
