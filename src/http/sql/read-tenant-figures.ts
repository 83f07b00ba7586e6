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

export interface IngestFigures {
  readonly last_failed_batch: string | null;
  readonly last_failed_at: Date | null;
  readonly failed_24h: number;
  readonly stale_runs: number;
  readonly avg_processing_s: number | null;
  readonly dead_letters: number;
}

/** The judgments specification's figures, of judgments only. The mean is over the newest thousand batches. */
export async function readIngestFigures(db: Queryable, tenantId: string): Promise<IngestFigures> {
  const { rows } = await db.query<IngestFigures>({
    name: 'http-read-ingest-figures',
    text: `
      with failed as (
        select f.run_id, f.finished_at from engine.flagged_runs f
        where f.tenant_id = $1 and f.pipeline = 'judgments' and f.phase = 'failed'
      ),
      last_failed as (
        select run_id, finished_at from failed order by finished_at desc limit 1
      ),
      newest as (
        select phase, started_at, finished_at from engine.runs
        where tenant_id = $1 and pipeline = 'judgments' order by id desc limit 1000
      )
      select
        (select count(*)::int from failed where finished_at > engine.now() - interval '24 hours') as failed_24h,
        (select finished_at from last_failed) as last_failed_at,
        (select coalesce(r.unique_key, r.id::text) from last_failed l join engine.runs r on r.id = l.run_id) as last_failed_batch,
        (select count(*)::int from ingest.v_stale_runs s join engine.runs r on r.id = s.id where r.tenant_id = $1) as stale_runs,
        (select avg(extract(epoch from finished_at - started_at))::float8 from newest where phase = 'done') as avg_processing_s,
        (select count(*)::int from ingest.dead_letters d where d.tenant_id = $1) as dead_letters`,
    values: [tenantId],
  });
  return rows[0] as IngestFigures;
}

export async function countOpenAlerts(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ open: number }>({
    name: 'http-count-open-alerts',
    text: 'select count(*)::int as open from engine.alerts where tenant_id = $1 and resolved_at is null',
    values: [tenantId],
  });
  return rows[0]?.open ?? 0;
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
  readonly schedule_id: string;
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly last_fired_at: Date | null;
  readonly next_at: Date | null;
  readonly set_aside_at: Date | null;
  readonly trouble_code: string | null;
  readonly trouble: string | null;
}

export async function listSchedules(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<ScheduleRow[]> {
  const { rows } = await db.query<ScheduleRow>({
    name: 'http-list-schedules',
    text: `
      select schedule_id, name, pipeline, cron, time_zone as timezone, enabled, last_fired_at, next_at,
             set_aside_at, trouble_code, trouble_text as trouble
      from engine.schedules where tenant_id = $1 and ($2::uuid is null or schedule_id > $2)
      order by schedule_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}
