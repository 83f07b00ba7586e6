// How many refusals of unknown callers one address may write into the audit log: somebody without an account must not be able to fill it.
// What goes beyond is counted in the metrics all the same.

const WINDOW_MS = 60_000;
const PER_WINDOW = 20;
const MAX_ADDRESSES = 10_000;

export function createRefusalBudget(nowMs: () => number = () => performance.now()): (address: string) => boolean {
  const spent = new Map<string, { count: number; since: number }>();
  return (address) => {
    const known = spent.get(address);
    const isCurrent = known !== undefined && nowMs() - known.since < WINDOW_MS;
    const entry = isCurrent ? known : { count: 0, since: nowMs() };
    entry.count += 1;
    spent.delete(address);
    spent.set(address, entry);
    // The first key of a Map is the one that was set longest ago.
    if (spent.size > MAX_ADDRESSES) spent.delete(spent.keys().next().value ?? '');
    return entry.count <= PER_WINDOW;
  };
}
