// What happens to the rest of a body we have already refused. Closing at once makes most clients report a broken connection
// instead of our answer, so the rest is read and thrown away for a while; a client that goes on and on is cut off.
import type { IncomingMessage } from 'node:http';

export interface LingerLimits {
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

export const defaultLinger: LingerLimits = { lingerMs: 10_000, lingerBytes: 256 * 1024 * 1024 };

const discarding = new WeakSet<IncomingMessage>();

/** May be asked more than once: the first limits hold. */
export function discardRest(request: IncomingMessage, limits: LingerLimits = defaultLinger): void {
  if (request.complete || request.readableEnded || request.destroyed || discarding.has(request)) return;
  discarding.add(request);
  let discarded = 0;
  const cutOff = setTimeout(() => request.destroy(), limits.lingerMs).unref();
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.byteLength;
    if (discarded > limits.lingerBytes) request.destroy();
  });
  request.once('close', () => clearTimeout(cutOff));
  request.once('end', () => clearTimeout(cutOff));
  // A connection that breaks now is nobody's concern any more.
  request.on('error', () => undefined);
  request.resume();
}
