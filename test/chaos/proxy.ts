// A small TCP proxy before the server that may lose an answer: what the client sent is passed on and done, then the connection
// is cut before the client hears of it. Exactly what a failing network does to a COMMIT.
import net from 'node:net';
import type { Random } from './random.ts';

export interface CuttingProxy {
  readonly port: number;
  /** Connections cut so far, and how many of them after a COMMIT. */
  readonly cuts: { all: number; commits: number };
  /** From now on nothing is cut. */
  calm(): void;
  close(): Promise<void>;
}

const commit = Buffer.from('commit\0');

export async function openCuttingProxy(
  target: { host: string; port: number },
  random: Random,
  share: { commit: number; other: number },
): Promise<CuttingProxy> {
  const cuts = { all: 0, commits: 0 };
  const sockets = new Set<net.Socket>();
  let calm = false;
  const server = net.createServer((client) => {
    const upstream = net.connect(target.port, target.host);
    let doomed = false;
    let isCommit = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let chunks = 0;
    client.on('data', (chunk) => {
      chunks += 1;
      const commits = chunk.includes(commit);
      // The first few belong to the handshake.
      if (!calm && !doomed && chunks > 4 && random.chance(commits ? share.commit : share.other)) {
        doomed = true;
        isCommit = commits;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!doomed) return void client.write(chunk);
      // The server has answered, so it was done; nobody will hear of it.
      cuts.all += 1;
      if (isCommit) cuts.commits += 1;
      client.destroy();
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    cuts,
    calm() {
      calm = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
