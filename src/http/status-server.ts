// The small server of a process without the API (worker, scheduler): /health and /metrics, nothing else. Needs no sign-in, so it says
// nothing of tenants; /metrics asks for METRICS_TOKEN wherever it can be reached from other machines.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register } from 'prom-client';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../platform/log.ts';
import { type MetricsAccess, mayReadMetrics } from './metrics/may-read-metrics.ts';
import { refreshSignGauges, watchVitals } from './metrics/sign-gauges.ts';
import { collectProcessMetrics, refreshDatabaseGauges } from './routes/system/prometheus.ts';

export interface StatusOptions extends MetricsAccess {
  /** Undefined: the first free one from FIRST_PORT on. */
  readonly port: number | undefined;
  readonly role: string;
  readonly version: string;
  readonly engine: Pick<Engine, 'pools' | 'vitals'>;
  readonly log: Log;
  /** Requests that the process answers itself, and what it adds to /health. False: not one of its own. */
  readonly own?: {
    answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
    health(): Readonly<Record<string, unknown>>;
  };
}

export interface StatusServer {
  readonly url: string;
  close(): Promise<void>;
}

const FIRST_PORT = 8081;
/** Workers on one machine that find a port by themselves. */
const PORTS = 100;

export async function startStatusServer(options: StatusOptions): Promise<StatusServer> {
  watchVitals(options.engine.vitals);
  collectProcessMetrics();
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.warn({ err: error }, 'a scrape could not be answered');
      if (response.headersSent) response.destroy();
      else send(response, 503, { error: 'the database does not answer' });
    });
  });
  const { host, port } = options;
  await (port === undefined ? listenOnFree(server, host) : listen(server, host, port));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(options: StatusOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (await options.own?.answer(request, response)) return;
  const path = new URL(request.url ?? '/', 'http://status').pathname;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, 405, { error: 'only GET is answered' });
  if (path === '/health') {
    const { role, version } = options;
    const own = options.own?.health() ?? {};
    return send(response, 200, { status: 'ok', role, version, uptime_s: Math.round(process.uptime()), ...own });
  }
  if (path !== '/metrics') return send(response, 404, { error: 'only /health and /metrics are served here' });
  if (!mayReadMetrics(options, request.socket.remoteAddress, request.headers.authorization))
    return send(response, 401, { error: 'METRICS_TOKEN is needed as a bearer token' });
  const { control, effects } = options.engine.pools;
  await refreshDatabaseGauges({ control, effects });
  await refreshSignGauges(options.engine);
  response.writeHead(200, { 'content-type': register.contentType }).end(await register.metrics());
}

function send(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

async function listenOnFree(server: Server, host: string): Promise<void> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
    try {
      return await listen(server, host, port);
    } catch (error) {
      if (!(error instanceof MillraceError && error.code === 'status_port_in_use')) throw error;
    }
  }
  return listen(server, host, 0);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new MillraceError('status_port_in_use', { host, port }) : error);
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}
