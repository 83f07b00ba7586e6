// How fresh a connector's data is, in words a person acts on.

import { effectiveSeconds } from './cadence.ts';
import type { ConnectorRow } from './sql/connectors.ts';

/**
 * on time: the last window was kept · on track: a sync is under way, or the first one is awaited · late: a window passed without a
 * sync · failing: syncs fail and are tried again · action required: only a person can fix it
 */
const freshnessWords = ['on time', 'on track', 'late', 'failing', 'action required'] as const;
export type Freshness = (typeof freshnessWords)[number];

/** A quarter of a window late is late: the longest planned gap is 5 % more than the interval. */
const LATE_AFTER = 1.25;
const GRACE_MS = 5 * 60_000;
/** Kinds of error that trying again does not fix. */
const forPeople: ReadonlySet<string | null> = new Set(['auth', 'config', 'input']);

type Facts = Pick<
  ConnectorRow,
  | 'enabled'
  | 'disabled_at'
  | 'consecutive_failures'
  | 'last_error_kind'
  | 'last_success_started_at'
  | 'interval_seconds'
  | 'plan'
  | 'created_at'
  | 'now'
>;

/** Null for a connector that a person has switched off: nobody waits for it. */
export function freshnessOf(connector: Facts, liveStatus: string | null): Freshness | null {
  if (connector.disabled_at !== null) return 'action required';
  if (!connector.enabled) return null;
  if (connector.consecutive_failures > 0)
    return forPeople.has(connector.last_error_kind) ? 'action required' : 'failing';
  if (liveStatus === 'failed') return 'failing';
  const intervalMs = effectiveSeconds(connector.plan, connector.interval_seconds) * 1_000;
  const since = connector.last_success_started_at ?? connector.created_at;
  const isLate = connector.now.getTime() - since.getTime() > intervalMs * LATE_AFTER + GRACE_MS;
  if (isLate) return 'late';
  return liveStatus !== null || connector.last_success_started_at === null ? 'on track' : 'on time';
}
