// Schedules: cron expressions with a time zone and a stable jitter. A missed window fires once, not once per missed tick.
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { checkedInput, pipelineNamed } from './enqueue.ts';
import type { Registry } from './pipeline.ts';
import { engineTime, type ScheduleRow, upsertSchedule } from './sql/schedules.ts';

export interface ScheduleRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly pipeline: string;
  /** Five fields, e.g. "0 6 * * 1-5". */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone?: string;
  /** Each firing is moved by a stable share of this, so that a thousand schedules at 06:00 do not fire as one. */
  readonly jitterSeconds?: number;
  readonly input?: unknown;
  readonly enabled?: boolean;
  /** When it is due first. Default: the next moment of its cron expression. */
  readonly nextAt?: Date;
}

export async function saveSchedule(
  pool: Queryable,
  registry: Registry,
  request: ScheduleRequest,
): Promise<ScheduleRow> {
  const pipeline = pipelineNamed(registry, request.pipeline);
  const draft = {
    scheduleId: uuidv7(),
    tenantId: request.tenantId,
    name: request.name,
    pipeline: pipeline.name,
    cron: request.cron,
    timeZone: request.timeZone ?? 'UTC',
    jitterSeconds: request.jitterSeconds ?? 0,
    input: checkedInput(pipeline, request.input ?? {}).json,
    enabled: request.enabled ?? true,
  };
  return upsertSchedule(pool, {
    ...draft,
    nextAt: request.nextAt ?? nextFiring({ ...draft, seed: `${draft.tenantId}:${draft.name}` }, await engineTime(pool)),
  });
}

/** The first moment after `after`, jitter included. */
export function nextFiring(
  schedule: { name: string; cron: string; timeZone: string; jitterSeconds: number; seed: string },
  after: Date,
): Date {
  // Whole milliseconds: with a fraction, the moment after a firing could be that firing again.
  const offsetMs = Math.floor(stableShare(schedule.seed) * schedule.jitterSeconds * 1000);
  // The plain moment may lie before `after` while its jittered one is still to come.
  const from = new Date(after.getTime() - offsetMs);
  const plain = firingAfter(schedule, from);
  if (!plain) throw new MillraceError('schedule_invalid', { name: schedule.name, reason: 'it never fires' });
  return new Date(plain.getTime() + offsetMs);
}

/** A time zone that does not exist is found out only when it is asked for a time. */
function firingAfter(schedule: { name: string; cron: string; timeZone: string }, from: Date): Date | null {
  try {
    return new Cron(schedule.cron, { timezone: schedule.timeZone, mode: '5-part', paused: true }).nextRun(from);
  } catch (error) {
    throw new MillraceError(
      'schedule_invalid',
      { name: schedule.name, reason: (error as Error).message },
      { cause: error },
    );
  }
}

/** 0 ≤ share < 1, the same for the same seed on every machine. */
function stableShare(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32;
}
