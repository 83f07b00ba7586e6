// Who hears of a source, with the built product and a receiver that really listens: its failure and its silence reach a webhook and an alert,
// each once; the audit log has who connected, changed, synced and removed it; the key of the bucket stands in none of them.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { millrace, type Server, startServer } from './millrace-process.ts';
import { remoteAdmin } from './sign-in.ts';
import { useBucket } from './use-bucket.ts';

const secret = 'the-secret-key-that-no-receiver-hears';
const bucket = useBucket('heard', secret, { ALLOW_PRIVATE_WEBHOOKS: 'true' });
const told: { path: string; body: string }[] = [];
let receiver: HttpServer;
let server: Server;
let token = '';

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    told.push({ path: request.url ?? '', body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

async function ask<T>(route: string, method = 'GET', body?: object): Promise<T> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${server.url}${route}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const parsed = (path: string) =>
  told.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
const hooks = (type: string) => parsed('/events').filter((body) => body.type === type);
const alerts = (rule: string) => parsed('/alerts').filter((body) => body.rule === rule && body.type === 'alert.opened');

async function synced(sourceId: string): Promise<string> {
  const { run_id: id } = await ask<{ run_id: string }>(`/v1/sources/${sourceId}/sync`, 'POST', {});
  return waitFor(
    async () => {
      const run = await ask<{ status: string; finished_at: string | null }>(`/v1/runs/${id}`);
      return run.finished_at === null ? undefined : run.status;
    },
    { what: `sync ${id} to end`, everyMs: 100 },
  );
}

it('a failed sync and a source without a sync for too long reach a webhook and an alert once each, and the audit log says who did what', async () => {
  server = await startServer(bucket.env);
  token = (await remoteAdmin(server.url, bucket.env)).MILLRACE_TOKEN ?? '';
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const types = ['source.synced', 'source.failed', 'source.stale'];
  await ask('/v1/webhooks', 'POST', { url: `${address}/events`, event_types: types });
  await ask('/v1/alert-sinks', 'POST', {
    kind: 'webhook',
    name: 'ops',
    url: `${address}/alerts`,
    min_severity: 'INFO',
  });
  await bucket.put('note.md', '# Note\n\nThe note is kept for ten years.\n');
  const wish = { name: 'heard', pipeline: 'documents', place: bucket.place(), credential: bucket.credential };
  const { source_id: id } = await ask<{ source_id: string }>('/v1/sources', 'POST', { ...wish, cron: '0 0 1 1 *' });

  expect(await synced(id)).toBe('synced');
  // Services repeat what they were sent.
  const act = { status: 404, code: 'NoSuchBucket', message: `${secret} opens no bucket` };
  bucket.server.fail({ method: 'GET', url: /list-type/, times: 100, act });
  expect(await synced(id)).toBe('failed');
  bucket.server.heal();
  await waitFor(async () => hooks('source.failed').length > 0 && alerts('source_failed').length > 0, {
    what: 'the failure to be heard',
  });

  // Nobody waits for days here: the time of its last listing is moved, and the server that starts finds it so.
  await server.end();
  await bucket.database.query(
    `update ingestion_sources set listed_at = listed_at - interval '400 days' where source_id = $1`,
    [id],
  );
  server = await startServer(bucket.env);
  await waitFor(async () => hooks('source.stale').length > 0 && alerts('source_stale').length > 0, {
    what: 'the silence to be heard',
  });
  const listed = await millrace(['sources', 'list'], bucket.env);
  expect(listed.stdout, listed.stderr).toMatch(/heard .*failing|heard .*stale/);

  // The next complete sync is heard after them: whatever was to be said of them again has been said.
  await ask(`/v1/sources/${id}`, 'PATCH', { jitter_seconds: 5 });
  expect(await synced(id)).toBe('synced');
  await waitFor(async () => hooks('source.synced').length === 2, { what: 'the second sync to be heard' });
  expect(hooks('source.failed')).toEqual([
    expect.objectContaining({ data: expect.objectContaining({ source_id: id, error_code: 'source_place_gone' }) }),
  ]);
  expect(hooks('source.stale')).toEqual([
    expect.objectContaining({ data: expect.objectContaining({ source_id: id }) }),
  ]);
  expect(hooks('source.synced').map(({ data }) => data)).toEqual([
    expect.objectContaining({ source_id: id, seen: 1, new: 1 }),
    expect.objectContaining({ source_id: id, seen: 1, unchanged: 1 }),
  ]);
  expect(alerts('source_failed').map(({ message }) => message)).toEqual([`[SOURCE FAILED] ${id}: source_place_gone`]);
  expect(alerts('source_stale').map(({ message }) => message)).toEqual([`[SOURCE STALE] ${id}`]);

  await ask(`/v1/sources/${id}?objects=deactivate`, 'DELETE');
  const { data: log } = await ask<{ data: { action: string; target: string; actor: unknown }[] }>('/v1/audit');
  const ours = log.filter(({ target }) => target === id);
  expect(ours.map(({ action }) => action).reverse()).toEqual([
    'sources.create',
    'sources.sync',
    'sources.sync',
    'sources.update',
    'sources.sync',
    'sources.remove',
  ]);
  const { stderr } = await server.end();
  expect(JSON.stringify([told, log]) + stderr).not.toContain(secret);
});
