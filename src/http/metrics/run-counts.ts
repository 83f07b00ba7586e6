// The counts of a tenant's runs for pages that ask often. Counting a large history takes a while, so what took long is kept for longer, at most
// a minute; what is quickly counted is counted again.
import { countPhases, type PhaseCounts, type RunTotals, readRunTotals } from '../../engine/reads/count-runs.ts';
import type { LaneRow } from '../../engine/reads/read-queue.ts';
import { countFlaggedRuns } from '../../engine/reads/read-tenant-figures.ts';
import type { Queryable } from '../../platform/database.ts';

const KEPT_PER_MS = 100;
const KEPT_AT_MOST_MS = 60_000;
const TENANTS_KEPT = 1_000;

interface Kept {
  readonly totals: readonly RunTotals[];
  readonly untilMs: number;
}

const kept = new WeakMap<object, Map<string, Kept>>();

/** `owner`: the process's pool, so that two databases in one process never share counts. */
export async function countRuns(
  owner: object,
  db: Queryable,
  tenantId: string,
  lanes: readonly LaneRow[],
): Promise<Readonly<Record<string, PhaseCounts>>> {
  return countPhases(await totalsOf(owner, db, tenantId), lanes, await countFlaggedRuns(db, tenantId));
}

async function totalsOf(owner: object, db: Queryable, tenantId: string): Promise<readonly RunTotals[]> {
  const ofOwner = kept.get(owner) ?? new Map<string, Kept>();
  kept.set(owner, ofOwner);
  const known = ofOwner.get(tenantId);
  const startedMs = performance.now();
  if (known !== undefined && known.untilMs > startedMs) return known.totals;
  const totals = await readRunTotals(db, tenantId);
  const tookMs = performance.now() - startedMs;
  if (ofOwner.size >= TENANTS_KEPT) ofOwner.clear();
  ofOwner.set(tenantId, { totals, untilMs: performance.now() + keepMs(tookMs) });
  return totals;
}

/** Less than a tenth of a second is asked again at once. */
export function keepMs(tookMs: number): number {
  return tookMs < KEPT_PER_MS ? 0 : Math.min(KEPT_AT_MOST_MS, tookMs * KEPT_PER_MS);
}
