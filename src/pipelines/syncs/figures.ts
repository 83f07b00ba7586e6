// The figures of syncs over the last day.
import type { Queryable } from '../../platform/database.ts';
import { readSyncFigures, type SyncFigures } from './sql/read-figures.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function recentFigures(
  db: Queryable,
  tenantId: string | null,
  nowMs: number = Date.now(),
): Promise<SyncFigures> {
  return readSyncFigures(db, tenantId, leastId(nowMs - DAY_MS), leastId(nowMs - MINUTE_MS));
}

/** The least uuid v7 of a millisecond. */
function leastId(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
