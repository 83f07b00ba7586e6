// The live feed over real sockets: resume without loss or repetition, one run or the whole tenant, signed-out readers, WebSocket.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Engine } from '../engine/engine.ts';
import { silentLog } from '../platform/log.ts';
import { createFeed, type FeedSource } from './live/feed.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [
    buildPipeline('plain', async () => 'complete'),
    buildPipeline('secret', async () => 'complete'),
  ]);
  await engine.start();
});
afterAll(() => engine.close());

const api = useApi(db, () => ({ engine, pipelines: { secret: { isPrivate: true } } }));
let base = '';
let tenantId = '';
let user: TestUser;
beforeAll(async () => {
  base = await api.server.listen({ host: '127.0.0.1', port: 0 });
  tenantId = await buildTenant(db);
  user = await buildUser(db, tenantId, 'user');
});

interface Message {
  readonly id: number;
  readonly type: string;
  readonly data: { run_id: string };
}

/** A reader of a stream that keeps what it got. */
function follow(path: string, token: string, headers: Record<string, string> = {}) {
  const messages: Message[] = [];
  const stop = new AbortController();
  let status = 0;
  let isEnded = false;
  const done = (async () => {
    const response = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: stop.signal,
    });
    status = response.status;
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
        const data = field('data');
        if (data) messages.push({ id: Number(field('id')), type: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
    });
  return {
    messages,
    done,
    get status() {
      return status;
    },
    get isEnded() {
      return isEnded;
    },
    stop: () => stop.abort(),
  };
}

const enqueue = async (tenant = tenantId) =>
  (await engine.enqueue({ pipeline: 'plain', tenantId: tenant, input: {} })).id;
const runsOf = (reader: { messages: Message[] }) => reader.messages.map((message) => message.data.run_id);

describe('Server-Sent Events', () => {
  it('a reader gets its tenant’s events as they happen, and nobody else’s', async () => {
    const other = await buildTenant(db, 'Other');
    const reader = follow('/v1/events/stream', user.token);
    await waitFor(() => reader.status === 200);
    await enqueue(other);
    const mine = [await enqueue(), await enqueue()];
    await waitFor(() => reader.messages.length >= 2);
    expect(new Set(runsOf(reader))).toEqual(new Set(mine));
    expect(reader.messages[0]).toMatchObject({ type: 'run.done', id: expect.any(Number) });
    reader.stop();
    await reader.done;
  });

  it('of a private pipeline a user hears of his own runs only, live and catching up; an admin of all', async () => {
    const [owner, admin] = [await buildUser(db, tenantId, 'user'), await buildUser(db, tenantId, 'admin')];
    const make = async (createdBy?: string) =>
      (await engine.enqueue({ pipeline: 'secret', tenantId, input: {}, ...(createdBy ? { createdBy } : {}) })).id;
    const readers = [user, owner, admin].map(({ token }) => follow('/v1/events/stream', token));
    await waitFor(() => readers.every(({ status }) => status === 200));
    const [theirs, nobodys] = [await make(owner.userId), await make()];
    await waitFor(() => runsOf(readers[2] as (typeof readers)[0]).length === 2);
    const last = await enqueue();
    await waitFor(() => readers.every((reader) => runsOf(reader).includes(last)));
    const heard = readers.map((reader) => new Set(runsOf(reader)));
    expect(heard).toEqual([new Set([last]), new Set([theirs, last]), new Set([theirs, nobodys, last])]);
    const position = Math.min(...readers.flatMap(({ messages }) => messages.map(({ id }) => id))) - 1;
    const late = follow(`/v1/events/stream?after=${position}`, user.token);
    await waitFor(() => runsOf(late).includes(last));
    expect(runsOf(late)).toEqual([last]);
    expect(
      (await fetch(`${base}/v1/runs/${theirs}`, { headers: { authorization: `Bearer ${user.token}` } })).status,
    ).toBe(404);
    for (const reader of [...readers, late]) {
      reader.stop();
      await reader.done;
    }
  });

  it('resuming by Last-Event-ID misses nothing and repeats nothing, while events keep coming', async () => {
    const all: string[] = [];
    const first = follow('/v1/events/stream', user.token);
    await waitFor(() => first.status === 200);
    for (let n = 0; n < 5; n++) all.push(await enqueue());
    await waitFor(() => first.messages.length === 5);
    first.stop();
    const lastId = first.messages.at(2)?.id ?? 0;
    for (let n = 0; n < 5; n++) all.push(await enqueue());
    const second = follow('/v1/events/stream', user.token, { 'last-event-id': String(lastId) });
    for (let n = 0; n < 5; n++) all.push(await enqueue());
    await waitFor(() => second.messages.length === 12);
    const before = new Set(runsOf(first).slice(0, 3));
    expect(new Set(runsOf(second))).toEqual(new Set(all.filter((runId) => !before.has(runId))));
    const ids = second.messages.map((message) => message.id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    second.stop();
  });

  it('the stream of one run holds that run’s events only; of a foreign run there is none', async () => {
    const runId = await enqueue();
    const reader = follow(`/v1/runs/${runId}/events/stream?after=0`, user.token);
    await enqueue();
    await waitFor(() => reader.messages.length > 0);
    expect(new Set(runsOf(reader))).toEqual(new Set([runId]));
    reader.stop();
    const stranger = await buildUser(db, await buildTenant(db, 'Stranger'), 'admin');
    const refused = follow(`/v1/runs/${runId}/events/stream`, stranger.token);
    await refused.done;
    expect(refused.status).toBe(404);
  });

  it('a wrong position is refused before the stream starts', async () => {
    const reader = follow('/v1/events/stream', user.token, { 'last-event-id': 'yesterday' });
    await reader.done;
    expect(reader.status).toBe(400);
  });
});

describe('WebSocket', () => {
  it('needs a credential, and carries the same events', async () => {
    const { default: WebSocket } = await import('ws' as string).catch(() => ({ default: undefined }));
    const url = `${base.replace('http', 'ws')}/v1/live?after=0`;
    const messages: string[] = [];
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${user.token}` } });
    socket.on('message', (data: Buffer) => messages.push(data.toString()));
    const runId = await enqueue();
    await waitFor(() => messages.some((text) => text.includes(runId)));
    expect(JSON.parse(messages.find((text) => text.includes(runId)) ?? '')).toMatchObject({ type: 'run.done' });
    socket.close();
    const refused = new WebSocket(url);
    const status = await new Promise((resolve) => {
      refused.on('unexpected-response', (_: unknown, response: { statusCode: number }) => resolve(response.statusCode));
      refused.on('error', () => undefined);
    });
    expect(status).toBe(401);
    expect((await api.call('live.socket', { as: user })).json()).toMatchObject({
      status: 426,
      code: 'upgrade_required',
    });
  });
});

describe('a WebSocket that was cut', () => {
  it('resumes by Last-Event-ID, or by the same position in the address: misses nothing, repeats nothing', async () => {
    const { default: WebSocket } = await import('ws' as string).catch(() => ({ default: undefined }));
    const url = `${base.replace('http', 'ws')}/v1/live`;
    const listen = (address: string, headers: Record<string, string> = {}) => {
      const seen: { position: string; run_id: string }[] = [];
      const socket = new WebSocket(address, { headers: { authorization: `Bearer ${user.token}`, ...headers } });
      socket.on('message', (data: Buffer) => seen.push(JSON.parse(data.toString())));
      const opened = new Promise((resolve) => socket.on('open', resolve));
      return { seen, opened, cut: () => socket.terminate() };
    };
    const first = listen(url);
    await first.opened;
    const all: string[] = [];
    for (let n = 0; n < 4; n++) all.push(await enqueue());
    await waitFor(() => first.seen.length === 4);
    first.cut();
    for (let n = 0; n < 3; n++) all.push(await enqueue());
    const last = first.seen.at(1)?.position ?? '';
    const readers = [listen(url, { 'last-event-id': last }), listen(`${url}?after=${last}`)];
    all.push(await enqueue());
    const heard = new Set(first.seen.slice(0, 2).map(({ run_id: runId }) => runId));
    for (const { seen, cut } of readers) {
      await waitFor(() => seen.length === 6);
      expect(new Set(seen.map(({ run_id: runId }) => runId))).toEqual(
        new Set(all.filter((runId) => !heard.has(runId))),
      );
      const positions = seen.map(({ position }) => Number(position));
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      cut();
    }
  });
});

describe('readers that are not what they should be', () => {
  it('one that takes nothing costs the others nothing, and still gets everything when it wakes up', async () => {
    const { port } = new URL(base);
    const lazy = connect(Number(port), '127.0.0.1');
    const got: Buffer[] = [];
    lazy.pause();
    lazy.write(
      `GET /v1/events/stream?type=test.big HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\n\r\n`,
    );
    const keen = follow('/v1/events/stream?type=test.big', user.token);
    await waitFor(() => keen.status === 200);
    const blob = 'x'.repeat(200_000);
    const big = (n: number) => ({
      tenantId,
      runId: null,
      type: 'test.big',
      key: `big-${n}`,
      data: JSON.stringify({ blob }),
    });
    await engine.emit(Array.from({ length: 100 }, (_, n) => big(n)));
    await waitFor(() => keen.messages.length === 100, { what: '20 MB to reach the reader' });
    lazy.on('data', (chunk) => got.push(chunk));
    lazy.resume();
    const count = () => Buffer.concat(got).toString().split('event: test.big').length - 1;
    await waitFor(() => count() === 100, { everyMs: 100, what: '20 MB to reach the lazy reader' });
    expect(count()).toBe(100);
    lazy.destroy();
    keen.stop();
  });

  it('one that never drains is dropped with a reason', async () => {
    const closed: string[] = [];
    let wake = () => undefined as unknown;
    let rows = 0;
    const row = (position: number) => ({
      position,
      event_id: position,
      tenant_id: tenantId,
      run_id: null,
      type: 't',
      key: '',
      data: {},
      created_at: new Date(),
    });
    const source: FeedSource = {
      read: async (after) => Array.from({ length: rows - after }, (_, n) => row(after + n + 1)),
      readMissed: async () => [],
      lastPosition: async () => 0,
      onEvents: (listener) => {
        wake = listener;
        return () => undefined;
      },
    };
    const feed = createFeed({ source, log: silentLog });
    const base = {
      tenantId,
      runId: undefined,
      types: undefined,
      keepAlive: () => undefined,
      isStillAllowed: async () => true,
    };
    let sent = 0;
    const send = () => ++sent < 3;
    await feed.join(
      { ...base, send, drained: async () => false, close: (reason) => void closed.push(reason) },
      undefined,
    );
    rows = 10;
    wake();
    await waitFor(() => closed.length > 0);
    expect([sent, closed]).toEqual([3, ['too_slow']]);
    feed.close();
  });

  it('a stream opened with a key ends as soon as the key is revoked in this process', async () => {
    const admin = await buildUser(db, tenantId, 'admin');
    const { token, keyId } = await buildApiKey(db, tenantId, ['runs:read']);
    const reader = follow('/v1/events/stream', token);
    await waitFor(() => reader.status === 200);
    await api.call('api-keys.revoke', { as: admin, params: { key_id: keyId } });
    await waitFor(() => reader.isEnded);
    expect(reader.status).toBe(200);
  });

  it('a reader whose credential no longer holds is closed with the next keep-alive', async () => {
    const closed: string[] = [];
    const source: FeedSource = {
      read: async () => [],
      readMissed: async () => [],
      lastPosition: async () => 0,
      onEvents: () => () => undefined,
    };
    const feed = createFeed({ source, log: silentLog, keepAliveMs: 5 });
    let isAllowed = true;
    let alive = 0;
    await feed.join(
      {
        tenantId,
        runId: undefined,
        types: undefined,
        send: () => true,
        drained: async () => true,
        keepAlive: () => {
          alive += 1;
        },
        close: (reason) => void closed.push(reason),
        isStillAllowed: async () => isAllowed,
      },
      undefined,
    );
    await waitFor(() => alive > 1);
    expect(closed).toEqual([]);
    isAllowed = false;
    await waitFor(() => closed.includes('signed_out'));
    feed.close();
    expect(closed.at(-1)).toBe('shutting_down');
  });

  it('closing the server ends the streams instead of waiting for them', async () => {
    const reader = follow('/v1/events/stream', user.token);
    await waitFor(() => reader.status === 200);
    await api.server.close();
    await waitFor(() => reader.isEnded);
    expect(reader.messages.at(-1)).toMatchObject({ type: 'closed' });
  });
});
