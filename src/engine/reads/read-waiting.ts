// The facts behind "why does it wait?".
import type { Queryable } from '../../platform/database.ts';

export interface WaitingFacts {
  readonly queued: boolean;
  readonly solo: boolean;
  readonly available_at: Date | null;
  readonly paused_by: string | null;
  readonly lane_cap: number | null;
  readonly lane_leases: number;
  readonly workers_alive: number;
  readonly ahead: number;
}

export async function readWaitingFacts(db: Queryable, runId: string): Promise<WaitingFacts | undefined> {
  const { rows } = await db.query<WaitingFacts>({
    name: 'reads-waiting-facts',
    text: `
      select q.run_id is not null as queued,
             coalesce(q.solo, s.solo, false) as solo,
             s.available_at,
             (select paused_by from engine.pauses p where p.pipeline = r.pipeline and p.lane in ('', r.lane) limit 1) as paused_by,
             d.lane_cap,
             (select count(distinct l.run_id)::int from engine.leases l where l.capped and l.pipeline = r.pipeline and l.lane = r.lane) as lane_leases,
             (select count(*)::int from engine.workers w
              where w.ended_at is null and w.expires_at > engine.now() and r.pipeline = any (w.pipelines)) as workers_alive,
             (select count(*)::int from (
                select from engine.ready b
                where b.pipeline = r.pipeline and b.lane = r.lane and (b.priority, b.run_id) < (r.priority, r.id)
                limit 10000) before) as ahead
      from engine.runs r
      join engine.pipelines d on d.pipeline = r.pipeline
      left join engine.ready q on q.pipeline = r.pipeline and q.lane = r.lane and q.priority = r.priority and q.run_id = r.id
      left join engine.scheduled s on s.run_id = r.id
      where r.id = $1`,
    values: [runId],
  });
  return rows[0];
}
