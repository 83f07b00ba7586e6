// The Retry-After header of an answer: seconds, or an HTTP date.

/** Nobody is believed who asks for more than a day. */
const MAX_MS = 86_400_000;

export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, MAX_MS);
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - nowMs), MAX_MS);
}
