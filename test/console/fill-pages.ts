// Fills an installation so that every page of the console has something to show: runs in every state, connectors in good and bad
// order, a paused lane, people, keys, labels. Gives the address of each page.
import type { FakeAirbyte } from '../support/fake-airbyte/server.ts';
import { waitFor } from '../support/wait-for.ts';
import { metaRow, metaText } from './dirty-files.ts';
import { fillSources } from './fill-sources.ts';
import {
  type Ask,
  addPerson,
  askAsAdmin,
  type Installation,
  submitSteps,
  tenantOf,
  uploadMeta,
} from './installation.ts';

export async function fillPages(installation: Installation, airbyte: FakeAirbyte): Promise<Record<string, string>> {
  const tenant = await tenantOf(installation);
  const ask = await askAsAdmin(installation);
  const ends = [{ steps: 5 }, { steps: 3, end: 'part' }, { steps: 1, end: 'refuse' }, { steps: 1, end: 'deny' }];
  const [done = '', part = '', failed = '', dead = ''] = await submitSteps(installation, tenant, ...ends);
  const [working = ''] = await submitSteps(installation, tenant, { steps: 2_000, pauseMs: 400 });
  const [cancelled = ''] = await submitSteps(installation, tenant, { steps: 2_000, pauseMs: 400 });
  const upload = await uploadMeta(installation, 'winter.csv', metaText(winter()));
  const { upload_id: judgments } = await ask<{ upload_id: string }>('/v1/samples/judgments/run', {});
  await waitFor(async () => (await ask<{ phase: string }>(`/v1/runs/${judgments}`)).phase === 'done');
  const { upload_id: policy } = await ask<{ upload_id: string }>('/v1/samples/documents/run', {});
  await waitFor(async () => (await ask<{ phase: string }>(`/v1/runs/${policy}`)).phase === 'done');
  const { data: documents } = await ask<{ data: { doc_id: string }[] }>('/v1/documents');
  const document = documents[0]?.doc_id ?? '';
  const { query_id: answered } = await ask<{ query_id: string }>('/v1/query', {
    question: 'How long are access logs kept?',
  });
  const { query_id: abstained } = await ask<{ query_id: string }>('/v1/query', {
    question: 'Which glacier feeds the river Rhine?',
  });
  const { conversation_id: thread } = await ask<{ conversation_id: string }>('/v1/conversations', {});
  await ask('/v1/query', { question: 'Who may change a password?', conversation_id: thread });
  await waitFor(async () => (await ask<{ phase: string }>(`/v1/runs/${cancelled}`)).phase === 'active');
  await ask(`/v1/runs/${cancelled}/cancel`, {});
  const sync = await connect(ask, airbyte);
  await ask('/v1/pipelines/steps/pause', { reason: 'The table is being moved' });
  const [waiting = ''] = await submitSteps(installation, tenant, { steps: 1 }, { steps: 1 });
  const endpoint = await nameEverything(installation, ask);
  const sources = await fillSources(ask, installation.env.SOURCE_FOLDER_ROOTS ?? '');
  return {
    home: '/',
    runs: '/runs',
    'runs-none': '/runs?q=nothing-is-called-this',
    'run-done': `/r/${done}`,
    'run-partial': `/r/${part}`,
    'run-failed': `/r/${failed}`,
    'run-dead': `/r/${dead}`,
    'run-working': `/r/${working}`,
    'run-waiting': `/r/${waiting}`,
    'run-details': `/r/${done}/details`,
    'run-cancelled': `/r/${cancelled}`,
    'run-sync': `/r/${sync}`,
    'run-unknown': '/r/0190a7a0-0000-7000-8000-000000000001',
    'rejects-none': `/r/${done}/rejects`,
    upload: `/r/${upload}`,
    rejects: `/r/${upload}/rejects`,
    rows: `/r/${upload}/rows`,
    'rows-inserted': `/r/${upload}/rows?outcome=inserted`,
    reading: `/r/${upload}/reading`,
    mapping: `/r/${upload}/mapping`,
    batch: `/r/${judgments}`,
    'batch-rejects': `/r/${judgments}/rejects`,
    'batch-reading': `/r/${judgments}/reading`,
    data: '/data',
    'data-campaign': '/data?campaign=%22120208394857261041%22',
    judgments: '/data/judgments',
    plaintiffs: '/data/plaintiffs',
    documents: '/data/documents',
    'documents-none': '/data/documents?search=nothing-is-called-this',
    'documents-unread': '/data/documents?status=unread',
    document: `/data/documents/${document}`,
    'document-unknown': '/data/documents/0190a7a0-0000-7000-8000-000000000001',
    ask: '/ask',
    'ask-answered': `/ask?query=${answered}`,
    'ask-abstained': `/ask?query=${abstained}`,
    'ask-conversation': `/ask?conversation=${thread}`,
    'ask-unknown': '/ask?query=0190a7a0-0000-7000-8000-000000000001',
    find: '/ask/search',
    'find-words': '/ask/search?q=password%20access',
    'find-none': '/ask/search?q=%22zyzzyva%20quux%22&type=pdf',
    questions: '/ask/questions',
    'questions-open': '/ask/questions?show=unanswered',
    'run-of-document': `/r/${policy}`,
    'run-document': `/r/${policy}/document`,
    queue: '/operate',
    workers: '/operate/workers',
    schedules: '/operate/schedules',
    connectors: '/operate/connectors',
    ...sources,
    'dead-letters': '/operate/dead-letters',
    alerts: '/operate/alerts',
    'alerts-resolved': '/operate/alerts?status=resolved',
    webhooks: '/operate/webhooks',
    webhook: `/operate/webhooks/${endpoint}`,
    'webhook-unknown': '/operate/webhooks/0190a7a0-0000-7000-8000-000000000001',
    people: '/operate/people',
    support: '/operate/support',
    clients: '/operate/clients',
    keys: '/operate/keys',
    audit: '/operate/audit',
    health: '/operate/health',
    password: '/settings/password',
    unknown: '/operate/nothing',
  };
}

/** Sixty rows: three with an amount in words, one with a day that is none. */
function winter(): string[] {
  return Array.from({ length: 60 }, (_, index) =>
    metaRow(index, index % 20 === 10 ? { spend: 'about 12.50' } : index === 41 ? { day: 'someday' } : {}),
  );
}

/** One connector that is on time, one whose credential is refused, one that nobody wants at present. Gives a sync. */
async function connect(ask: Ask, airbyte: FakeAirbyte): Promise<string> {
  const add = async (name: string, account: string) => {
    const { connectionId: connection_id } = airbyte.addConnection({ name });
    const wish = { name, connection_id, external_account_id: account };
    return (await ask<{ connector_id: string }>('/v1/connectors', wish)).connector_id;
  };
  const sync = async (connector_id: string, end: string) => {
    const { sync: job } = await ask<{ sync: { job_id: string } }>('/v1/syncs', { connector_id });
    const status = async () => (await ask<{ status: string }>(`/v1/syncs/${job.job_id}`)).status;
    await waitFor(async () => (await status()) === end, { what: `the sync to be ${end}` });
    return job.job_id;
  };
  const good = await sync(await add('Shop orders', 'shop-456'), 'success');
  const closed = await add('Warehouse stock, Rotterdam and Hamburg', 'warehouse-12');
  const calm = airbyte.knobs;
  airbyte.knobs = { ...calm, unauthorized: 1 };
  await sync(closed, 'dead_letter');
  airbyte.knobs = calm;
  await add('Newsletter contacts', 'mail-7');
  return good;
}

/** People, labels, keys, access for support, and an endpoint whose receiver does not exist; gives the endpoint. */
async function nameEverything(installation: Installation, ask: Ask): Promise<string> {
  await addPerson(installation, { email: 'grace@northwind.test', role: 'user' });
  await addPerson(installation, { email: 'sue@support.test', role: 'support' });
  await ask('/v1/memberships', { email: 'sue@support.test', reason: 'SUP-7: stuck run', hours: 8 });
  await ask('/v1/clients', { name: 'Northwind Traders' });
  await ask('/v1/api-keys', { name: 'Nightly export', scopes: ['runs:read'] });
  const hook = { url: 'http://127.0.0.1:9/hook', description: 'Nobody is there' };
  return (await ask<{ endpoint_id: string }>('/v1/webhooks', hook)).endpoint_id;
}
