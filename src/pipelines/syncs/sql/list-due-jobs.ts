// Syncs that could be claimed now, for one cycle of a worker that is started by cron. Runs as the engine.
import type { Queryable } from '../../../platform/database.ts';

export interface DueJob {
  readonly id: string;
  readonly status: 'queued' | 'failed';
  readonly attempt: number;
}

export async function listDueJobs(db: Queryable, limit: number): Promise<DueJob[]> {
  const { rows } = await db.query<DueJob>({
    name: 'syncs-list-due-jobs',
    text: `
      select r.id, r.status, r.attempt
      from engine.ready q
      join engine.runs r on r.id = q.run_id
      where q.pipeline = 'syncs'
      limit $1`,
    values: [limit],
  });
  return rows;
}

/** Which of these are still waiting for, or in, the attempt that was due. */
export async function listUnended(db: Queryable, jobs: readonly DueJob[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'syncs-list-unended',
    text: `
      select r.id
      from unnest($1::uuid[], $2::integer[]) as d (id, attempt)
      join engine.runs r on r.id = d.id
      where r.finished_at is null and (r.attempt = d.attempt or r.phase = 'active')`,
    values: [jobs.map((job) => job.id), jobs.map((job) => job.attempt)],
  });
  return rows.map((row) => row.id);
}
