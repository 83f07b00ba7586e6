// Runs of a pipeline that could be claimed now, for a worker that is started by cron and does one cycle. Runs as millrace_engine.
import type { Queryable } from '../../platform/database.ts';

export interface ReadyRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
}

export async function listReadyRuns(control: Queryable, pipeline: string, limit: number): Promise<ReadyRun[]> {
  const { rows } = await control.query<ReadyRun>({
    name: 'reads-list-ready-runs',
    text: `
      select r.id, r.status, r.attempt
      from engine.ready q
      join engine.runs r on r.id = q.run_id
      where q.pipeline = $1
      limit $2`,
    values: [pipeline, limit],
  });
  return rows;
}

/** Which of these are still waiting for, or in, the attempt that was due. */
export async function listUnended(control: Queryable, runs: readonly ReadyRun[]): Promise<string[]> {
  const { rows } = await control.query<{ id: string }>({
    name: 'reads-list-unended',
    text: `
      select r.id
      from unnest($1::uuid[], $2::integer[]) as d (id, attempt)
      join engine.runs r on r.id = d.id
      where r.finished_at is null and (r.attempt = d.attempt or r.phase = 'active')`,
    values: [runs.map((run) => run.id), runs.map((run) => run.attempt)],
  });
  return rows.map((row) => row.id);
}
