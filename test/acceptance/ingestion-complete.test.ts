// Who hears that an upload is in: the rules of the alerts, the audit log, the live feeds and webhooks. Each once, on the real server.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, type Server, startServer } from './millrace-process.ts';

const NAME = 'IngestionCompleteEvent';

interface Told {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const told: Told[] = [];
let receiver: HttpServer;
let database: InstallationDatabase;
let server: Server;
let headers: Record<string, string> = {};

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    told.push({ path: request.url ?? '', body: JSON.parse(body) as Record<string, unknown> });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  database = await createDatabase();
  server = await startServer({
    ...database.env,
    MILLRACE_HOME: makeHome(),
    POLL_INTERVAL_MS: '100',
    SHUTDOWN_GRACE_SECONDS: '3',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  });
  const [, email, password] = /^sign in +(\S+) with the password (\S+)/m.exec(server.lines.join('\n')) ?? [];
  const { token } = await ask<{ token: string }>('/v1/auth/login', { email, password });
  headers = { authorization: `Bearer ${token}` };
});
afterAll(async () => {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
  await database.drop();
});

async function ask<T>(route: string, body?: object | FormData): Promise<T> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${server.url}${route}`, {
    headers: { ...headers, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${route}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

interface FeedEvent {
  readonly type: string;
  readonly run_id: string;
  readonly data: Record<string, unknown>;
}

/** Everything that the stream says, as it says it. */
async function followStream(signal: AbortSignal): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const answer = await fetch(`${server.url}/v1/events/stream`, { headers, signal });
  void (async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) events.push(JSON.parse(data) as FeedEvent);
      }
    }
  })().catch(() => undefined);
  return events;
}

async function followSocket(): Promise<{ events: FeedEvent[]; close(): void }> {
  const events: FeedEvent[] = [];
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/live`, { headers });
  socket.addEventListener('message', ({ data }) => events.push(JSON.parse(String(data)) as FeedEvent));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the socket was refused')));
  });
  return { events, close: () => socket.close() };
}

function exportOf(days: number): FormData {
  const rows = Array.from(
    { length: days },
    (_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Spring,1001,1.5,100,5`,
  );
  const form = new FormData();
  form.set('platform', 'meta');
  const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
  form.set('file', new Blob([`${[header, ...rows].join('\n')}\n`]), 'june.csv');
  return form;
}

it('a completed upload reaches an alert rule, the audit log, both live feeds and a webhook, each exactly once', async () => {
  const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await ask('/v1/alert-rules', { kind: 'event', name: 'upload_in', event: 'ingestion_complete', pipeline: 'ads' });
  await ask('/v1/alert-sinks', { kind: 'webhook', name: 'ops', url: `${hooks}/alerts`, min_severity: 'INFO' });
  await ask('/v1/webhooks', { url: `${hooks}/events`, event_types: [NAME] });
  const stop = new AbortController();
  const stream = await followStream(stop.signal);
  const socket = await followSocket();

  const heard = {
    stream: () => ids(stream.filter(({ type }) => type === NAME).map(({ data }) => data.upload_id)),
    socket: () => ids(socket.events.filter(({ type }) => type === NAME).map(({ data }) => data.upload_id)),
    webhook: () => ids(told.filter(({ path }) => path === '/events').map(({ body }) => eventOf(body).run_id)),
    alert: () => ids(told.filter(({ path }) => path === '/alerts').map(({ body }) => body.run_id)),
    audit: async () => {
      const { data } = await ask<{ data: { action: string; target: string }[] }>('/v1/audit');
      return ids(data.filter(({ action }) => action === 'ads.ingested').map(({ target }) => target));
    },
  };
  const everybody = () => Promise.all(Object.values(heard).map((of) => of()));
  const upload = async (days: number) => {
    const { upload_id: run } = await ask<{ upload_id: string }>('/v1/uploads', exportOf(days));
    await waitFor(async () => (await everybody()).every((runs) => runs.includes(run)), {
      everyMs: 200,
      what: `everybody to have heard of ${run}`,
    });
    return run;
  };
  // When all have heard of the second one, whatever was to be said again of the first has been said.
  const runs = [await upload(5), await upload(6)];
  expect(await everybody()).toEqual(Object.keys(heard).map(() => runs));
  socket.close();
  stop.abort();

  const [run] = runs;
  const event = {
    upload_id: run,
    client_id: null,
    platform: 'meta',
    status: 'completed',
    metrics: expect.objectContaining({ total_rows: 5, promoted_rows: 5, failed_rows: 0 }),
    affected_dates: ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05'],
  };
  expect(stream.find(({ type }) => type === NAME)).toMatchObject({ run_id: run, data: event });
  expect(socket.events.find(({ type }) => type === NAME)).toMatchObject({ run_id: run, data: event });
  // A webhook says which run and how it ended; the rest is asked of the API.
  expect(told.find(({ path }) => path === '/events')?.body).toMatchObject({
    type: NAME,
    data: { status: 'completed' },
  });
  expect(told.find(({ path }) => path === '/alerts')?.body).toMatchObject({
    type: 'alert.opened',
    rule: 'upload_in',
    message: `[INGESTION COMPLETE] ${run}: completed, 5 rows promoted, 0 failed`,
  });
});

const eventOf = (body: Record<string, unknown>) => body.data as Record<string, unknown>;
/** In the order of their making, which is that of the runs. */
const ids = (found: readonly unknown[]) => found.map(String).sort();
