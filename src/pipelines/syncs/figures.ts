// The figures of syncs over the last day.
import type { Queryable } from '../../platform/database.ts';
import { readSyncFigures, type SyncFigures } from './sql/read-figures.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NAMES = 50;
const OTHER = 'other';

export function recentFigures(
  db: Queryable,
  tenantId: string | null,
  nowMs: number = Date.now(),
): Promise<SyncFigures> {
  const read = readSyncFigures(db, tenantId, leastId(nowMs - DAY_MS), leastId(nowMs - MINUTE_MS));
  return tenantId === null ? read.then(withFewNames) : read;
}

/** Of the whole installation: the connectors and tenants in most trouble by name, the rest as "other", so that a scrape stays small. */
function withFewNames(figures: SyncFigures): SyncFigures {
  const ended = figures.ended.toSorted((a, b) => b.dead - a.dead || b.succeeded - a.succeeded);
  const letters = figures.dead_letters.toSorted((a, b) => b.count - a.count);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const [restEnded, restLetters] = [ended.slice(NAMES), letters.slice(NAMES)];
  const otherEnded = {
    connector_id: OTHER,
    succeeded: sum(restEnded.map(({ succeeded }) => succeeded)),
    dead: sum(restEnded.map(({ dead }) => dead)),
  };
  const otherLetters = { tenant_id: OTHER, count: sum(restLetters.map(({ count }) => count)) };
  return {
    ...figures,
    ended: [...ended.slice(0, NAMES), ...(restEnded.length > 0 ? [otherEnded] : [])],
    dead_letters: [...letters.slice(0, NAMES), ...(restLetters.length > 0 ? [otherLetters] : [])],
  };
}

/** The least uuid v7 of a millisecond. */
function leastId(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
