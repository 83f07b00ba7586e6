// How long an answer asks its caller to wait.

/** Nobody is believed who asks for more than a day. */
const MAX_MS = 86_400_000;

/** Headers as undici and the SDKs have them; the names are in small letters. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** `Retry-After`, in seconds or as an HTTP date, which is reckoned from the sender's own clock: it may be far from ours. */
export function askedWaitMs(headers: AnswerHeaders): number | undefined {
  const text = headerOf(headers, 'retry-after')?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, MAX_MS);
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  const sentAt = Date.parse(headerOf(headers, 'date') ?? '');
  const now = Number.isNaN(sentAt) ? Date.now() : sentAt;
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), MAX_MS);
}

export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
