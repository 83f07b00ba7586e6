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
    name: 'reads-count-flagged-runs',
    text: `
      select pipeline, phase, count(*)::int as count
      from engine.flagged_runs where tenant_id = $1
      group by pipeline, phase`,
    values: [tenantId],
  });
  return rows;
}

export interface PauseRow {
  readonly pipeline: string;
  readonly lane: string;
  readonly paused_at: Date;
  readonly paused_by: string;
}

/** Pauses of the whole pipeline and of the given lanes of it. Looked up by key for each pipeline: paused lanes may be thousands. */
export async function readPauses(db: Queryable, lanes: readonly string[]): Promise<PauseRow[]> {
  const { rows } = await db.query<PauseRow>({
    name: 'reads-pauses',
    text: `
      select z.pipeline, z.lane, z.paused_at, z.paused_by
      from engine.pipelines p
      cross join (select distinct unnest($1::text[] || ''::text) as lane) given
      cross join lateral (select * from engine.pauses x where x.pipeline = p.pipeline and x.lane = given.lane limit 1) z`,
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
    name: 'reads-list-schedules',
    text: `
      select schedule_id, name, pipeline, cron, time_zone as timezone, enabled, last_fired_at, next_at,
             set_aside_at, trouble_code, trouble_text as trouble
      from engine.schedules where tenant_id = $1 and ($2::uuid is null or schedule_id > $2)
      order by schedule_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}
