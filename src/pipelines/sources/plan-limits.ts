// What a plan allows: how many sources, and how often the schedule may sync one. "Sync now" is never limited.
import { Cron } from 'croner';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

interface Limits {
  readonly sources: number;
  readonly minutes: number;
}

const limits: Readonly<Record<string, Limits>> = {
  free: { sources: 3, minutes: 60 },
  growth: { sources: 20, minutes: 15 },
  enterprise: { sources: 500, minutes: 1 },
};

export function requireRoom(plan: string, count: number): void {
  const { sources: limit } = limitsOf(plan);
  if (count >= limit) throw new MillraceError('source_limit_reached', { plan, limit });
}

/** By the shortest pause among the next firings. */
export function requireRareEnough(plan: string, cron: string, timeZone: string): void {
  const { minutes: minimum } = limitsOf(plan);
  const shortestMs = shortestPauseMs(cron, timeZone);
  const minutes = Math.round((shortestMs / 60_000) * 10) / 10;
  if (minutes < minimum) throw new MillraceError('source_too_often', { cron, minutes, minimum, plan });
}

function shortestPauseMs(cron: string, timeZone: string): number {
  try {
    const firings = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRuns(50);
    const pauses = firings.slice(1).map((at, index) => at.getTime() - (firings[index]?.getTime() ?? 0));
    return Math.min(Number.MAX_SAFE_INTEGER, ...pauses);
  } catch (error) {
    throw new MillraceError('schedule_invalid', { name: cron, reason: (error as Error).message }, { cause: error });
  }
}

function limitsOf(plan: string): Limits {
  const found = Object.hasOwn(limits, plan) ? limits[plan] : undefined;
  if (found === undefined) throw new MillraceError('plan_unknown', { plan });
  return found;
}
