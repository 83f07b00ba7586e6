// The scheduler: fires due schedules. Any number of processes may run it; the row lock and the run's key let one through. A schedule
// whose run is refused waits for its next time and keeps no other from its own.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { enqueue } from '../enqueue.ts';
import type { Registry } from '../pipeline.ts';
import { nextFiring } from '../schedules.ts';
import { type DueSchedule, lockDueSchedules, recordFiring } from '../sql/schedules.ts';
import { createLoop, type Service } from './loop.ts';

export interface SchedulerOptions {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Log;
  readonly everyMs: number;
  readonly onFired: () => void;
}

const BATCH = 100;

export function createScheduler(options: SchedulerOptions): Service {
  return createLoop({
    name: 'scheduler',
    everyMs: options.everyMs,
    log: options.log,
    async tick() {
      const fired = await fireDueSchedules(options.pool, options.registry, options.log);
      if (fired > 0) options.onFired();
      return fired === BATCH ? 0 : undefined;
    },
  });
}

export async function fireDueSchedules(pool: Pool, registry: Registry, log: Log): Promise<number> {
  const fired = await withTransaction(pool, async (tx) => {
    const due = await lockDueSchedules(tx, [...registry.keys()], BATCH);
    for (const schedule of due) await fire(tx, registry, schedule, log);
    failpoint('schedule.before_commit');
    return due.length;
  });
  failpoint('schedule.after_commit');
  return fired;
}

async function fire(tx: Queryable, registry: Registry, schedule: DueSchedule, log: Log): Promise<void> {
  const verdict = await registry.get(schedule.pipeline)?.gate?.(tx, {
    tenantId: schedule.tenant_id,
    name: schedule.name,
    input: schedule.input,
    dueAt: schedule.next_at,
    now: schedule.now,
  });
  const nextAt = verdict?.nextAt ?? nextByCron(schedule);
  const run = verdict?.fire === false ? undefined : await enqueueScheduled(tx, registry, schedule, log);
  await recordFiring(tx, { scheduleId: schedule.schedule_id, runId: run?.id ?? null, nextAt });
  if (run) log.info({ schedule: schedule.name, tenant: schedule.tenant_id, run: run.id }, 'schedule.fired');
}

function nextByCron(schedule: DueSchedule): Date {
  const { name, cron, time_zone: timeZone, jitter_seconds: jitterSeconds } = schedule;
  return nextFiring({ name, cron, timeZone, jitterSeconds, seed: `${schedule.tenant_id}:${name}` }, schedule.now);
}

async function enqueueScheduled(tx: Queryable, registry: Registry, schedule: DueSchedule, log: Log) {
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
    // What was accepted when it was saved, the pipeline of today does not take. Refused before anything was written: the transaction is whole.
    if (!(error instanceof MillraceError) || error.kind !== 'input') throw error;
    log.error({ schedule: name, tenant: tenantId, pipeline: schedule.pipeline, code: error.code }, 'schedule.refused');
    return undefined;
  }
}
