// Webhooks on a test database: a receiver on loopback that fails on demand, and the services with small timings.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTenant } from '../../src/access/tenant-session.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { addEndpoint } from '../../src/outbound/webhooks/endpoints.ts';
import { createWebhookLoops, createWebhookService } from '../../src/outbound/webhooks/webhook-service.ts';
import { defaultWebhookSettings, type WebhookSettings } from '../../src/outbound/webhooks/webhook-settings.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { TestDatabase } from './database.ts';

export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly id: string;
}

export type Answering = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly url: string;
  /** Everything that came in, whatever was answered. */
  readonly received: Received[];
  /** What was answered 2xx. */
  readonly accepted: Received[];
  /** How the next requests are answered. */
  answer: Answering;
  close(): Promise<void>;
}

const ok: Answering = (_request, response) => response.writeHead(204).end();
const hang: Answering = () => {};
const reset: Answering = (request) => request.socket.destroy();
const status =
  (code: number, headers: Record<string, string> = {}, text = ''): Answering =>
  (_request, response) =>
    response.writeHead(code, headers).end(text);

export const answers = { ok, hang, reset, status };

export async function startReceiver(answer: Answering = answers.ok): Promise<Receiver> {
  const received: Received[] = [];
  const accepted: Received[] = [];
  const receiver = { received, accepted, answer } as { -readonly [K in keyof Receiver]: Receiver[K] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const headers = request.headers as Record<string, string>;
    const one = { path: request.url ?? '', headers, body, id: headers['webhook-id'] ?? '' };
    received.push(one);
    response.on('finish', () => {
      if (response.statusCode < 300) accepted.push(one);
    });
    receiver.answer(request, response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return receiver;
}

export const testBox = createSecretBox(Buffer.alloc(32, 9));

export const quickWebhooks: WebhookSettings = {
  ...defaultWebhookSettings,
  allowPrivate: true,
  // A receiver that answers is heard, however busy the machine; tests of one that does not have a limit of their own.
  timeoutMs: 60_000,
  pollMs: 20,
  drainMs: 100,
  leaseMarginMs: 600,
  retryTableMs: [10, 20, 40, 40, 40, 40, 40, 40],
};

export function webhooksFor(
  database: TestDatabase,
  settings: Partial<WebhookSettings> = {},
  log: Log = silentLog,
  resolve?: (hostname: string) => Promise<readonly string[]>,
) {
  const deps = {
    pool: database.engine,
    box: testBox,
    settings: { ...quickWebhooks, ...settings },
    ...(resolve ? { resolve } : {}),
  };
  return {
    deps,
    service: createWebhookService(deps),
    services: (engine: Pick<Engine, 'onEvents'>) =>
      createWebhookLoops({ ...deps, log, feedPool: database.engine, onEvents: engine.onEvents }),
  };
}

export function buildEndpoint(
  database: TestDatabase,
  tenantId: string,
  given: { url: string; eventTypes?: readonly string[]; description?: string },
) {
  return inTenant(database.app, tenantId, (db) =>
    addEndpoint(db, { box: testBox, settings: quickWebhooks }, tenantId, {
      url: given.url,
      description: given.description ?? '',
      eventTypes: given.eventTypes ?? ['*'],
      createdBy: null,
    }),
  );
}
