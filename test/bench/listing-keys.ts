// The objects of the sources bench: each is known by its number.
const HEADER = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks\n';

export function keyOf(number: number): string {
  return `in/${String(number).padStart(9, '0')}.csv`;
}

export function numberOf(key: string): number {
  return Number(/(\d{9})/.exec(key)?.[1] ?? 0);
}

/** About 1 kB. */
export function contentOfKey(key: string): Buffer {
  const number = String(numberOf(key)).padStart(9, '0');
  return Buffer.from(`${HEADER}2026-03-01,Campaign,12021${number},12.50,1000,10\n`.padEnd(1_000, ' '));
}

export function etagOfKey(key: string): string {
  return `"${String(numberOf(key)).padStart(32, 'a')}"`;
}
