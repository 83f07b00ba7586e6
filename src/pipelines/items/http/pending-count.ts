// How many items are pending, counted at most every half a minute per tenant and person: the dashboard asks often, and the number needs not be exact.
const KEPT_MS = 30_000;
const MOST_KEPT = 5_000;

interface Kept {
  readonly count: number;
  readonly at: number;
}

const kept = new Map<string, Kept>();

export async function cachedCount(
  tenantId: string,
  userId: number | null,
  count: () => Promise<number>,
): Promise<number> {
  const key = `${tenantId} ${userId ?? 'all'}`;
  const known = kept.get(key);
  if (known !== undefined && performance.now() - known.at < KEPT_MS) return known.count;
  const counted = await count();
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, { count: counted, at: performance.now() });
  return counted;
}

/** Deleted or reprocessed: the next look counts again. */
export function forgetCounts(tenantId: string): void {
  for (const key of kept.keys()) if (key.startsWith(tenantId)) kept.delete(key);
}
