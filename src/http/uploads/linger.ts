// What happens to the rest of a body we have already refused. Closing at once makes most clients report a broken connection
// instead of our answer, so the rest is read and thrown away for a while; a client that goes on and on is cut off.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface LingerLimits {
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

export const defaultLinger: LingerLimits = { lingerMs: 10_000, lingerBytes: 256 * 1024 * 1024 };

const discarding = new Set<IncomingMessage>();

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
  request.once('close', () => {
    clearTimeout(cutOff);
    discarding.delete(request);
  });
  request.once('end', () => clearTimeout(cutOff));
  // A connection that breaks now is nobody's concern any more.
  request.on('error', () => undefined);
  request.resume();
}

/** For a server that stops: who was refused and sends on has his answer, and is not waited for. */
export function cutOffRefused(server: Server): void {
  for (const request of discarding) if (serverOf(request.socket) === server) request.destroy();
}

function serverOf(socket: Socket): unknown {
  return 'server' in socket ? socket.server : undefined;
}
