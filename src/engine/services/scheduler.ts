// The scheduler fires due schedules. Any number of processes may run it; the row lock and the run's key let one of them fire.
//
// No schedule delays another. The scheduler fires all due schedules in one transaction. If that fails, it fires each in a transaction of its own, with a
// limit on every wait, and records the fault beside the schedule: it sets a schedule aside that can never fire, skips one whose run is
// refused, and tries every other one again later.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { redactText } from '../../platform/redaction.ts';
import { enqueue } from '../enqueue.ts';
import type { Registry } from '../pipeline.ts';
import { nextFiring } from '../schedules.ts';
import {
  type DueSchedule,
  limitFiring,
  listDueSchedules,
  lockDueSchedule,
  lockDueSchedules,
  nextScheduleIn,
  postponeSchedule,
  recordFiring,
  setScheduleAside,
  type Trouble,
} from '../sql/schedules.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

export interface SchedulerOptions {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Log;
  readonly everyMs: number;
  readonly idleMs: number;
  readonly election?: Elected;
  readonly onFired: () => void;
}

const BATCH = 100;
/** A firing reads and writes a handful of rows; a lock on one of them that lasts longer delays this schedule, not the others. */
const limits = { lockMs: 1_000, statementMs: 10_000 };
const retryAfter = { firstMs: 10_000, mostMs: 900_000 };
const MAX_TROUBLE_TEXT = 500;
const PASSED_OVER_MS = 100;

export function createScheduler(options: SchedulerOptions): Service {
  const restUntil = (dueInMs: number | null) => {
    // One that is due later than the next look is found by it; one that is due already is just being fired by another process.
    if (dueInMs === null || dueInMs > options.idleMs) return undefined;
    return dueInMs <= 0 ? PASSED_OVER_MS : Math.max(1, dueInMs);
  };
  return createLoop({
    name: 'scheduler',
    ...options,
    async tick() {
      const nextInMs = () => nextScheduleIn(options.pool, [...options.registry.keys()]);
      const dueInMs = await nextInMs();
      if (dueInMs === null || dueInMs > 0) return restUntil(dueInMs);
      const fired = await fireDueSchedules(options.pool, options.registry, options.log);
      if (fired > 0) options.onFired();
      return fired === BATCH ? 0 : restUntil(await nextInMs());
    },
  });
}

/** How many of the due ones were dealt with: fired, passed over, set aside or postponed. */
export async function fireDueSchedules(pool: Pool, registry: Registry, log: Log): Promise<number> {
  try {
    return await fireTogether(pool, registry, log);
  } catch (error) {
    if (isOfConnection(error)) throw error;
    log.warn({ err: error }, 'schedules could not fire together; each fires by itself');
    return fireOneByOne(pool, registry, log);
  }
}

async function fireTogether(pool: Pool, registry: Registry, log: Log): Promise<number> {
  const fired = await withTransaction(pool, async (tx) => {
    await limitFiring(tx, limits.lockMs, limits.statementMs);
    const due = await lockDueSchedules(tx, [...registry.keys()], BATCH);
    for (const schedule of due) await fire(tx, registry, schedule, log);
    failpoint('schedule.before_commit');
    return due.length;
  });
  failpoint('schedule.after_commit');
  return fired;
}

async function fireOneByOne(pool: Pool, registry: Registry, log: Log): Promise<number> {
  const pipelines = [...registry.keys()];
  const due = await listDueSchedules(pool, pipelines, BATCH);
  for (const scheduleId of due) {
    try {
      await withTransaction(pool, async (tx) => {
        await limitFiring(tx, limits.lockMs, limits.statementMs);
        const schedule = await lockDueSchedule(tx, pipelines, scheduleId);
        if (schedule) await fire(tx, registry, schedule, log);
        failpoint('schedule.before_commit');
      });
    } catch (error) {
      if (isOfConnection(error)) throw error;
      log.error({ schedule_id: scheduleId, err: error }, 'schedule.postponed');
      await postponeSchedule(pool, scheduleId, troubleOf(error), retryAfter);
    }
  }
  return due.length;
}

async function fire(tx: Queryable, registry: Registry, schedule: DueSchedule, log: Log): Promise<void> {
  const { schedule_id: scheduleId, name, tenant_id: tenant, pipeline } = schedule;
  const verdict = await registry.get(pipeline)?.gate?.(tx, {
    tenantId: tenant,
    name,
    input: schedule.input,
    dueAt: schedule.next_at,
    now: schedule.now,
  });
  const nextAt = verdict?.nextAt ?? nextByCron(schedule);
  if (nextAt instanceof MillraceError) {
    log.error({ schedule: name, tenant, pipeline, code: nextAt.code }, 'schedule.set_aside');
    return setScheduleAside(tx, scheduleId, troubleOf(nextAt));
  }
  const run = verdict?.fire === false ? undefined : await enqueueScheduled(tx, registry, schedule);
  if (run instanceof MillraceError) {
    log.error({ schedule: name, tenant, pipeline, code: run.code }, 'schedule.refused');
    return recordFiring(tx, { scheduleId, runId: null, nextAt, trouble: troubleOf(run) });
  }
  await recordFiring(tx, { scheduleId, runId: run?.id ?? null, nextAt, trouble: null });
  if (run) log.info({ schedule: name, tenant, run: run.id }, 'schedule.fired');
}

/** The error when there is none: what is in the table was saved by another version, or not by us. */
function nextByCron(schedule: DueSchedule): Date | MillraceError {
  const { name, cron, time_zone: timeZone, jitter_seconds: jitterSeconds } = schedule;
  try {
    return nextFiring({ name, cron, timeZone, jitterSeconds, seed: `${schedule.tenant_id}:${name}` }, schedule.now);
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'schedule_invalid') return error;
    throw error;
  }
}

/** The error when the pipeline of today does not take what it took when the schedule was saved; then nothing was written. */
async function enqueueScheduled(tx: Queryable, registry: Registry, schedule: DueSchedule) {
  const { name, tenant_id: tenantId } = schedule;
  const request = {
    pipeline: schedule.pipeline,
    tenantId,
    input: schedule.input,
    uniqueKey: `schedule:${name}:${schedule.next_at.toISOString()}`,
    sourceId: `schedule:${name}`,
  };
  try {
    return (await enqueue(tx, registry, [request]))[0];
  } catch (error) {
    // Refused by the server, the transaction is of no use any more.
    if (error instanceof MillraceError && error.kind === 'input' && error.cause === undefined) return error;
    throw error;
  }
}

/** Then nothing is wrong with any schedule. */
function isOfConnection(error: unknown): boolean {
  return (
    error instanceof MillraceError && ['database_lost', 'database_unreachable', 'pool_exhausted'].includes(error.code)
  );
}

function troubleOf(error: unknown): Trouble {
  const said = redactText(error instanceof Error ? error.message : String(error)).slice(0, MAX_TROUBLE_TEXT);
  // A NUL or half a character cannot be stored.
  const text = Buffer.from(said.replaceAll('\0', '')).toString();
  return { code: error instanceof MillraceError ? error.code : 'internal', text };
}
