// A TCP proxy whose open connections can go silent: nothing is passed on any more, nothing is closed, and neither side is told.
// New connections work. What a failover by address does, or a firewall that forgot its table.
import net from 'node:net';

export interface SilentProxy {
  /** The same connection string, through the proxy. */
  through(url: string): string;
  /** All connections that are open now, from now on; how many they are. */
  silence(): number;
  /** Closes the silent ones: whoever still waits over one of them is told. */
  letGo(): void;
  /** While true, new connections are taken and never answered. */
  deaf: boolean;
  close(): Promise<void>;
}

export async function openSilentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const pairs = new Set<{ silent: boolean; readonly sockets: readonly net.Socket[] }>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port || 5432), hostname);
    const pair = { silent: proxy.deaf, sockets: [client, upstream] };
    pairs.add(pair);
    const pass = (from: net.Socket, to: net.Socket) => {
      from.on('data', (chunk) => {
        if (!pair.silent) to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        if (!pair.silent) to.destroy();
        if (pair.sockets.every(({ destroyed }) => destroyed)) pairs.delete(pair);
      });
    };
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: SilentProxy = {
    through(original) {
      const target = new URL(original);
      target.hostname = '127.0.0.1';
      target.port = String((server.address() as net.AddressInfo).port);
      return target.href;
    },
    silence() {
      for (const pair of pairs) pair.silent = true;
      return pairs.size;
    },
    letGo() {
      for (const { silent, sockets } of pairs) if (silent) for (const socket of sockets) socket.destroy();
    },
    deaf: false,
    async close() {
      for (const { sockets } of pairs) for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
