// Stopping while clients go on sending: those that were refused and do not care, and one whose upload is really under way. SIGTERM ends
// the process within its grace, in good order.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, type Server, startServer } from './millrace-process.ts';

/** So long that who waits for it is told from who does not, on any machine. */
const LONG_GRACE_SECONDS = 120;

let database: InstallationDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

interface Sender {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly heard: () => string;
}

const settings = (graceSeconds: number) => ({
  ...database.env,
  MILLRACE_HOME: makeHome(),
  SHUTDOWN_GRACE_SECONDS: String(graceSeconds),
  POLL_INTERVAL_MS: '100',
});

/** Sends a head and then a little, for ever. */
function send(server: Server, head: readonly string[], everyMs: number): Sender {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  let text = '';
  socket.on('data', (part: Buffer) => {
    text += part.toString();
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const timer = setInterval(() => socket.write('x'.repeat(64)), everyMs);
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      clearInterval(timer);
      resolve();
    }),
  );
  return { socket, closed, heard: () => text };
}

const post = (path: string, ...more: string[]) => [
  `POST ${path} HTTP/1.1`,
  'host: 127.0.0.1',
  'content-type: multipart/form-data; boundary=b',
  ...more,
];

describe('SIGTERM', () => {
  it('does not wait for clients that were refused and go on sending', async () => {
    const server = await startServer(settings(LONG_GRACE_SECONDS));
    const senders = [
      ...Array.from({ length: 5 }, () => send(server, post('/v1/uploads', 'content-length: 900000000'), 20)),
      ...Array.from({ length: 5 }, () => send(server, post('/v1/nowhere', 'content-length: 900000000'), 20)),
    ];
    await waitFor(() => senders.every(({ heard }) => heard().includes('\r\n\r\n')), { what: 'every refusal' });
    expect(senders.map(({ heard }) => heard().split(' ')[1])).toEqual([
      ...Array.from({ length: 5 }, () => '401'),
      ...Array.from({ length: 5 }, () => '404'),
    ]);
    const ended = await within(server);
    expect(ended.code).toBe(0);
    // Refused: nothing of theirs is waited for.
    expect(ended.ms).toBeLessThan((LONG_GRACE_SECONDS * 1_000) / 2);
    await Promise.all(senders.map(({ closed }) => closed));
  });

  it('waits for an upload under way, but not longer than it may: the sender would never end', async () => {
    const server = await startServer({ ...settings(3), AUTH_ENABLED: 'false' });
    const sender = send(server, post('/v1/uploads', 'content-length: 40000000'), 50);
    sender.socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n');
    const tooLarge = send(server, post('/v1/uploads', 'content-length: 900000000'), 50);
    await waitFor(() => tooLarge.heard().includes(' 413 '), { what: 'the refusal of the large one' });
    const ended = await within(server);
    expect(ended.code).toBe(0);
    await Promise.all([sender.closed, tooLarge.closed]);
  });
});

async function within(server: Server): Promise<{ code: number | null; ms: number }> {
  const startedAt = performance.now();
  const { code } = await server.end('SIGTERM');
  return { code, ms: performance.now() - startedAt };
}
