// The scheduler: fires due schedules. Any number of processes may run it; the row lock and the run's key let one through.

import type { Queryable } from '../../platform/database.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
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
    const due = await lockDueSchedules(tx, BATCH);
    for (const schedule of due) await fire(tx, registry, schedule, log);
    failpoint('schedule.before_commit');
    return due.length;
  });
  failpoint('schedule.after_commit');
  return fired;
}

async function fire(tx: Queryable, registry: Registry, schedule: DueSchedule, log: Log): Promise<void> {
  const pipeline = registry.get(schedule.pipeline);
  // This process does not know the pipeline; one that does will fire it.
  if (pipeline === undefined) return;
  const verdict = await pipeline.gate?.(tx, {
    tenantId: schedule.tenant_id,
    name: schedule.name,
    input: schedule.input,
    dueAt: schedule.next_at,
    now: schedule.now,
  });
  const nextAt = verdict?.nextAt ?? nextByCron(schedule);
  const run = verdict?.fire === false ? undefined : await enqueueScheduled(tx, registry, schedule);
  await recordFiring(tx, { scheduleId: schedule.schedule_id, runId: run?.id ?? null, nextAt });
  if (run) log.info({ schedule: schedule.name, tenant: schedule.tenant_id, run: run.id }, 'schedule.fired');
}

function nextByCron(schedule: DueSchedule): Date {
  const { name, cron, time_zone: timeZone, jitter_seconds: jitterSeconds } = schedule;
  return nextFiring({ name, cron, timeZone, jitterSeconds, seed: `${schedule.tenant_id}:${name}` }, schedule.now);
}

async function enqueueScheduled(tx: Queryable, registry: Registry, schedule: DueSchedule) {
  const [run] = await enqueue(tx, registry, [
    {
      pipeline: schedule.pipeline,
      tenantId: schedule.tenant_id,
      input: schedule.input,
      uniqueKey: `schedule:${schedule.name}:${schedule.next_at.toISOString()}`,
      sourceId: `schedule:${schedule.name}`,
    },
  ]);
  return run;
}
