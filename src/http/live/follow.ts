// What both transports share: from where a reader wants to follow, and whether its credential still holds.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Call } from '../call.ts';
import { splitWords } from '../run-views/find-runs.ts';
import { hiddenFrom } from '../run-views/hidden-runs.ts';
import type { Feed, Reader } from './feed.ts';

type LiveCall = Call<'live.stream'> | Call<'live.run-stream'> | Call<'live.socket'>;

/** Unsent bytes a reader may pile up before it is left alone until they are gone. */
export const MAX_BEHIND_BYTES = 256 * 1024;
/** How long that may take. */
export const DRAIN_MS = 20_000;
const MAX_READERS = 10_000;

export function feedOf(call: LiveCall): Feed {
  const { feed } = call.app;
  if (feed === undefined) throw new MillraceError('not_available', { operation: call.operation });
  if (feed.readers >= MAX_READERS) throw new MillraceError('overloaded', { seconds: 10 }, { retryAfterMs: 10_000 });
  return feed;
}

/** Last-Event-ID is what a browser sends when it reconnects; it is newer than the address. */
export function startOf(call: LiveCall): number | undefined {
  const header = call.request.headers['last-event-id'];
  const given = typeof header === 'string' && header !== '' ? header : call.query.after;
  if (given === undefined) return undefined;
  const position = Number(given);
  if (!Number.isSafeInteger(position) || position < 0) throw new MillraceError('cursor_malformed');
  return position;
}

export function readerBase(
  call: LiveCall,
  runId: string | undefined,
): Omit<Reader, 'send' | 'drained' | 'keepAlive' | 'close'> {
  const types = splitWords(call.query.type);
  const { request, app, principal } = call;
  return {
    tenantId: principal.tenantId,
    runId,
    types: types === null ? undefined : new Set(types),
    onlyOf: hiddenFrom(app, principal)?.viewerId,
    isStillAllowed: () => app.isStillAllowed(request, principal),
  };
}
