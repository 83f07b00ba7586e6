// Recurring work. A due schedule is locked while it fires, and its run carries a key made of the planned moment, so that
// three schedulers at once fire once. `due_at` is the planned moment, or later while the schedule is in trouble.
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
  /** It never fires until it is saved again. */
  readonly set_aside_at: Date | null;
  /** Why its last try did not fire. */
  readonly trouble_code: string | null;
  readonly trouble_text: string | null;
  readonly trouble_at: Date | null;
}

export interface DueSchedule extends ScheduleRow {
  /** The engine's clock, from which the next moment is reckoned. */
  readonly now: Date;
}

const dueColumns = `
  schedule_id, tenant_id, name, pipeline, cron, time_zone, jitter_seconds, input, enabled, next_at, last_fired_at, last_run_id,
  set_aside_at, trouble_code, trouble_text, trouble_at, engine.now() as now`;

const isDue = `enabled and set_aside_at is null and due_at <= (select engine.now()) and pipeline = any ($1::text[])`;

/** Only of pipelines the caller knows: however many others are due, they do not take up the batch. */
export async function lockDueSchedules(
  db: Queryable,
  pipelines: readonly string[],
  limit: number,
): Promise<DueSchedule[]> {
  const { rows } = await db.query<DueSchedule>({
    name: 'engine-lock-due-schedules',
    text: `select ${dueColumns} from engine.schedules where ${isDue} order by due_at limit $2 for update skip locked`,
    values: [pipelines, limit],
  });
  return rows;
}

/** For firing them one by one. Locks nothing. */
export async function listDueSchedules(db: Queryable, pipelines: readonly string[], limit: number): Promise<string[]> {
  const { rows } = await db.query<{ schedule_id: string }>({
    name: 'engine-list-due-schedules',
    text: `select schedule_id from engine.schedules where ${isDue} order by due_at limit $2`,
    values: [pipelines, limit],
  });
  return rows.map((row) => row.schedule_id);
}

/** Undefined when it is no longer due, or another process fires it at this moment. */
export async function lockDueSchedule(
  db: Queryable,
  pipelines: readonly string[],
  scheduleId: string,
): Promise<DueSchedule | undefined> {
  const { rows } = await db.query<DueSchedule>({
    name: 'engine-lock-due-schedule',
    text: `
      select ${dueColumns} from engine.schedules
      where schedule_id = $2 and enabled and (set_aside_at is null) is true and due_at <= (select engine.now()) and pipeline = any ($1::text[])
      for update skip locked`,
    values: [pipelines, scheduleId],
  });
  return rows[0];
}

/** Until the end of the transaction: a statement that waits for a lock, or for nothing at all, is given up. */
export async function limitFiring(db: Queryable, lockMs: number, statementMs: number): Promise<void> {
  await db.query({
    name: 'engine-limit-firing',
    text: `select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`,
    values: [String(lockMs), String(statementMs)],
  });
}

export interface Trouble {
  readonly code: string;
  readonly text: string;
}

export async function recordFiring(
  db: Queryable,
  firing: { scheduleId: string; runId: string | null; nextAt: Date; trouble: Trouble | null },
): Promise<void> {
  await db.query({
    name: 'engine-record-firing',
    text: `
      update engine.schedules
      set next_at = $3, last_fired_at = engine.now(), last_run_id = coalesce($2, last_run_id), tries = 0, not_before = null,
          trouble_code = $4, trouble_text = $5, trouble_at = case when $4::text is not null then engine.now() end
      where schedule_id = $1`,
    values: [
      firing.scheduleId,
      firing.runId,
      firing.nextAt,
      firing.trouble?.code ?? null,
      firing.trouble?.text ?? null,
    ],
  });
}

/** Never fires again until it is saved again. */
export async function setScheduleAside(db: Queryable, scheduleId: string, trouble: Trouble): Promise<void> {
  await db.query({
    name: 'engine-set-schedule-aside',
    text: `
      update engine.schedules
      set set_aside_at = engine.now(), trouble_code = $2, trouble_text = $3, trouble_at = engine.now()
      where schedule_id = $1 and set_aside_at is null`,
    values: [scheduleId, trouble.code, trouble.text],
  });
}

/** The same moment is tried again: after `firstMs`, then twice as long after each failure, `mostMs` at most. */
export async function postponeSchedule(
  db: Queryable,
  scheduleId: string,
  trouble: Trouble,
  wait: { firstMs: number; mostMs: number },
): Promise<void> {
  await db.query({
    name: 'engine-postpone-schedule',
    text: `
      update engine.schedules
      set tries = tries + 1, trouble_code = $2, trouble_text = $3, trouble_at = engine.now(),
          not_before = engine.now() + least($4 * 2.0 ^ least(tries, 30), $5) * interval '1 millisecond'
      where schedule_id = $1`,
    values: [scheduleId, trouble.code, trouble.text, wait.firstMs, wait.mostMs],
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
          jitter_seconds = excluded.jitter_seconds, input = excluded.input, enabled = excluded.enabled, next_at = excluded.next_at,
          set_aside_at = null, tries = 0, not_before = null, trouble_code = null, trouble_text = null, trouble_at = null
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

/** While it is off, its moments pass unused. */
export async function switchSchedule(db: Queryable, tenantId: string, name: string, enabled: boolean): Promise<void> {
  await db.query({
    name: 'engine-switch-schedule',
    text: `update engine.schedules set enabled = $3 where tenant_id = $1 and name = $2`,
    values: [tenantId, name, enabled],
  });
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

/** Milliseconds until the next one of these pipelines is due; null when none is planned. */
export async function nextScheduleIn(db: Queryable, pipelines: readonly string[]): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'engine-next-schedule-in',
    text: `
      select ceil(extract(epoch from due_at - engine.now()) * 1000)::float8 as ms
      from engine.schedules
      where enabled and set_aside_at is null and pipeline = any ($1::text[])
      order by due_at
      limit 1`,
    values: [pipelines],
  });
  return rows[0]?.ms ?? null;
}
