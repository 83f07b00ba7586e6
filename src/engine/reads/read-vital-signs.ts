// Whether work and schedules move, in a few figures of the whole installation, for the doctor. As millrace_engine.
import type { Queryable } from '../../platform/database.ts';

export interface QueueSigns {
  readonly workers_alive: number;
  readonly waiting: number;
  readonly active: number;
  /** Leases whose worker has gone silent and that nobody has taken over yet. */
  readonly stale: number;
  readonly dead_letters: number;
  readonly oldest_waiting_s: number | null;
  /** Events that have waited for their position for more than a minute: no pump runs. */
  readonly events_stuck: number;
}

export interface ScheduleSigns {
  readonly enabled: number;
  readonly set_aside: number;
  readonly failing: number;
  /** Due for ten minutes, and no process that runs knows the pipeline. */
  readonly overdue: number;
  /** One of them, with its reason. */
  readonly example: string | null;
}

export async function readScheduleSigns(db: Queryable): Promise<ScheduleSigns> {
  const { rows } = await db.query<ScheduleSigns>({
    name: 'reads-schedule-signs',
    text: `
      with signs as (
        select name, pipeline, trouble_code, trouble_text, set_aside_at is not null as is_aside,
               set_aside_at is null and trouble_code is not null as is_failing,
               set_aside_at is null and trouble_code is null and due_at < (select engine.now() - interval '10 minutes') as is_overdue
        from engine.schedules
        where enabled
      )
      select count(*)::int as enabled,
             count(*) filter (where is_aside)::int as set_aside,
             count(*) filter (where is_failing)::int as failing,
             count(*) filter (where is_overdue)::int as overdue,
             (select format('"%s" of pipeline %s: %s', name, pipeline,
                            coalesce(trouble_code || ', ' || trouble_text, 'no process that runs knows the pipeline'))
              from signs where is_aside or is_failing or is_overdue
              order by is_aside desc, is_failing desc, name limit 1) as example
      from signs`,
  });
  return rows[0] as ScheduleSigns;
}

export async function readQueueSigns(db: Queryable): Promise<QueueSigns> {
  const { rows } = await db.query<QueueSigns>({
    name: 'reads-queue-signs',
    text: `
      select (select count(*) from engine.workers where ended_at is null and expires_at > engine.now()) as workers_alive,
             (select count(*) from engine.ready) as waiting,
             (select count(distinct run_id) from engine.leases) as active,
             (select count(*) from engine.stale_runs) as stale,
             (select count(*) from engine.dead_letters) as dead_letters,
             (select extract(epoch from engine.now() - min(queued_at))::float8 from engine.ready) as oldest_waiting_s,
             (select count(*) from engine.event_inbox i
              cross join lateral (select created_at from engine.events where event_id = i.event_id limit 1) e
              where e.created_at < engine.now() - interval '1 minute') as events_stuck`,
  });
  return rows[0] as QueueSigns;
}
