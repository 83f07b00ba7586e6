// Schedules: cron expressions with a time zone and a stable jitter. A missed window fires once, not once per missed tick.
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { sqlStateOf } from '../platform/database-errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { checkedInput, pipelineNamed } from './enqueue.ts';
import type { Registry } from './pipeline.ts';
import { engineTime, type ScheduleRow, upsertSchedule } from './sql/schedules.ts';

/** The name is part of the key of every run it fires, which has 500 characters at most. */
const MAX_NAME_LENGTH = 400;
const MAX_JITTER_SECONDS = 30 * 86_400;
/** The class of SQLSTATEs that are about a value. */
const DATA_EXCEPTION = '22';

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

/** Refused with `schedule_invalid` or `input_invalid` when it could never fire; what was in trouble before starts afresh. */
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
  checkDraft(draft, request.nextAt);
  // Worked out also when the caller names the first moment: the second one comes from the cron expression.
  const byCron = nextFiring({ ...draft, seed: `${draft.tenantId}:${draft.name}` }, await engineTime(pool));
  return upsertSchedule(pool, { ...draft, nextAt: request.nextAt ?? byCron }).catch((error: unknown) => {
    if (sqlStateOf(error)?.startsWith(DATA_EXCEPTION) !== true) throw error;
    throw invalid(draft.name, (error as Error).message, error);
  });
}

function checkDraft(draft: { name: string; jitterSeconds: number }, nextAt: Date | undefined): void {
  const { name, jitterSeconds } = draft;
  if (name.length === 0 || name.length > MAX_NAME_LENGTH)
    throw invalid(name.slice(0, MAX_NAME_LENGTH), `a name has 1 to ${MAX_NAME_LENGTH} characters`);
  if (!Number.isInteger(jitterSeconds) || jitterSeconds < 0 || jitterSeconds > MAX_JITTER_SECONDS)
    throw invalid(name, `the jitter is a whole number of seconds from 0 to ${MAX_JITTER_SECONDS}`);
  if (nextAt !== undefined && Number.isNaN(nextAt.getTime())) throw invalid(name, 'its first moment is not a time');
}

function invalid(name: string, reason: string, cause?: unknown): MillraceError {
  return new MillraceError('schedule_invalid', { name, reason }, cause === undefined ? {} : { cause });
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
  if (!plain) throw invalid(schedule.name, 'it never fires');
  return new Date(plain.getTime() + offsetMs);
}

/** A time zone that does not exist is found out only when it is asked for a time. */
function firingAfter(schedule: { name: string; cron: string; timeZone: string }, from: Date): Date | null {
  try {
    return new Cron(schedule.cron, { timezone: schedule.timeZone, mode: '5-part', paused: true }).nextRun(from);
  } catch (error) {
    throw invalid(schedule.name, (error as Error).message, error);
  }
}

/** 0 ≤ share < 1, the same for the same seed on every machine. */
export function stableShare(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32;
}
