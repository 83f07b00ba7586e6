// Webhooks through the command line: added, tested, received and verified, sent again, recovered after having been off.
import { execFile } from 'node:child_process';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, root, startServer } from './millrace-process.ts';

interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

const fixtures = path.join(root, 'test/fixtures');
const received: Received[] = [];
let receiver: HttpServer;
let url = '';
let database: InstallationDatabase;
let env: Record<string, string>;
let tenantId = '';

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const headers = request.headers as Record<string, string>;
    received.push({ id: headers['webhook-id'] ?? '', body, headers });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  database = await createDatabase();
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    PIPELINE_MODULES: path.join(fixtures, 'steps.pipeline.mjs'),
    POLL_INTERVAL_MS: '100',
    SHUTDOWN_GRACE_SECONDS: '3',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  };
  const made = await millrace(['tenants', 'create', 'Acme', '--json'], env);
  tenantId = (JSON.parse(made.stdout) as { tenant_id: string }).tenant_id;
});
afterAll(async () => {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
  await database.drop();
});

const webhooks = async (...args: string[]) => {
  const { stdout, stderr, code } = await millrace(['webhooks', ...args, '--json'], env);
  return { code, stderr, answer: JSON.parse(stdout || 'null') };
};

async function enqueue(): Promise<string> {
  const args = [path.join(fixtures, 'enqueue-steps.mjs'), tenantId, JSON.stringify({ steps: 1 })];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return (JSON.parse(stdout) as string[])[0] as string;
}

const about = (run: string) => received.filter(({ body }) => body.includes(run));

/** Looked up in the database: a command for each look would cost more than the delivery. */
const until = (run: string, status: string) => {
  const look = () =>
    database.query('select from engine.deliveries where run_id = $1 and status = $2 limit 1', [run, status]);
  return waitFor(async () => (await look()).length === 1, { what: `the delivery to be ${status}` });
};

it('a private address is refused unless the installation allows it', async () => {
  const { code, stderr, stdout } = await millrace(['webhooks', 'add', url, '--json'], {
    ...env,
    ALLOW_PRIVATE_WEBHOOKS: 'false',
  });
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('outbound_address_refused');
  expect(received).toHaveLength(0);
});

it('an endpoint is added and tested, gets the ends of runs signed, is sent one again and recovers what it missed', async () => {
  const { answer: added } = await webhooks('add', url, '--events', 'run.done');
  const { endpoint_id: endpoint, secret } = added as { endpoint_id: string; secret: string };
  const tested = await webhooks('test', endpoint);
  expect([tested.code, tested.answer.ok]).toEqual([0, true]);

  const server = await startServer(env);
  const run = await enqueue();
  const got = await waitFor(() => about(run)[0]);
  expect(new Webhook(secret).verify(got.body, got.headers)).toMatchObject({ type: 'run.done', data: { run_id: run } });

  await until(run, 'delivered');
  const { answer: deliveries } = await webhooks('deliveries', endpoint, '--run', run, '--status', 'delivered');
  expect(deliveries).toHaveLength(1);
  const [delivery] = deliveries;
  await webhooks('resend', endpoint, delivery.delivery_id);
  const again = await waitFor(() => about(run)[1]);
  expect(again.id).toBe(got.id);

  expect((await webhooks('disable', endpoint)).answer).toMatchObject({ enabled: false });
  const missed = await enqueue();
  await until(missed, 'failed');
  const since = '2020-01-01T00:00:00Z';
  expect((await webhooks('recover', endpoint, '--since', since)).code).not.toBe(0);
  await webhooks('enable', endpoint);
  expect((await webhooks('recover', endpoint, '--since', since)).answer).toEqual({ count: 1, preview: false });
  await waitFor(() => about(missed)[0]);

  const { answer: rotated } = await webhooks('rotate', endpoint, '--grace', '0');
  expect(rotated.secret).not.toBe(secret);
  const { answer: listed } = await webhooks('list');
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  const ended = await server.end();
  expect(ended.code).toBe(0);
  expect(ended.stderr).not.toContain(secret.slice(6));
});
