// Recurring work. A due schedule is locked while it fires, and its run carries a key made of the planned moment, so that
// three schedulers at once fire once.
import type { Queryable } from '../../platform/database.ts';

export interface ScheduleRow {
  readonly schedule_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly jitter_seconds: number;
  readonly input: unknown;
  readonly enabled: boolean;
  readonly next_at: Date;
  readonly last_fired_at: Date | null;
  readonly last_run_id: string | null;
}

export interface DueSchedule extends ScheduleRow {
  /** The engine's clock, from which the next moment is reckoned. */
  readonly now: Date;
}

/** Only of pipelines the caller knows: however many others are due, they do not take up the batch. */
export async function lockDueSchedules(
  db: Queryable,
  pipelines: readonly string[],
  limit: number,
): Promise<DueSchedule[]> {
  const { rows } = await db.query<DueSchedule>({
    name: 'engine-lock-due-schedules',
    text: `
      select schedule_id, tenant_id, name, pipeline, cron, time_zone, jitter_seconds, input, enabled, next_at, last_fired_at,
             last_run_id, engine.now() as now
      from engine.schedules
      where enabled and next_at <= (select engine.now()) and pipeline = any ($1::text[])
      order by next_at
      limit $2
      for update skip locked`,
    values: [pipelines, limit],
  });
  return rows;
}

export async function recordFiring(
  db: Queryable,
  firing: { scheduleId: string; runId: string | null; nextAt: Date },
): Promise<void> {
  await db.query({
    name: 'engine-record-firing',
    text: `
      update engine.schedules
      set next_at = $3, last_fired_at = engine.now(), last_run_id = coalesce($2, last_run_id)
      where schedule_id = $1`,
    values: [firing.scheduleId, firing.runId, firing.nextAt],
  });
}

export interface ScheduleDraft {
  readonly scheduleId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly jitterSeconds: number;
  readonly input: string;
  readonly enabled: boolean;
  readonly nextAt: Date;
}

export async function upsertSchedule(db: Queryable, draft: ScheduleDraft): Promise<ScheduleRow> {
  const { rows } = await db.query<ScheduleRow>({
    name: 'engine-upsert-schedule',
    text: `
      insert into engine.schedules (schedule_id, tenant_id, name, pipeline, cron, time_zone, jitter_seconds, input, enabled, next_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (tenant_id, name) do update
      set pipeline = excluded.pipeline, cron = excluded.cron, time_zone = excluded.time_zone,
          jitter_seconds = excluded.jitter_seconds, input = excluded.input, enabled = excluded.enabled, next_at = excluded.next_at
      returning *`,
    values: [
      draft.scheduleId,
      draft.tenantId,
      draft.name,
      draft.pipeline,
      draft.cron,
      draft.timeZone,
      draft.jitterSeconds,
      draft.input,
      draft.enabled,
      draft.nextAt,
    ],
  });
  return rows[0] as ScheduleRow;
}

export async function listSchedules(db: Queryable, tenantId: string): Promise<ScheduleRow[]> {
  const { rows } = await db.query<ScheduleRow>({
    name: 'engine-list-schedules',
    text: `select * from engine.schedules where tenant_id = $1 order by name`,
    values: [tenantId],
  });
  return rows;
}

export async function deleteSchedule(db: Queryable, tenantId: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-delete-schedule',
    text: `delete from engine.schedules where tenant_id = $1 and name = $2`,
    values: [tenantId, name],
  });
  return rowCount === 1;
}

export async function engineTime(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>({ name: 'engine-time', text: `select engine.now() as now` });
  return rows[0]?.now ?? new Date();
}
