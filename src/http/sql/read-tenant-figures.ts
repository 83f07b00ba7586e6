// Figures of one tenant for its dashboard, from the narrow tables, under its row-level security.
import type { Queryable } from '../../platform/database.ts';

export interface FlaggedCount {
  readonly pipeline: string;
  readonly phase: string;
  readonly count: number;
}

/** Ends that somebody may want to look at; plain successes are not counted, they are the rest. */
export async function countFlaggedRuns(db: Queryable, tenantId: string): Promise<FlaggedCount[]> {
  const { rows } = await db.query<FlaggedCount>({
    name: 'http-count-flagged-runs',
    text: `
      select pipeline, phase, count(*)::int as count
      from engine.flagged_runs where tenant_id = $1
      group by pipeline, phase`,
    values: [tenantId],
  });
  return rows;
}

export interface FailureFigures {
  readonly failed_24h: number;
  readonly last_failed_at: Date | null;
  readonly last_failed_batch: string | null;
  readonly dead_letters: number;
}

export async function readFailureFigures(db: Queryable, tenantId: string): Promise<FailureFigures> {
  const { rows } = await db.query<FailureFigures>({
    name: 'http-read-failure-figures',
    text: `
      with last_failed as (
        select f.run_id, f.finished_at from engine.flagged_runs f
        where f.tenant_id = $1 and f.phase in ('failed', 'dead')
        order by f.finished_at desc limit 1
      )
      select
        (select count(*)::int from engine.flagged_runs f
         where f.tenant_id = $1 and f.phase in ('failed', 'dead') and f.finished_at > engine.now() - interval '24 hours') as failed_24h,
        (select finished_at from last_failed) as last_failed_at,
        (select coalesce(r.unique_key, b.original_name, r.id::text)
         from last_failed l
         join engine.runs r on r.id = l.run_id
         left join engine.blobs b on b.blob_id = r.blob_id) as last_failed_batch,
        (select count(*)::int from engine.dead_letters d where d.tenant_id = $1) as dead_letters`,
    values: [tenantId],
  });
  return rows[0] ?? { failed_24h: 0, last_failed_at: null, last_failed_batch: null, dead_letters: 0 };
}

/** Mean over the newest thousand runs that are done. */
export async function readMeanSeconds(db: Queryable, tenantId: string): Promise<number | null> {
  const { rows } = await db.query<{ mean_s: number | null }>({
    name: 'http-read-mean-seconds',
    text: `
      select avg(extract(epoch from finished_at - started_at))::float8 as mean_s
      from (
        select phase, started_at, finished_at from engine.runs where tenant_id = $1 order by id desc limit 1000
      ) newest
      where phase = 'done'`,
    values: [tenantId],
  });
  return rows[0]?.mean_s ?? null;
}

export interface PauseRow {
  readonly pipeline: string;
  readonly lane: string;
  readonly paused_at: Date;
  readonly paused_by: string;
}

/** Pauses of the whole pipeline and of the given lanes of it. */
export async function readPauses(db: Queryable, lanes: readonly string[]): Promise<PauseRow[]> {
  const { rows } = await db.query<PauseRow>({
    name: 'http-read-pauses',
    text: `select pipeline, lane, paused_at, paused_by from engine.pauses where lane = '' or lane = any ($1)`,
    values: [lanes],
  });
  return rows;
}

export interface ScheduleRow {
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly last_fired_at: Date | null;
  readonly next_at: Date | null;
}

export async function listSchedules(db: Queryable, tenantId: string): Promise<ScheduleRow[]> {
  const { rows } = await db.query<ScheduleRow>({
    name: 'http-list-schedules',
    text: `
      select name, pipeline, cron, time_zone as timezone, enabled, last_fired_at, next_at
      from engine.schedules where tenant_id = $1
      order by name limit 1000`,
    values: [tenantId],
  });
  return rows;
}
