import type { Queryable } from '../../../platform/database.ts';

export interface Overdue {
  /** Queued and not picked up. */
  readonly waiting: number;
  /** Held by a worker that has gone silent. */
  readonly silent: number;
}

export async function countOverdue(
  db: Queryable,
  limits: { readonly queuedHours: number; readonly staleMinutes: number },
): Promise<Overdue> {
  const { rows } = await db.query<Overdue>({
    name: 'documents-count-overdue',
    text: `
      select (select count(*) from engine.ready r
              where r.pipeline = 'documents' and r.queued_at < engine.now() - make_interval(hours => $1)) as waiting,
             (select count(*) from engine.leases l
              join engine.workers w on w.worker_id = l.worker_id
              where l.pipeline = 'documents' and w.expires_at < engine.now() - make_interval(mins => $2)) as silent`,
    values: [limits.queuedHours, limits.staleMinutes],
  });
  return rows[0] ?? { waiting: 0, silent: 0 };
}
