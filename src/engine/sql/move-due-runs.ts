// Runs whose time has come go from engine.scheduled to engine.ready. engine.now() is volatile: compared with it directly, all that is
// planned was read at every look (a million runs of next year slowed a drain to a quarter); (select …) asks once and uses the index.
import type { Queryable } from '../../platform/database.ts';

export interface DueRuns {
  readonly moved: number;
  /** Milliseconds until the next one is due; null when none is planned. */
  readonly next_in_ms: number | null;
}

export async function moveDueRuns(db: Queryable, limit: number): Promise<DueRuns> {
  const { rows } = await db.query<DueRuns>({
    name: 'engine-move-due-runs',
    text: `
      with due as (
        delete from engine.scheduled s
        where s.ctid = any (array(
          select ctid from engine.scheduled
          where available_at <= (select engine.now())
          order by available_at
          limit $1
          for update skip locked
        ))
        returning s.run_id, s.pipeline, s.lane, s.priority, s.solo
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id, solo)
        select pipeline, lane, priority, run_id, solo from due
        returning 1
      )
      select (select count(*)::int from queued) as moved,
             (select ceil(extract(epoch from available_at - engine.now()) * 1000)::float8
              from engine.scheduled where available_at > (select engine.now()) order by available_at limit 1) as next_in_ms`,
    values: [limit],
  });
  return rows[0] ?? { moved: 0, next_in_ms: null };
}
