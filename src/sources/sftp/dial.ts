// A socket to a server that somebody else named: its addresses are judged first, and the connection goes to one of those.
import { connect, type Socket } from 'node:net';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { PlaceGuard } from '../place.ts';

export function dial(host: string, port: number, guard: PlaceGuard, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: guard.lookup as never });
    const fail = (error: Error & { code?: string }) => {
      socket.destroy();
      reject(
        error instanceof MillraceError
          ? error
          : new MillraceError('source_unreachable', { reason: error.code ?? error.message }, { cause: error }),
      );
    };
    socket.setTimeout(timeoutMs, () => fail(new Error('no answer in time')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      // Small packets of the protocol wait for each other otherwise.
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 10_000);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
