// Runs of a pipeline that wait for too long, or whose worker has gone silent. As millrace_engine.
import type { Queryable } from '../../platform/database.ts';

export interface Overdue {
  /** Queued and not picked up. */
  readonly waiting: number;
  /** Held by a worker that has gone silent. */
  readonly silent: number;
}

export async function countOverdue(
  db: Queryable,
  pipeline: string,
  limits: { readonly queuedHours: number; readonly staleMinutes: number },
): Promise<Overdue> {
  const { rows } = await db.query<Overdue>({
    name: 'reads-count-overdue',
    text: `
      select (select count(*) from engine.ready r
              where r.pipeline = $1 and r.queued_at < engine.now() - make_interval(hours => $2)) as waiting,
             (select count(*) from engine.leases l
              join engine.workers w on w.worker_id = l.worker_id
              where l.pipeline = $1 and w.expires_at < engine.now() - make_interval(mins => $3)) as silent`,
    values: [pipeline, limits.queuedHours, limits.staleMinutes],
  });
  return rows[0] ?? { waiting: 0, silent: 0 };
}
