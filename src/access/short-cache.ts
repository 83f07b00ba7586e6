// Remembers the answer to a look-up for a short time and for a bounded number of keys. Simultaneous askers share one look-up.
// What is remembered may be stale by `ttlMs`: callers choose it below the time within which a change must take effect.

export interface ShortCache<T> {
  get(key: string, load: () => Promise<T>): Promise<T>;
  forget(key: string): void;
}

interface Entry<T> {
  readonly value: Promise<T>;
  readonly expiresAtMs: number;
}

export function createShortCache<T>(options: { ttlMs: number; maxKeys: number; nowMs?: () => number }): ShortCache<T> {
  const { ttlMs, maxKeys, nowMs = () => performance.now() } = options;
  const entries = new Map<string, Entry<T>>();
  return {
    get(key, load) {
      const known = entries.get(key);
      if (known !== undefined && known.expiresAtMs > nowMs()) return known.value;
      const value = load();
      entries.delete(key);
      entries.set(key, { value, expiresAtMs: nowMs() + ttlMs });
      // A failed look-up is not an answer.
      value.catch(() => entries.get(key)?.value === value && entries.delete(key));
      if (entries.size > maxKeys) dropOldest(entries);
      return value;
    },
    forget(key) {
      entries.delete(key);
    },
  };
}

// A Map iterates in the order of insertion, so the first key is the oldest.
function dropOldest(entries: Map<string, unknown>): void {
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}
