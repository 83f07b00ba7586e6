// Starts the API: binds the port, says where it listens, and stops in order: no new requests, streams closed, running ones finished.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pruneSpentRows } from '../access/prune.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { createApp } from './app.ts';
import type { AppDeps } from './app-deps.ts';

export interface RunningApi {
  readonly url: string;
  readonly server: FastifyInstance;
  /** Waits for the requests under way; when `hurry` aborts, they are cut off. */
  close(hurry?: AbortSignal): Promise<void>;
}

const PRUNE_EVERY_MS = 600_000;

export async function startApi(deps: AppDeps): Promise<RunningApi> {
  const { host, port } = deps.settings;
  const server = await createApp(deps);
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new MillraceError('port_in_use', { host, port });
    throw error;
  }
  const pruning = setInterval(() => {
    pruneSpentRows(deps.pool).catch((error: unknown) => deps.log.warn({ err: error }, 'spent rows were not pruned'));
  }, PRUNE_EVERY_MS).unref();
  const address = server.server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  return {
    url,
    server,
    async close(hurry) {
      clearInterval(pruning);
      const cutOff = () => server.server.closeAllConnections();
      hurry?.addEventListener('abort', cutOff, { once: true });
      const closed = server.close();
      if (hurry?.aborted) cutOff();
      await closed;
      hurry?.removeEventListener('abort', cutOff);
    },
  };
}
