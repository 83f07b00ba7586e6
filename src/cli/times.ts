// Times as a person reads them.

const units: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** "3 min ago", "in 2 h", "now". */
export function relativeTime(at: string | Date, nowMs = Date.now()): string {
  const ms = new Date(at).getTime() - nowMs;
  const [size, unit] = units.find(([each]) => Math.abs(ms) >= each) ?? [1_000, 's'];
  const amount = Math.floor(Math.abs(ms) / size);
  if (amount === 0) return 'now';
  return ms < 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

/** "3 min ago", or a dash for what has not been. */
export function when(at: string | null): string {
  return at === null ? '–' : relativeTime(at);
}

/** "840 ms", "12.4 s", "3 min 20 s". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
