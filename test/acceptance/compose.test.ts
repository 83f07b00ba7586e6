// The services of the compose files without an engine: each is started as they say, with its own command, environment and health check; only hosts, ports,
// paths and the names of logins are those of this machine. What the files say is checked in src/main/deployment.test.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Composed, type ComposeVariant, compose } from '../support/compose-files.ts';
import { startS3Server } from '../support/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, type Server, startServer, startStatusProcess } from './millrace-process.ts';

const ours = ['api', 'worker', 'ingest-worker'] as const;
const INGEST_LOGIN = 'millrace_ingest';
let database: InstallationDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(
    `do $$ begin
       if not exists (select from pg_roles where rolname = '${INGEST_LOGIN}') then
         create role ${INGEST_LOGIN} login noinherit password 'ingest-password';
       end if;
     end $$`,
  );
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

interface Site {
  readonly home: string;
  readonly workerUrl?: string;
  readonly sqs?: string;
}

/** The environment of a service on this machine. */
function environmentOf(service: string, composed: Composed, { home, workerUrl, sqs }: Site): Record<string, string> {
  const given = composed.services[service]?.environment ?? {};
  const { login, password } = inject('testServer');
  const here = (value: string) => {
    if (value.startsWith('postgres://')) {
      const url = new URL(new URL(value).username === 'millrace_owner' ? database.adminUrl : database.appUrl);
      if (new URL(value).username === INGEST_LOGIN) [url.username, url.password] = [INGEST_LOGIN, 'ingest-password'];
      else if (new URL(value).username === 'millrace') [url.username, url.password] = [login, password];
      return url.href;
    }
    return value
      .replace('http://ingest-worker:8002', workerUrl ?? '')
      .replace('http://queue:4566', sqs ?? '')
      .replace(/^\/data\//, `${home}/data/`)
      .replace(/^0\.0\.0\.0$/, '127.0.0.1');
  };
  return {
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, here(value)])),
    MILLRACE_HOME: path.join(home, service),
    ...(service === 'ingest-worker' ? { INGEST_WORKER_PORT: '0' } : {}),
    ...(service === 'worker' ? { METRICS_PORT: '0' } : {}),
    SHUTDOWN_GRACE_SECONDS: '3',
    POLL_INTERVAL_MS: '200',
  };
}

async function signIn(server: Server): Promise<string> {
  const [, email, made] = /^sign in\s+(\S+) with the password (\S+)/m.exec(server.lines.join('\n')) ?? [];
  const address = email ?? /^sign in\s+(\S+)/m.exec(server.lines.join('\n'))?.[1];
  const call = async (route: string, body: object, token?: string) => {
    const answer = await fetch(server.url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { token: string }).token;
  };
  const own = 'a long enough password';
  if (made === undefined) return call('/v1/auth/login', { email: address, password: own });
  return call(
    '/v1/auth/password',
    { current: made, new: own },
    await call('/v1/auth/login', { email, password: made }),
  );
}

/** Runs the service's own health check against where it listens here. */
function isHealthy(composed: Composed, service: string, url: string): boolean {
  const [, program = '', ...words] = composed.services[service]?.healthcheck?.test ?? [];
  const here = words.map((word) => word.replace(/http:\/\/127\.0\.0\.1:\d+/, url));
  return program === 'node' && spawnSync(process.execPath, here).status === 0;
}

/** Uploads a document to the API, waits for its end, and says how it ended and which pipelines its worker knows. */
async function useServices(
  variant: ComposeVariant,
  sqs?: string,
): Promise<{ status: string; workers: string[][]; healthy: string[] }> {
  const home = makeHome();
  for (const folder of ['data/uploads', 'data/artifacts', ...ours])
    mkdirSync(path.join(home, folder), { recursive: true });
  const composed = compose(variant);
  const site: Site = { home, ...(sqs === undefined ? {} : { sqs }) };
  const command = (service: string) => composed.services[service]?.command?.[0] ?? '';
  const start = (service: string, at: Site) =>
    startStatusProcess(command(service), environmentOf(service, composed, at));
  const api = await startServer(environmentOf('api', composed, site), command('api'));
  const ingest = await start('ingest-worker', site);
  const workerUrl = ingest.url.replace('/metrics', '');
  const worker = await start('worker', { ...site, workerUrl });
  const addresses = { api: api.url, 'ingest-worker': workerUrl, worker: worker.url.replace('/metrics', '') };
  const healthy = ours.filter((service) => isHealthy(composed, service, addresses[service]));
  // The development override asks nobody to sign in.
  const isOpen = composed.services.api?.environment.AUTH_ENABLED === 'false';
  const headers: Record<string, string> = isOpen ? {} : { authorization: `Bearer ${await signIn(api)}` };
  const form = new FormData();
  form.set(
    'file',
    new Blob([`# ${variant}\n\nContracts are kept for ten years. ${variant} brought this one.\n`]),
    'file.md',
  );
  const sent = await fetch(`${api.url}/v1/ingest`, { method: 'POST', headers, body: form });
  const { run_id: runId } = (await sent.json()) as { run_id: string };
  expect(sent.status).toBe(202);
  const run = await waitFor(
    async () => {
      const answer = await fetch(`${api.url}/v1/ingestion-runs/${runId}`, { headers });
      const body = (await answer.json()) as { status: string; error: string | null };
      return ['succeeded', 'failed'].includes(body.status) ? body : undefined;
    },
    { what: `the run over ${variant}` },
  );
  const worked = await database.query<{ pipelines: string[] }>(
    `select w.pipelines from engine.all_attempts a join engine.workers w on w.worker_id = a.worker_id where a.run_id = $1`,
    [runId],
  );
  const health = (await (await fetch(`${workerUrl}/health`)).json()) as Record<string, unknown>;
  const mode = composed.services.worker?.environment.INGEST_MODE;
  expect(health).toMatchObject({ status: 'ok', role: 'ingest-worker', mode, slots: 3 });
  for (const each of [worker, ingest, api]) expect((await each.end()).code).toBe(0);
  return { status: run.status, workers: worked.map(({ pipelines }) => pipelines), healthy };
}

describe('api, worker and ingest-worker as compose starts them', () => {
  const done = { status: 'succeeded', workers: [['documents']], healthy: [...ours] };

  it('work together over the ledger', async () => {
    expect(await useServices('ledger')).toEqual(done);
  });

  it('work together over HTTP', async () => {
    expect(await useServices('http')).toEqual(done);
  });

  it('work together without a sign-in, as the development override has it', async () => {
    expect(await useServices('development')).toEqual(done);
  });

  it('work together over SQS', async () => {
    const server = await startS3Server();
    const keys = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
    const client = new SQSClient({ endpoint: server.endpoint, region: 'us-east-1', credentials: keys });
    try {
      for (const name of ['ingest_jobs', 'ingest_dead']) await client.send(new CreateQueueCommand({ QueueName: name }));
      expect(await useServices('queue', server.endpoint)).toEqual(done);
    } finally {
      client.destroy();
      await server.close();
    }
  });

  it('the login of the ingest worker becomes the engine and documents_worker, and reads no credential of a source', async () => {
    const url = new URL(database.appUrl);
    [url.username, url.password] = [INGEST_LOGIN, 'ingest-password'];
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const denied = (sql: string) =>
      client.query(sql).then(
        () => `${sql}: allowed`,
        (error: { code?: string }) => error.code,
      );
    try {
      for (const role of ['millrace_app', 'millrace_operator', 'sources_worker', 'sources_services', 'documents_api'])
        expect([role, await denied(`set role ${role}`)]).toEqual([role, '42501']);
      for (const role of ['none', 'millrace_engine', 'documents_worker']) {
        await client.query(`set role ${role}`);
        for (const table of ['public.ingestion_sources', 'public.connectors', 'public.users'])
          expect([role, table, await denied(`select * from ${table}`)]).toEqual([role, table, '42501']);
      }
    } finally {
      await client.end();
    }
  });
});
