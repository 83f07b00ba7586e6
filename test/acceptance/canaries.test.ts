// Secrets and personal data are sent in by every door: configuration, passwords, keys, rows, file names, broken requests. Then every
// operation of the route table is called and everything that leaves is searched: answers and their headers, log lines, metrics, live
// feeds, webhooks, alerts, and the tables of events, audit and sends. A secret stands nowhere. Personal data stands only in the answers
// whose purpose is to show it to its owner; they are listed with the reason.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findHidden } from '../support/canary-spellings.ts';
import { isolationMatrix, type Things } from '../support/isolation-matrix.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type EmptyDatabase } from './empty-database.ts';
import { cleanUp, makeHome, millrace, type Server, startServer } from './millrace-process.ts';

type OperationId = keyof typeof isolationMatrix;

const secrets = {
  jwt: 'jwtCanary-7Qm4Zt9XbV2Lk8Rw3Ns6Yd1Hc5Pf0Gj',
  metrics: 'metricsCanary-4Tz8Wq2Lm6',
  discord: 'discordCanary-9Xc3Vb7Nm1',
  slack: 'slackCanary-2Hj6Kl0Pq4',
  routing: 'routingCanary8Rt5Yu1Io3',
  alertUrl: 'alertUrlCanary-6Sd9Fg2Hj',
  airbyte: 'airbyteCanary-3Zx7Cv1Bn5',
  password: 'passwordCanary-5Qw9Er3Ty7',
  guess: 'guessCanary-1Az5Sx9Dc3',
  tenantSink: 'tenantSinkCanary-8Vf2Bg6Nh',
  tenantRouting: 'tenantRoutingCanary4Mj8Ki',
  hook: 'hookCanary-7Lo1Pz5Xa9',
  cookie: 'cookieCanary-3We7Rt1Yu5',
};
const people = {
  plaintiff: 'Canary Plaintiffsson',
  defendant: 'Canary Defendantsson',
  email: 'canary.person@secret-canary.test',
  phone: '555-867-5309',
  ssn: '077-88-9966',
  address: '77 Canary Passage',
  campaign: 'Campaign of Canary Advertsson',
};
const fileName = 'payroll-of-canary-filesson';

/** The owner of an endpoint is shown its address, to tell it from others; its signing secret is shown once. */
const addressShown: ReadonlySet<OperationId> = new Set([
  'webhooks.create',
  'webhooks.list',
  'webhooks.show',
  'webhooks.update',
  'webhooks.rotate',
  'webhooks.enable',
  'webhooks.disable',
]);

const rows = 'rows of a file, to those who may correct them';
const data = 'what was imported, to its owner';
const file = 'the name the owner gave the file';
const sample = 'the head of the file, to see whether it is read as it should be';

/** Answers that show rows, names of files or what a person typed to their owner, because that is what they are for. */
const shownToOwner: Partial<Record<OperationId, string>> = {
  'rejects.list': rows,
  'rejects.clusters': rows,
  'rejects.download': rows,
  'rejects.correct': rows,
  'runs.rows': rows,
  'ads.campaigns': data,
  'ads.ad-sets': data,
  'ads.ads': data,
  'ads.daily-metrics': data,
  'ads.passport': data,
  'judgments.list': data,
  'plaintiffs.list': data,
  'plaintiff-reviews.list': data,
  'runs.list': file,
  'runs.show': file,
  'uploads.list': file,
  'uploads.show': file,
  'batches.list': file,
  'batches.show': file,
  'dead-letters.list': file,
  'uploads.original': 'the file itself',
  'uploads.reading': sample,
  'uploads.override': sample,
  'uploads.mapping': sample,
  'uploads.map': sample,
  'batches.reading': sample,
  'batches.override': sample,
  'batches.mapping': sample,
  'batches.map': sample,
};

interface Said {
  readonly where: string;
  readonly operation: OperationId | undefined;
  readonly text: string;
}

const said: Said[] = [];
const sent: { path: string; text: string }[] = [];
const operations = new Map<OperationId, readonly [method: string, path: string]>();
let receiver: HttpServer;
let database: EmptyDatabase;
let server: Server;
let token = '';
let ended = '';
let metrics = '';

const note = (where: string, text: string, operation?: OperationId) => said.push({ where, text, operation });

beforeAll(async () => {
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
  await handIn();
  await breakThings();
  await waitFor(
    async () => (await database.query(`select from engine.runs where phase in ('waiting', 'active')`)).length === 0,
    { timeoutMs: 60_000, what: 'every run to end' },
  );
  await waitFor(
    () =>
      ['/hook', '/discord', '/slack', '/pagerduty', '/alert', '/own'].every((start) =>
        sent.some(({ path }) => path.startsWith(start)),
      ),
    {
      timeoutMs: 60_000,
      what: 'every receiver to hear something',
    },
  );
  await readOperations();
  await callEverything();
  metrics = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${secrets.metrics}` } })
  ).text();
  ended = (await server.end('SIGTERM')).stderr;
}, 300_000);

afterAll(async () => {
  await cleanUp();
  receiver.closeAllConnections();
  receiver.close();
  await database.drop();
});

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

async function handIn(): Promise<void> {
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
      await ask(method, path.replace(/:(run_id|upload_id)/, run), method === 'GET' ? undefined : {}, {}, operation);
    }
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
    syncId: 'none',
    alertId: await one(`select alert_id as id from engine.alerts limit 1`),
    alertRule: 'ingest_failure',
    sinkId: await one(`select sink_id as id from engine.alert_sinks where tenant_id is not null limit 1`),
    endpointId: await one(`select endpoint_id as id from engine.webhook_endpoints limit 1`),
    deliveryId: await one(`select delivery_id as id from engine.deliveries limit 1`),
    allRuns,
  };
}

const allSecrets = Object.values(secrets);
const allPeople = [...Object.values(people), fileName];

describe('what leaves the house', () => {
  it('was looked at: every operation has answered, every receiver has heard', () => {
    const answered = new Set(said.map(({ operation }) => operation));
    const left = (Object.keys(isolationMatrix) as OperationId[]).filter((operation) => !answered.has(operation));
    expect(left).toEqual(['auth.logout', 'auth.password', 'live.socket']);
    expect(ended.length).toBeGreaterThan(3_000);
    expect(metrics).toContain('millrace_');
  });

  it('no answer repeats a secret, to anybody', () => {
    const found = said.flatMap(({ where, operation, text }) => {
      const isAddress = operation !== undefined && addressShown.has(operation);
      const wanted = allSecrets.filter((canary) => !isAddress || canary !== secrets.hook);
      return findHidden(text, wanted).map((canary) => `${where}: ${canary}`);
    });
    expect(found).toEqual([]);
  });

  it('answers show personal data where that is their purpose, and nowhere else', () => {
    const found = said.filter(({ text }) => findHidden(text, allPeople).length > 0);
    const elsewhere = found.filter(({ operation }) => operation === undefined || shownToOwner[operation] === undefined);
    expect(elsewhere.map(({ where, text }) => `${where}: ${findHidden(text, allPeople)}`)).toEqual([]);
    // It was there to be found.
    for (const operation of [
      'rejects.list',
      'judgments.list',
      'ads.campaigns',
      'runs.list',
      'uploads.original',
    ] as const)
      expect([operation, found.some((each) => each.operation === operation)]).toEqual([operation, true]);
  });

  it('no log line and no metric holds a secret, a person or the name of a file', () => {
    expect(findHidden(metrics, [...allSecrets, ...allPeople])).toEqual([]);
    const lines = ended
      .split('\n')
      .flatMap((line) =>
        findHidden(line, [...allSecrets, ...allPeople]).map((canary) => `${canary}: ${line.slice(0, 300)}`),
      );
    expect(lines).toEqual([]);
  });

  it('no webhook and no alert holds a secret, a person or the name of a file', () => {
    const found = sent.flatMap(({ path, text }) => {
      // PagerDuty is told its own key: that is how it knows whom to ring.
      const own = path.startsWith('/pagerduty')
        ? secrets.routing
        : path.startsWith('/ownpager')
          ? secrets.tenantRouting
          : undefined;
      const wanted = [...allSecrets, ...allPeople].filter((canary) => canary !== own);
      return findHidden(text, wanted).map((canary) => `${path.split('/')[1]}: ${canary} ${text.slice(-300)}`);
    });
    expect(found).toEqual([]);
    expect(sent.length).toBeGreaterThan(10);
  });

  it.each([
    ['engine.events', [...allSecrets, ...allPeople]],
    ['engine.alerts', [...allSecrets, ...allPeople]],
    ['engine.alert_sends', [...allSecrets, ...allPeople]],
    ['engine.deliveries', [...allSecrets, ...allPeople]],
    ['engine.delivery_tries', [...allSecrets, ...allPeople]],
    ['engine.attempts', [...allSecrets, ...allPeople]],
    ['public.audit_log', [...allSecrets, ...allPeople]],
    ['engine.alert_sinks', allSecrets],
    ['engine.webhook_endpoints', [secrets.password]],
    ['public.users', allSecrets],
    ['public.api_keys', allSecrets],
    ['engine.runs', allSecrets],
  ] as const)('nothing of it is kept in the words of %s', async (table, wanted) => {
    const rows = await database.query<{ text: string }>(`select to_jsonb(t)::text as text from ${table} t`);
    expect(findHidden(rows.map(({ text }) => text).join('\n'), wanted)).toEqual([]);
  });
});

describe('the search itself', () => {
  it.each([
    ['as it is', people.email],
    ['in another case', people.email.toUpperCase()],
    ['in base64', Buffer.from(`x${people.email}y`).toString('base64')],
    ['URL-encoded', encodeURIComponent(people.email)],
    ['in hex', Buffer.from(people.email).toString('hex')],
    ['cut', people.email.slice(0, -5)],
  ])('finds what is planted %s', (_, text) => {
    expect(findHidden(`{"a": "${text}"}`, [people.email])).toEqual([people.email]);
  });
});
