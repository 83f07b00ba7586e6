// An installation into which canaries are sent by every way in: configuration, passwords, keys, rows, file names, broken requests. Then
// every operation of the route table is called, and what leaves is kept: answers and their headers, log lines, metrics, webhooks, alerts.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isolationMatrix, type Things } from '../support/isolation-matrix.ts';
import { waitFor } from '../support/wait-for.ts';
import { fileName, type OperationId, people, secrets } from './canary-words.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, type Server, startServer } from './millrace-process.ts';

export interface Said {
  readonly where: string;
  readonly operation: OperationId | undefined;
  readonly text: string;
}

export interface CanaryInstallation {
  readonly said: readonly Said[];
  readonly sent: readonly { path: string; text: string }[];
  readonly log: string;
  readonly metrics: string;
  readonly database: InstallationDatabase;
}

const said: Said[] = [];
const sent: { path: string; text: string }[] = [];
const operations = new Map<OperationId, readonly [method: string, path: string]>();
let receiver: HttpServer;
let database: InstallationDatabase;
let server: Server;
let token = '';

const note = (where: string, text: string, operation?: OperationId) => said.push({ where, text, operation });

/** Everything of the installation, told once: what it said to callers, sent to receivers, logged and measured. */
export async function openCanaries(): Promise<CanaryInstallation> {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    sent.push({ path: request.url ?? '', text: `${JSON.stringify(request.headers)}\n${body}` });
    response.writeHead(request.url?.includes('refuse') ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  database = await createDatabase();
  const env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    LOG_LEVEL: 'trace',
    JWT_SECRET: secrets.jwt,
    METRICS_TOKEN: secrets.metrics,
    DISCORD_WEBHOOK_URL: `${at}/discord/${secrets.discord}`,
    SLACK_WEBHOOK_URL: `${at}/slack/${secrets.slack}`,
    PAGERDUTY_ROUTING_KEY: secrets.routing,
    PAGERDUTY_EVENTS_URL: `${at}/pagerduty`,
    ALERT_WEBHOOK_URL: `${at}/alert/${secrets.alertUrl}`,
    AIRBYTE_API_TOKEN: secrets.airbyte,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    POLL_INTERVAL_MS: '100',
    SHUTDOWN_GRACE_SECONDS: '3',
    ALERT_EVERY_SECONDS: '1',
  };
  await millrace(['tenants', 'create', 'Acme'], env);
  const made = await millrace(['users', 'create', 'admin@acme.test', '--role', 'admin', '--json'], env);
  server = await startServer(env);
  await signIn((JSON.parse(made.stdout) as { one_time_password: string }).one_time_password);
  await setUpSinks(at);
  await submit();
  await breakThings();
  await waitFor(
    async () => (await database.query(`select from engine.runs where phase in ('waiting', 'active')`)).length === 0,
    { what: 'every run to end' },
  );
  await waitFor(
    () =>
      ['/hook', '/discord', '/slack', '/pagerduty', '/alert', '/own'].every((start) =>
        sent.some(({ path }) => path.startsWith(start)),
      ),
    {
      what: 'every receiver to hear something',
    },
  );
  await readOperations();
  await callEverything();
  const metrics = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${secrets.metrics}` } })
  ).text();
  const log = (await server.end('SIGTERM')).stderr;
  return { said, sent, log, metrics, database };
}

export async function closeCanaries(): Promise<void> {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
  await database.drop();
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  operation?: OperationId,
) {
  const stop = new AbortController();
  const answer = await fetch(`${server.url}${path}`, {
    method,
    redirect: 'manual',
    signal: stop.signal,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: body instanceof FormData ? body : typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await readSome(answer, stop);
  note(`${method} ${path} ${answer.status}`, `${JSON.stringify([...answer.headers])}\n${text}`, operation);
  return { status: answer.status, body: parse(text) };
}

/** All of it, or what a stream says within a moment. */
async function readSome(answer: Response, stop: AbortController): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text();
  let text = '';
  const late = setTimeout(() => stop.abort(), 1_500);
  try {
    for await (const part of answer.body ?? []) text += Buffer.from(part as Uint8Array).toString('utf8');
  } catch {
    // Cut off by us.
  }
  clearTimeout(late);
  return text;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function signIn(oneTime: string): Promise<void> {
  const first = await ask('POST', '/v1/auth/login', { email: 'admin@acme.test', password: oneTime });
  token = String(first.body.token);
  const changed = await ask('POST', '/v1/auth/password', { current: oneTime, new: secrets.password });
  token = String(changed.body.token);
  // What a session answers with is a credential of its own; the answers above hold it on purpose.
  said.splice(0);
}

async function setUpSinks(at: string): Promise<void> {
  const url = `${at}/hook/${secrets.hook}`;
  await ask('POST', '/v1/webhooks', { url, description: 'all' }, {}, 'webhooks.create');
  await ask('POST', '/v1/alert-sinks', {
    name: 'own slack',
    kind: 'slack',
    url: `${at}/own/${secrets.tenantSink}`,
    min_severity: 'INFO',
  });
  const pager = { name: 'own pager', kind: 'pagerduty', routing_key: secrets.tenantRouting, url: `${at}/ownpager` };
  await ask('POST', '/v1/alert-sinks', pager);
}

async function submit(): Promise<void> {
  const { plaintiff, defendant, email, phone, ssn, address, campaign } = people;
  const ads = ['Campaign name,Campaign ID,Day,Amount spent (USD),Impressions,Link clicks'];
  for (let row = 0; row < 112; row += 1)
    ads.push(`${campaign},${1 + (row % 4)},2026-06-${String(1 + (row % 28)).padStart(2, '0')},1.50,100,10`);
  ads.push(`${campaign},1,${email},1.50,100,10`, `${campaign},1,2026-06-29,${ssn},100,10`);
  await upload(ads.join('\n'), `${fileName}.csv`);
  await upload(`${campaign}\u0000${ssn} ${email}`, `${fileName}.pdf`);
  await upload(`a,b\n${plaintiff},${phone}\n`, `${fileName}-two.csv`);
  const row = (number: string, amount: string, date: string) =>
    `${number},${plaintiff},${defendant},${amount},${date},Kings,${email},${phone},"${address} ${ssn}"`;
  const head = 'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email,Phone,Address';
  const rows = [row('C-1', '10', '2024-01-01'), row('', '10', '2024-01-01'), row('C-2', `${plaintiff}`, `${email}`)];
  await batch([head, ...rows].join('\n'), `${fileName}-batch.csv`, 'june');
  await batch([head, row('', '10', '2024-01-01')].join('\n'), `${fileName}-bad.csv`, 'july');
  await batch([head, row('C-9', '11', '2024-01-01')].join('\n'), `${fileName}-batch.csv`, 'june');
}

async function upload(text: string, name: string): Promise<void> {
  const form = new FormData();
  form.set('platform', 'meta');
  form.set('source', 'manual');
  form.set('file', new Blob([text]), name);
  await ask('POST', '/v1/uploads', form, {}, 'uploads.create');
}

async function batch(text: string, name: string, id: string): Promise<void> {
  const form = new FormData();
  form.set('source_batch_id', id);
  form.set('file', new Blob([text]), name);
  await ask('POST', '/v1/batches', form, {}, 'batches.create');
}

/** Requests that fail, each with something in it that must not come back. */
async function breakThings(): Promise<void> {
  const { guess, cookie } = secrets;
  const mine = token;
  token = '';
  await ask('POST', '/v1/auth/login', { email: people.email, password: guess });
  await ask('POST', '/v1/auth/login', { email: people.email, password: guess, extra: guess });
  await ask('GET', '/v1/auth/me', undefined, { authorization: `Bearer ${guess}` });
  await ask('GET', '/v1/auth/me', undefined, { cookie: `millrace_session=${cookie}`, authorization: `Basic ${guess}` });
  await ask('GET', '/metrics', undefined, { authorization: `Bearer ${guess}` });
  token = mine;
  await ask('POST', '/v1/clients', `{"name": "${guess}`);
  await ask('GET', `/v1/nothing?token=${guess}`);
  await ask('GET', `/v1/runs?after=${guess}`);
  await ask('GET', `/v1/runs?limit=${guess}`);
  await ask('POST', '/v1/connectors', { name: 'x', platform: 'meta', credentials: { token: guess } });
  await ask('POST', '/v1/alert-sinks', { name: 'x', kind: 'slack', url: `http://user:${guess}@127.0.0.1/` });
  await ask('POST', '/v1/webhooks', { url: `http://user:${guess}@127.0.0.1/`, description: 'x' });
  await ask('GET', '/v1/auth/me', undefined, { 'x-correlation-id': people.email });
}

/** Method and path of every operation, as the server itself describes them. */
async function readOperations(): Promise<void> {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: OperationId }>>;
  };
  for (const [template, methods] of Object.entries(paths))
    for (const [method, { operationId }] of Object.entries(methods))
      operations.set(operationId, [method.toUpperCase(), template.replace(/\{(\w+)\}/g, ':$1')]);
}

/** Every operation of the table, with the tenant's own ids; what takes something away comes last. */
async function callEverything(): Promise<void> {
  const things = await findThings();
  const last = (operation: string) => /remove|revoke|logout|reset|disable/.test(operation);
  const all = (Object.keys(isolationMatrix) as OperationId[]).sort((a, b) => Number(last(a)) - Number(last(b)));
  for (const operation of all) {
    const [method, path] = operations.get(operation) as [string, string];
    const probe = isolationMatrix[operation];
    // Its own session ends with it, and a changed password is another secret.
    if (operation === 'auth.logout' || operation === 'auth.password' || operation === 'live.socket') continue;
    const params: Record<string, string> =
      probe.kind === 'path' ? probe.params(things) : 'params' in probe ? (probe.params ?? {}) : {};
    const url = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? name));
    const body = probe.kind === 'body' ? probe.body(things) : 'body' in probe ? probe.body : undefined;
    const sends = method === 'GET' || method === 'DELETE' ? undefined : (body ?? {});
    await ask(method, url, sends, {}, operation);
    if (probe.kind === 'list' && probe.query)
      await ask(method, `${url}?${new URLSearchParams(probe.query(things))}`, sends, {}, operation);
  }
  // A stream is listened to for a while, all of them at the same time.
  const streams: Promise<unknown>[] = [];
  for (const run of things.allRuns)
    for (const operation of [
      'runs.show',
      'runs.events',
      'runs.attempts',
      'runs.rows',
      'rejects.list',
      'rejects.clusters',
      'rejects.download',
      'runs.verify',
      'uploads.show',
      'uploads.reading',
      'uploads.mapping',
      'uploads.original',
      'live.run-stream',
    ] as const) {
      const [method, path] = operations.get(operation) as [string, string];
      const body = method === 'GET' ? undefined : {};
      const asked = ask(method, path.replace(/:(run_id|upload_id)/, run), body, {}, operation);
      if (operation === 'live.run-stream') streams.push(asked);
      else await asked;
    }
  await Promise.all(streams);
}

async function findThings(): Promise<Things & { readonly allRuns: readonly string[] }> {
  const one = async (sql: string) => String((await database.query<{ id: string }>(sql))[0]?.id ?? 'none');
  const made = await ask('POST', '/v1/clients', { name: 'Client' }, {}, 'clients.create');
  const allRuns = (await database.query<{ id: string }>(`select id from engine.runs order by id`)).map(({ id }) => id);
  return {
    tenantId: await one(`select tenant_id as id from tenants`),
    userId: await one(`select user_id as id from users where email = 'admin@acme.test'`),
    clientId: String(made.body.client_id),
    keyId: 'none',
    membershipId: 'none',
    runId: await one(`select run_id as id from engine.rejects limit 1`),
    failedRunId: await one(`select id from engine.runs where phase = 'failed' limit 1`),
    waitingRunId: 'none',
    deadRunId: 'none',
    rejectId: await one(`select reject_id::text as id from engine.rejects limit 1`),
    connectorId: 'none',
    sourceId: 'none',
    syncId: 'none',
    alertId: await one(`select alert_id as id from engine.alerts limit 1`),
    alertRule: 'ingest_failure',
    sinkId: await one(`select sink_id as id from engine.alert_sinks where tenant_id is not null limit 1`),
    documentId: 'none',
    queryId: 'none',
    conversationId: 'none',
    jobId: await one(`select job_id as id from item_jobs limit 1`),
    itemId: await one(`select id::text from job_items limit 1`),
    exportId: 'none',
    catalogId: 'none',
    endpointId: await one(`select endpoint_id as id from engine.webhook_endpoints limit 1`),
    deliveryId: await one(`select delivery_id as id from engine.deliveries limit 1`),
    questionId: 'none',
    allRuns,
  };
}
