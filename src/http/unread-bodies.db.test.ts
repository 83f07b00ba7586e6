// Bodies that nobody wants: an upload refused before it was read is answered, read for a moment, and cut off when it goes on.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../test/support/ads.ts';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { adsIntake } from '../pipelines/ads/http/ads-handlers.ts';
import { defaultHttpSettings } from './app-deps.ts';
import { createUploadHandlers } from './uploads/create-upload.ts';
import { defaultUploadLimits } from './uploads/upload-limits.ts';

const MB = 1024 * 1024;
const linger = { lingerMs: 400, lingerBytes: 4 * MB };
/** What lies in the buffers of two sockets when one of them is closed. */
const UNDER_WAY_BYTES = 16 * MB;
const ANNOUNCED = 1024 * MB;

const db = useDatabase();
let bench: AdsBench;
let user: TestUser;
let reader: { token: string };
let port = 0;
let unfinished: Socket | undefined;
beforeAll(async () => {
  bench = await openAdsBench(db.appUrl);
  const tenantId = await buildTenant(db);
  user = await buildUser(db, tenantId, 'user');
  reader = await buildApiKey(db, tenantId, ['runs:read']);
});
const api = useApi(db, () => ({
  settings: { ...defaultHttpSettings, unreadBody: linger },
  engine: bench.engine,
  pipelines: { ads: { intake: adsIntake(bench.engine) } },
  handlers: createUploadHandlers({
    store: bench.store,
    limits: { ...defaultUploadLimits, ...linger },
  }),
}));
beforeAll(async () => {
  port = Number(new URL(await api.server.listen({ host: '127.0.0.1', port: 0 })).port);
  // An upload that has begun and does not go on: its key is in use.
  unfinished = connect(port, '127.0.0.1').on('error', () => undefined);
  unfinished.write(headOf({ token: user.token, isChunked: true, headers: { 'idempotency-key': 'in-use' } }));
  await waitFor(async () => {
    const { rows } = await db.admin.query(`select from idempotency_keys where key = 'in-use'`);
    return rows.length === 1;
  });
});
afterAll(() => bench.close());

interface Sender {
  readonly path?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Announce no length at all. */
  readonly isChunked?: boolean;
  /** Bytes each time; with a pause after each, or as fast as they are taken. */
  readonly pieceBytes: number;
  readonly pauseMs?: number;
}

function headOf({ path = '/v1/uploads', token, headers = {}, isChunked }: Omit<Sender, 'pieceBytes'>): string {
  const all = {
    host: 'x',
    'content-type': 'multipart/form-data; boundary=b',
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(ANNOUNCED) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Sends an upload, and goes on sending whatever is answered, until the connection is closed. */
async function keepSending(sender: Sender) {
  const { isChunked, pieceBytes, pauseMs } = sender;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let text = '';
  let sent = 0;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(headOf(sender));
  const bytes = 'x'.repeat(pieceBytes);
  const piece = Buffer.from(isChunked ? `${pieceBytes.toString(16)}\r\n${bytes}\r\n` : bytes);
  const send = () => {
    if (socket.destroyed) return;
    sent += pieceBytes;
    const isTaken = socket.write(piece);
    if (pauseMs !== undefined) setTimeout(send, pauseMs);
    else if (isTaken) setImmediate(send);
    else socket.once('drain', send);
  };
  // The answer is there before the flood: what is measured is how long it is borne.
  await waitFor(() => text !== '', { everyMs: 5 });
  send();
  await closed;
  return { status: Number(text.split(' ')[1]), sent };
}

const refusals: [status: number, why: string, sender: () => Omit<Sender, 'pieceBytes'>][] = [
  [401, 'without a credential', () => ({})],
  [403, 'with a key that may only read', () => ({ token: reader.token })],
  [404, 'to an address that does not exist', () => ({ token: user.token, path: '/v1/nowhere' })],
  [
    409,
    'under an idempotency key that is in use',
    () => ({ token: user.token, isChunked: true, headers: { 'idempotency-key': 'in-use' } }),
  ],
  [413, 'that announces more than is taken', () => ({ token: user.token })],
];

describe('an upload that is refused before it is read', () => {
  // Before the server is closed, which waits for those that are kept alive.
  afterAll(() => {
    unfinished?.destroy();
    api.server.server.closeAllConnections();
  });

  it.each(refusals)(
    '%i, %s: is answered, and cut off when it sends more than is read for courtesy',
    async (status, _, sender) => {
      const seen = await keepSending({ ...sender(), pieceBytes: 256 * 1024 });
      expect(seen.status).toBe(status);
      expect(seen.sent).toBeLessThan(linger.lingerBytes + UNDER_WAY_BYTES);
    },
  );

  it.each(refusals.slice(0, 4))('%i, %s: is cut off when it sends a little for ever', async (status, _, sender) => {
    const seen = await keepSending({ ...sender(), isChunked: true, pieceBytes: 10, pauseMs: 20 });
    expect(seen.status).toBe(status);
  });

  it('and that is short is read to its end and answered as usual', async () => {
    const url = `http://127.0.0.1:${port}/v1/uploads`;
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(2 * MB)]), 'a.csv');
    const answer = await fetch(url, { method: 'POST', body: form });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'unauthenticated']);
  });
});
