// How often a connector is synced: the plan's minimum, a stable moment of its own within the interval, and when it is due next.
// Reckoned from the start of the last sync that succeeded.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { stableShare } from '../../engine/schedules.ts';

export interface PlanCadence {
  readonly minimumSeconds: number;
  readonly configurable: boolean;
}

const HOUR = 3_600;

const planCadences: Readonly<Record<string, PlanCadence>> = {
  free: { minimumSeconds: 24 * HOUR, configurable: false },
  growth: { minimumSeconds: 6 * HOUR, configurable: true },
  enterprise: { minimumSeconds: HOUR, configurable: true },
};

/**
 * The interval is a minimum: no sync starts earlier than it after the last success. Off its own moment (after a manual sync, an outage, or a
 * worker that cron starts every five minutes) a connector goes back to it by small steps, always later, at most this share of the interval.
 */
const LATEST = 1.05;

export function cadenceOf(plan: string): PlanCadence {
  const cadence = Object.hasOwn(planCadences, plan) ? planCadences[plan] : undefined;
  if (cadence === undefined) throw new MillraceError('plan_unknown', { plan });
  return cadence;
}

/** Refuses an interval the plan does not allow. */
export function checkInterval(plan: string, wantedSeconds: number | null): void {
  const { minimumSeconds: minimum, configurable } = cadenceOf(plan);
  if (wantedSeconds === null || wantedSeconds === minimum) return;
  if (!configurable) throw new MillraceError('cadence_fixed', { plan, minimum: hoursOf(minimum) });
  if (wantedSeconds >= minimum) return;
  const params = { wanted: hoursOf(wantedSeconds), minimum: hoursOf(minimum), seconds: minimum, plan };
  throw new MillraceError('cadence_too_short', params);
}

/** For messages: people think of intervals in hours. */
export function hoursOf(seconds: number): number {
  return Math.round((seconds / HOUR) * 100) / 100;
}

/** The interval that holds now. A plan that was lowered since wins over what was chosen under the old one. */
export function effectiveSeconds(plan: string, wantedSeconds: number | null): number {
  const { minimumSeconds, configurable } = cadenceOf(plan);
  return configurable ? Math.max(minimumSeconds, wantedSeconds ?? 0) : minimumSeconds;
}

/** The connector's first own moment at or after `from`. Moments lie `interval` apart, offset by a stable share of it. */
export function nextSlot(connectorId: string, intervalSeconds: number, from: Date): Date {
  const intervalMs = intervalSeconds * 1_000;
  const offsetMs = Math.floor(stableShare(connectorId) * intervalMs);
  return new Date(Math.ceil((from.getTime() - offsetMs) / intervalMs) * intervalMs + offsetMs);
}

export interface CadenceQuestion {
  readonly connectorId: string;
  readonly plan: string;
  readonly wantedSeconds: number | null;
  readonly lastSuccessStartedAt: Date | null;
  readonly now: Date;
}

/** Whether a due connector is synced now, and when it is due next. However many windows were missed, it is synced once. */
export function decideWindow(question: CadenceQuestion): { fire: boolean; nextAt: Date } {
  const seconds = effectiveSeconds(question.plan, question.wantedSeconds);
  const intervalMs = seconds * 1_000;
  const nowMs = question.now.getTime();
  const lastMs = question.lastSuccessStartedAt?.getTime();
  if (lastMs !== undefined && nowMs - lastMs < intervalMs)
    return { fire: false, nextAt: new Date(lastMs + intervalMs) };
  const slot = nextSlot(question.connectorId, seconds, new Date(nowMs + intervalMs)).getTime();
  return { fire: true, nextAt: new Date(Math.min(slot, nowMs + intervalMs * LATEST)) };
}

/** When a sync planned for `dueAt` really comes: a window too soon after the last success (a manual one, say) is passed over. */
export function comesAt(dueAt: Date, lastSuccessStartedAt: Date | null, intervalSeconds: number): Date {
  const intervalMs = intervalSeconds * 1_000;
  const lastMs = lastSuccessStartedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  return dueAt.getTime() - lastMs < intervalMs ? new Date(lastMs + intervalMs) : dueAt;
}

/** When a person may trigger the next sync; null: now. Support need not ask. */
export function earliestManual(plan: string, lastSuccessStartedAt: Date | null, now: Date): Date | null {
  if (lastSuccessStartedAt === null) return null;
  const at = new Date(lastSuccessStartedAt.getTime() + cadenceOf(plan).minimumSeconds * 1_000);
  return at > now ? at : null;
}
