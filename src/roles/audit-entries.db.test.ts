// Generated from the route table, on everything an installation serves: each operation that changes something leaves exactly one entry
// in the audit log, whoever writes it, and each look leaves none. An operation without a step does not compile.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../test/support/fake-airbyte/server.ts';
import { buildJob } from '../../test/support/items.ts';
import { field, filePart, form, multipartType } from '../../test/support/multipart.ts';
import { sampleOf } from '../../test/support/schema-sample.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { machine } from '../contract/states/machine.ts';
import type { Engine } from '../engine/engine.ts';
import { definePipeline } from '../engine/pipeline.ts';
import { replayConsumer } from '../engine/replay.ts';
import { alertHandlers } from '../http/routes/alerts/alert-handlers.ts';
import { sampleHandlers } from '../http/routes/samples/sample-handlers.ts';
import { webhookHandlers } from '../http/routes/webhooks/webhook-handlers.ts';
import { createUploadHandlers } from '../http/uploads/create-upload.ts';
import { uploadHandlers } from '../http/uploads/upload-handlers.ts';
import { defaultUploadLimits } from '../http/uploads/upload-limits.ts';
import { defaultAlertSettings } from '../outbound/alerts/alert-settings.ts';
import { createWebhookService } from '../outbound/webhooks/webhook-service.ts';
import { defaultWebhookSettings } from '../outbound/webhooks/webhook-settings.ts';
import { kits } from '../pipelines/all.ts';
import { embeddedModel } from '../pipelines/documents/embedding/open-embedder.ts';
import { DiskBlobStore } from '../platform/blob/disk-blob-store.ts';
import { loadConfig } from '../platform/config.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { type KitAtWork, openKits } from './kits.ts';

type Change = {
  [Op in OperationId]: (typeof operations)[Op][0] extends 'GET' ? never : Op;
}[OperationId];

/** Whatever the route table says it is. */
// biome-ignore lint/suspicious/noExplicitAny: answers of all operations
type Answer = any;

interface Step {
  readonly as?: () => { token: string } | undefined;
  readonly params?: () => Record<string, string>;
  readonly body?: () => unknown;
  /** Parts of a form instead of a JSON body. */
  readonly form?: () => Buffer[];
  /** Waits for what has to be there. */
  before?(): Promise<void>;
  keep?(answer: Answer): void | Promise<void>;
  readonly entries?: 0;
}

const db = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-audit-'));
const store = new DiskBlobStore({ root: folder });
const box = createSecretBox(Buffer.alloc(32, 7));
let airbyte: FakeAirbyte;
let engine: Engine & { close(): Promise<void> };
let atWork: readonly KitAtWork[];
let admin: TestUser;
let support: TestUser;
let user: TestUser;

const steady = buildPipeline('steady', async () => ({ on: 'complete', receipt: { read: 0 } }));
const asking = definePipeline({
  machine: machine('asking', {
    queued: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'failed' } },
    working: {
      phase: 'active',
      stage: 'work',
      on: { complete: 'done', fail: 'failed', release: 'queued', ask: 'queued' },
    },
    done: { phase: 'done' },
    failed: { phase: 'failed' },
  }),
  input: z.record(z.string(), z.unknown()),
  stages: {
    async work({ answers }) {
      if ((await answers()).length > 0) return { on: 'complete', receipt: { read: 0 } };
      const choices = [{ choice: 'red', label: 'Red', data: {} }];
      return { on: 'ask', ask: { code: 'reading_doubtful', text: 'Red?', details: { doubts: [] }, choices } };
    },
  },
});
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'x' });
});
const doomed = buildPipeline('doomed', async () => {
  throw new MillraceError('unauthenticated');
});

beforeAll(async () => {
  airbyte = await startFakeAirbyte();
  mkdirSync(path.join(folder, 'none'));
  const env = {
    MILLRACE_HOME: folder,
    AIRBYTE_BASE_URL: airbyte.url,
    AIRBYTE_API_TOKEN: airbyte.token,
    AIRBYTE_WORKSPACE_ID: airbyte.workspaceId,
    SOURCE_FOLDER_ROOTS: folder,
    EMBEDDING_MODELS: JSON.stringify([{ provider: 'http', model: 'other', dim: 8, url: 'http://127.0.0.1:9' }]),
  };
  const groups = kits.flatMap(({ settings }) => (settings ? [settings] : []));
  const opening = await openKits(kits, {
    config: loadConfig(env, groups),
    blobs: store,
    secrets: box,
    log: silentLog,
  });
  engine = await buildEngine(db.appUrl, [...opening.pipelines, steady, asking, failing, doomed]);
  atWork = opening.withEngine(engine);
  engine.consume(replayConsumer);
  for (const consumer of atWork.flatMap(({ consumers }) => consumers)) engine.consume(consumer);
  await engine.start();
  const tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  support = await buildUser(db, tenantId, 'support');
  user = await buildUser(db, tenantId, 'user');
});
afterAll(async () => {
  await engine.close();
  await airbyte.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const api = useApi(db, () => ({
  engine,
  pipelines: {
    ...Object.fromEntries(atWork.map(({ kit, parts }) => [kit.name, parts])),
    steady: { mayStart: true },
  },
  handlers: {
    ...uploadHandlers({ store }),
    ...createUploadHandlers({ store, limits: defaultUploadLimits }),
    ...sampleHandlers({ store }),
    ...webhookHandlers(
      createWebhookService({ pool: db.engine, box, settings: { ...defaultWebhookSettings, allowPrivate: true } }),
    ),
    ...alertHandlers({ box, settings: { ...defaultAlertSettings, allowPrivate: true } }),
    ...Object.assign({}, ...atWork.map(({ handlers }) => handlers())),
  },
}));

/** What earlier steps made, for those that follow. */
const made: Record<string, string> = {};
const id = (name: string) => made[name] ?? `no ${name} yet`;
const unreachable = 'http://127.0.0.1:9/hook';
const hour = 3_600_000;

async function enqueue(name: string, pipeline: string, phase: 'waiting' | 'failed' | 'dead'): Promise<void> {
  const later = phase === 'waiting' ? { availableAt: new Date(Date.now() + hour) } : {};
  const { id: runId } = await engine.enqueue({ pipeline, tenantId: admin.tenantId, input: {}, ...later });
  if (phase !== 'waiting') await ended(runId);
  made[name] = runId;
}

const ended = (runId: string) =>
  waitFor(async () => ((await engine.run(admin.tenantId, runId)).finished_at === null ? undefined : true), {
    what: `run ${runId} to end`,
  });

async function ask(operation: OperationId, params: Record<string, string> = {}): Promise<Answer> {
  return (await api.call(operation, { as: admin, params })).json().data;
}

const adsFile = [
  'Reporting starts,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks',
  ...Array.from(
    { length: 28 },
    (_, day) => `2026-01-${String(day + 1).padStart(2, '0')},Spring,120210000000000001,12.50,1000,10`,
  ),
  '2026-02-06,Spring,120210000000000001,twelve,1000,10',
  '2026-02-07,Spring,120210000000000001,13.50 ?,1000,10',
].join('\n');
const notes = Array.from(
  { length: 40 },
  (_, line) => `Paragraph ${line} says where the water of the mill comes from and who keeps the gate.`,
).join('\n\n');
const batchFile = [
  'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email',
  'CV-1,Acme Holdings LLC,Somebody One,100.00,2025-03-04,Kings,office@acme.test',
  'CV-2,Acme Holdings LLC,Somebody Two,200.00,2025-03-05,Kings,office@acme.test',
].join('\n');

const byRun = (name: string) => ({ params: () => ({ run_id: id(name) }) });
const byEndpoint = { params: () => ({ endpoint_id: id('endpoint') }) };
const bySink = { params: () => ({ sink_id: id('sink') }) };
const byUser = { params: () => ({ user_id: id('user') }) };
const byConnector = { params: () => ({ connector_id: id('connector') }) };
const byBatch = { params: () => ({ batch_id: id('batch') }) };
const byDocument = { params: () => ({ doc_id: id('document') }) };
const byJob = (name: string) => ({ params: () => ({ job_id: id(name) }) });
const jobEnded = async (name: string) => {
  const isOver = async () =>
    (await api.call('jobs.show', { as: admin, params: { job_id: id(name) } })).json().finished_at === null
      ? undefined
      : true;
  await waitFor(isOver, { what: 'the job to end' });
};
/** A job whose run waits for an hour. */
async function waitingJob(name: string): Promise<void> {
  await enqueue(`run of ${name}`, 'steady', 'waiting');
  const { jobId } = await buildJob(db.admin, { tenantId: admin.tenantId, runId: id(`run of ${name}`), mark: name });
  made[name] = jobId;
}
const bySource = { params: () => ({ source_id: id('source') }) };
const sourceWish = () => ({
  name: 'Contracts',
  pipeline: 'documents',
  place: { kind: 'folder', directory: path.join(folder, 'none') },
});
const byModel = { body: () => ({ model_id: 'other@http-8' }) };
const byUpload = { params: () => ({ upload_id: id('upload') }) };

/** In an order in which each finds what it needs. */
const steps: Readonly<Record<Change, Step>> = {
  'users.create': {
    body: () => ({ email: 'new@example.test', role: 'user' }),
    keep: ({ user_id: user, one_time_password: password }) => void Object.assign(made, { user, password }),
  },
  'auth.login': {
    as: () => undefined,
    body: () => ({ email: 'new@example.test', password: id('password') }),
    keep: ({ token }) => void Object.assign(made, { token }),
  },
  'auth.password': {
    as: () => ({ token: id('token') }),
    body: () => ({ current: id('password'), new: 'a rather long new password' }),
    keep: ({ token }) => void Object.assign(made, { token }),
  },
  'auth.logout': { as: () => ({ token: id('token') }) },
  'users.update': { ...byUser, body: () => ({ name: 'New' }) },
  'users.reset': byUser,
  'users.remove': byUser,
  'clients.create': {
    body: () => ({ name: 'Client' }),
    keep: ({ client_id: client }) => void Object.assign(made, { client }),
  },
  'clients.update': { params: () => ({ client_id: id('client') }), body: () => ({ name: 'Other' }) },
  'clients.remove': { params: () => ({ client_id: id('client') }) },
  'api-keys.create': {
    body: () => ({ name: 'key', scopes: ['data:read'] }),
    keep: ({ key_id: key }) => void Object.assign(made, { key }),
  },
  'api-keys.revoke': { params: () => ({ key_id: id('key') }) },
  'memberships.create': {
    body: () => ({ email: support.email, reason: 'because' }),
    keep: ({ membership_id: membership }) => void Object.assign(made, { membership }),
  },
  'memberships.revoke': { params: () => ({ membership_id: id('membership') }) },

  'uploads.create': {
    form: () => [field('platform', 'meta'), field('source', 'manual'), filePart('ads.csv', adsFile)],
    async keep({ upload_id: upload }) {
      made.upload = upload;
      await ended(upload);
    },
  },
  'uploads.override': { ...byUpload, body: () => ({}) },
  'uploads.map': { ...byUpload, body: () => ({ columns: [] }) },
  'runs.override': { ...byRun('upload'), body: () => ({}) },
  'runs.map': { ...byRun('upload'), body: () => ({ columns: [] }) },
  'runs.verify': { ...byRun('upload'), entries: 0 },
  'rejects.correct': {
    async before() {
      const rejects: { id: string }[] = await ask('rejects.list', { run_id: id('upload') });
      Object.assign(made, { reject: rejects[0]?.id });
    },
    params: () => ({ run_id: id('upload'), reject_id: id('reject') }),
    body: () => ({ cells: { 'Amount spent (USD)': '12.00' } }),
  },
  'rejects.correct-cluster': {
    async before() {
      const clusters: { cluster: string }[] = await ask('rejects.clusters', { run_id: id('upload') });
      made.cluster = clusters.at(-1)?.cluster ?? '';
    },
    ...byRun('upload'),
    body: () => ({
      cluster: id('cluster'),
      fix: { kind: 'replace', column: 'Amount spent (USD)', params: { from: ' ?', to: '' } },
    }),
  },
  'rejects.replay': { ...byRun('upload'), body: () => ({ uncorrected: true }) },
  'uploads.reread': { ...byUpload, body: () => ({}) },

  'runs.start': { body: () => ({ pipeline: 'steady', input: {} }) },
  'runs.hold': { before: () => enqueue('waiting', 'steady', 'waiting'), ...byRun('waiting') },
  'runs.resume': byRun('waiting'),
  'runs.bulk': {
    before: () => enqueue('another', 'steady', 'waiting'),
    body: () => ({ action: 'hold', filter: { run_ids: [id('another')] }, preview: false, expected: 1 }),
  },
  'runs.cancel': byRun('another'),
  'runs.retry': { before: () => enqueue('failed', 'failing', 'failed'), ...byRun('failed') },
  'ingestion-runs.retry': { before: () => enqueue('failed2', 'failing', 'failed'), ...byRun('failed2') },
  'runs.requeue': {
    as: () => support,
    before: () => enqueue('dead', 'doomed', 'dead'),
    ...byRun('dead'),
    body: () => ({ ticket: 'T-1' }),
  },
  'dead-letters.requeue': {
    as: () => support,
    before: () => enqueue('dead2', 'doomed', 'dead'),
    ...byRun('dead2'),
    body: () => ({ ticket: 'T-2' }),
  },
  'dead-letters.acknowledge': {
    as: () => support,
    before: () => enqueue('dead3', 'doomed', 'dead'),
    ...byRun('dead3'),
    body: () => ({ reason: 'seen' }),
  },
  'search.run': { body: () => ({ query: 'water of the mill' }), entries: 0 },
  'search.ask': {
    body: () => ({ question: 'Who keeps the gate?' }),
    keep: ({ query_id: query }) => void Object.assign(made, { query }),
    entries: 0,
  },
  'queries.feedback': { params: () => ({ query_id: id('query') }), body: () => ({ rating: 'up' }) },
  'conversations.create': {
    body: () => ({}),
    keep: ({ conversation_id: conversation }) => void Object.assign(made, { conversation }),
  },
  'conversations.remove': { params: () => ({ conversation_id: id('conversation') }) },
  'pipelines.pause': { params: () => ({ pipeline: 'steady' }) },
  'pipelines.resume': { params: () => ({ pipeline: 'steady' }) },

  'questions.answer': {
    async before() {
      await engine.enqueue({ pipeline: 'asking', tenantId: admin.tenantId, input: {} });
      const asked = async () => (await ask('questions.list'))[0]?.question_id as string | undefined;
      made.question = await waitFor(asked, { what: 'the run to ask' });
    },
    params: () => ({ question_id: id('question') }),
    body: () => ({ choice: 'red' }),
  },

  'catalogs.create': {
    form: () => [field('name', 'prices'), filePart('prices.csv', 'SKU,Title\nA-1,Kettle\n')],
    keep({ catalog_id: catalog }) {
      made.catalog = catalog;
    },
  },
  'jobs.try': {
    form: () => [field('catalog', 'prices'), filePart('rows.csv', 'SKU,Title\nA-1,Kettle\n')],
    entries: 0,
  },
  'jobs.create': {
    form: () => [field('catalog', 'prices'), filePart('rows.csv', 'SKU,Title\nA-1,Kettle\nB-2,Unknown thing\n')],
    async keep({ jobId }) {
      made.job = jobId;
      await ended(jobId);
      made.item = (await ask('jobs.items', { job_id: jobId }))[1].id;
    },
  },
  'ingestion.scan': { body: () => ({}) },
  'jobs.correct': {
    params: () => ({ job_id: id('job'), item_id: id('item') }),
    body: () => ({ cells: { SKU: 'a 1' } }),
  },
  'jobs.reprocess': { ...byJob('job'), before: () => jobEnded('job'), body: () => ({ statuses: ['DONE'] }) },
  'jobs.export': { ...byJob('job'), before: () => jobEnded('job') },
  'jobs.remove': byJob('job'),
  'jobs.pause': { ...byJob('paused'), before: () => waitingJob('paused') },
  'jobs.resume': byJob('paused'),
  'jobs.kickoff': { ...byJob('kicked'), before: () => waitingJob('kicked') },
  'catalogs.remove': { params: () => ({ catalog_id: id('catalog') }) },
  'documents.ingest': {
    form: () => [field('title', 'Notes'), filePart('notes.txt', notes)],
    async keep({ run_id: run, doc_id: document }) {
      made.document = document;
      await ended(run);
      expect(await engine.run(admin.tenantId, run)).toMatchObject({ phase: 'done', error_text: null });
    },
  },
  'documents.update': { ...byDocument, body: () => ({ title: 'Other notes' }) },
  'documents.page-retry': {
    params: () => ({ doc_id: id('document'), version: '1', page_no: '1' }),
    body: () => ({ how: 'include' }),
    keep: ({ run_id: run }) => ended(run).then(() => undefined),
  },
  'documents.deactivate': byDocument,
  'documents.reactivate': byDocument,
  'documents.purge': byDocument,
  'models.add': byModel,
  'mcp.message': { body: () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }), entries: 0 },
  'models.compare': { body: () => ({ model_id: embeddedModel.modelId }), entries: 0 },
  'models.activate': {
    ...byModel,
    before: async () => {
      await db.admin.query(
        `update embedding_models set state = 'ready', is_due = false where model_id = 'other@http-8'`,
      );
    },
  },
  'models.rollback': {},
  'models.retire': byModel,

  'batches.create': {
    form: () => [field('source_batch_id', 'golden_path_test_audit'), filePart('june.csv', batchFile)],
    async keep({ run_id: run, source_batch_id: batch }) {
      made.batch = batch;
      await ended(run);
    },
  },
  'batches.override': { ...byBatch, body: () => ({}) },
  'batches.map': { ...byBatch, body: () => ({ columns: [] }) },
  'plaintiffs.split': {
    async before() {
      const [plaintiff]: { id: number }[] = await ask('plaintiffs.list');
      const cases: { id: number }[] = await ask('judgments.list');
      Object.assign(made, { plaintiff: String(plaintiff?.id), case: String(cases[0]?.id) });
    },
    params: () => ({ plaintiff_id: id('plaintiff') }),
    body: () => ({ judgment_ids: [Number(id('case'))] }),
    keep: ({ id: review }) => void Object.assign(made, { review: String(review) }),
  },
  'plaintiff-reviews.decide': { params: () => ({ review_id: id('review') }), body: () => ({ decision: 'undo' }) },
  'batches.remove': byBatch,

  'sources.preview': { body: sourceWish },
  'sources.create': {
    body: sourceWish,
    keep: ({ source_id: source }) => void Object.assign(made, { source }),
  },
  'sources.update': { ...bySource, body: () => ({ name: 'Other contracts' }) },
  'sources.sync': {
    ...bySource,
    keep: ({ run_id: sync }) => void Object.assign(made, { sourceSync: sync }),
  },
  'sources.remove': {
    ...bySource,
    before: async () => void (await ended(id('sourceSync'))),
  },
  'connectors.create': {
    body: () => ({
      name: 'Shop',
      connection_id: airbyte.addConnection().connectionId,
      external_account_id: 'shop-1',
    }),
    keep: ({ connector_id: connector }) => void Object.assign(made, { connector }),
  },
  'connectors.update': { ...byConnector, body: () => ({ name: 'Other shop' }) },
  'syncs.trigger': {
    body: () => ({ connector_id: id('connector') }),
    keep: ({ sync }) => void Object.assign(made, { sync: sync.job_id }),
  },
  'syncs.cancel': { params: () => ({ job_id: id('sync') }) },
  'connectors.remove': byConnector,

  'webhooks.create': {
    body: () => ({ url: unreachable }),
    keep: ({ endpoint_id: endpoint }) => void Object.assign(made, { endpoint }),
  },
  'webhooks.update': { ...byEndpoint, body: () => ({ description: 'Other' }) },
  'webhooks.rotate': { ...byEndpoint, body: () => ({}) },
  'webhooks.test': byEndpoint,
  'webhooks.disable': byEndpoint,
  'webhooks.enable': byEndpoint,
  'webhooks.recover': { ...byEndpoint, body: () => ({ since: '2020-01-01T00:00:00Z' }) },
  'deliveries.resend': {
    async before() {
      made.delivery = uuidv7();
      await db.admin.query(
        `insert into engine.deliveries (delivery_id, tenant_id, endpoint_id, event_id, event_type, event_at, payload, status, error_code)
         values ($1, $2, $3, 1, 'run.done', engine.now(), '{}', 'failed', 'webhook_refused')`,
        [made.delivery, admin.tenantId, made.endpoint],
      );
    },
    params: () => ({ endpoint_id: id('endpoint'), delivery_id: id('delivery') }),
  },
  'webhooks.remove': byEndpoint,

  'alert-rules.create': { body: () => ({ kind: 'event', name: 'own_rule', event: 'webhook_disabled' }) },
  'alert-rules.update': { params: () => ({ rule: 'own_rule' }), body: () => ({ enabled: false }) },
  'alerts.acknowledge': {
    async before() {
      made.alert = uuidv7();
      await db.admin.query(
        `insert into engine.alerts (alert_id, tenant_id, rule, kind, subject, severity, message)
         values ($1, $2, 'own_rule', 'event', 'x', 'ERROR', 'x')`,
        [made.alert, admin.tenantId],
      );
    },
    params: () => ({ alert_id: id('alert') }),
  },
  'alert-rules.remove': { params: () => ({ rule: 'own_rule' }) },
  'alert-sinks.create': {
    body: () => ({ kind: 'webhook', name: 'Sink', url: unreachable }),
    keep: ({ sink_id: sink }) => void Object.assign(made, { sink }),
  },
  'alert-sinks.update': { ...bySink, body: () => ({ name: 'Other' }) },
  'alert-sinks.test': bySink,
  'alert-sinks.remove': bySink,
  'samples.run': {
    params: () => ({ name: 'meta' }),
    async keep({ upload_id: sample }) {
      Object.assign(made, { sample });
      await ended(sample);
    },
  },
  'runs.undo': { ...byRun('sample'), body: () => ({}) },
};

const specOf = (operation: OperationId): RouteSpec => routes[operation];
const correlated = (operation: string) => ({ 'x-correlation-id': `audited-${operation.replaceAll('.', '-')}` });

async function entriesOf(operation: string) {
  const { rows } = await db.admin.query<{ action: string; outcome: string; target: string | null }>(
    'select action, outcome, target from audit_log where correlation_id = $1',
    [correlated(operation)['x-correlation-id']],
  );
  return rows;
}

describe('an operation that changes something', () => {
  it.each(Object.entries(steps) as [Change, Step][])('%s: leaves exactly one entry', async (operation, step) => {
    await step.before?.();
    const as = step.as === undefined ? admin : step.as();
    const answer = await api.call(operation, {
      ...(as ? { as } : {}),
      params: step.params?.() ?? {},
      ...(step.body ? { body: step.body() } : {}),
      ...(step.form ? { body: form(...step.form()) } : {}),
      headers: { ...correlated(operation), ...(step.form ? { 'content-type': multipartType } : {}) },
    });
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([
      specOf(operation).answer.status,
      expect.anything(),
    ]);
    await step.keep?.(answer.body === '' ? {} : answer.json());
    const found = (await entriesOf(operation)).map(({ action, outcome }) => [action, outcome]);
    expect(found).toEqual(step.entries === 0 ? [] : [[operation, 'done']]);
  });

  it('is every operation that is no GET', () => {
    const changes = (Object.keys(operations) as OperationId[]).filter((each) => operations[each][0] !== 'GET');
    expect(Object.keys(steps).sort()).toEqual(changes.sort());
  });

  it('leaves none when it only previews', async () => {
    const headers = correlated('preview');
    await enqueue('previewed', 'steady', 'waiting');
    const body = { action: 'cancel', filter: { run_ids: [id('previewed')] }, preview: true };
    const bulk = await api.call('runs.bulk', { as: admin, body, headers });
    expect([bulk.statusCode, bulk.json().count, await entriesOf('preview')]).toEqual([200, 1, []]);
  });
});

describe('a look', () => {
  const reads = (Object.keys(operations) as OperationId[]).filter(
    (operation) => operations[operation][0] === 'GET' && !['stream', 'socket'].includes(specOf(operation).answer.kind),
  );
  it.each(reads)('%s: leaves no entry', async (operation) => {
    const { params } = specOf(operation);
    const given = params ? (sampleOf(params, 'input') as Record<string, string>) : {};
    const known = { run_id: id('upload'), upload_id: id('upload'), batch_id: id('batch') };
    const real = Object.fromEntries(Object.entries({ ...given, ...known }).filter(([name]) => name in given));
    await api.call(operation, { as: admin, params: real, headers: correlated(operation) });
    expect(await entriesOf(operation)).toEqual([]);
  });
});

describe('a denial', () => {
  it.each<[string, OperationId, () => Parameters<typeof api.call>[1]]>([
    ['by the route table', 'clients.create', () => ({ as: support, body: { name: 'x' } })],
    ['by a handler', 'runs.retry', () => ({ as: admin, params: { run_id: id('dead') } })],
    [
      'by a handler, for one of many',
      'runs.bulk',
      () => ({ as: user, body: { action: 'requeue', filter: {}, preview: true } }),
    ],
    ['of another workspace', 'clients.create', () => ({ as: admin, body: { name: 'x', workspace_id: uuidv7() } })],
  ])('%s leaves exactly one entry: %s', async (what, operation, request) => {
    const key = `denied-${what.replaceAll(/\W/g, '-')}`;
    const answer = await api.call(operation, { ...request(), headers: correlated(key) });
    expect(answer.statusCode).toBe(403);
    expect(await entriesOf(key)).toEqual([{ action: operation, outcome: 'denied', target: null }]);
  });
});
