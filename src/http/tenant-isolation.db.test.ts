// Cross-tenant probes generated from the route table: every operation, every role and an API key, with another tenant's ids in
// path, query, body, header and cursor. Run twice: as it is, and with row-level security off, so that the statements' own
// filters are seen to hold alone (row-security.db.test.ts shows the other half).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildDocument, buildQuery, documentHandlers } from '../../test/support/documents.ts';
import { documentsDeps } from '../../test/support/documents-deps.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../test/support/fake-airbyte/server.ts';
import { isolationMatrix, type Probe, type Things } from '../../test/support/isolation-matrix.ts';
import { buildJob, itemsHandlers } from '../../test/support/items.ts';
import { itemsDeps } from '../../test/support/items-deps.ts';
import { buildConnector, syncsDeps } from '../../test/support/syncs.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { buildEndpoint, webhooksFor } from '../../test/support/webhooks.ts';
import { addClient } from '../access/clients.ts';
import { insertMembership } from '../access/sql/list-memberships.ts';
import { inTenant } from '../access/tenant-session.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import { type Role, roles, type Scope, scopes } from '../contract/api/roles.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Engine } from '../engine/engine.ts';
import { defaultAlertSettings } from '../outbound/alerts/alert-settings.ts';
import { adsHandlers, adsIntake } from '../pipelines/ads/http/ads-handlers.ts';
import { batchHandlers } from '../pipelines/judgments/http/batch-handlers.ts';
import { connectorHandlers } from '../pipelines/syncs/http/connector-handlers.ts';
import { syncHandlers } from '../pipelines/syncs/http/sync-handlers.ts';
import type { SyncService } from '../pipelines/syncs/sync-service.ts';
import { syncsPipeline } from '../pipelines/syncs/syncs.pipeline.ts';
import { DiskBlobStore } from '../platform/blob/disk-blob-store.ts';
import type { Queryable } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { ownHandlers } from './handlers.ts';
import { alertHandlers } from './routes/alerts/alert-handlers.ts';
import { webhookHandlers } from './routes/webhooks/webhook-handlers.ts';
import { createUploadHandlers } from './uploads/create-upload.ts';
import { uploadHandlers } from './uploads/upload-handlers.ts';
import { defaultUploadLimits } from './uploads/upload-limits.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let airbyte: FakeAirbyte;
let service: SyncService;

const refuseOne: Parameters<typeof buildPipeline>[1] = async (context) => {
  context.reject({
    line: 1,
    byteOffset: 0,
    column: 'spend',
    code: 'x',
    message: `m ${context.run.tenantId}`,
    value: 'v',
    cause: 'spend',
    item: { spend: 'v' },
  });
  await context.commit(async () => undefined);
  return { on: 'complete', receipt: { read: 1, outcomes: { rejected: 1 } } };
};
const fail = async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'x' });
};
const die = async () => {
  throw new MillraceError('unauthenticated');
};
/** Each twice: as any pipeline, and as one whose runs belong to whoever made them. */
const behaviours = { steady: refuseOne, failing: fail, doomed: die } as const;
const privately = (name: string) => `private-${name}`;
const pipelines = Object.entries(behaviours).flatMap(([name, work]) => [
  buildPipeline(name, work),
  buildPipeline(privately(name), work),
]);

beforeAll(async () => {
  airbyte = await startFakeAirbyte();
  const deps = syncsDeps(airbyte);
  engine = await buildEngine(db.appUrl, [...pipelines, syncsPipeline(deps)]);
  service = { ...deps, engine };
  await engine.start();
});
afterAll(async () => {
  await engine.close();
  await airbyte.close();
});

const nobody: Things = {
  tenantId: uuidv7(),
  userId: uuidv7(),
  clientId: uuidv7(),
  keyId: uuidv7(),
  membershipId: uuidv7(),
  runId: uuidv7(),
  failedRunId: uuidv7(),
  waitingRunId: uuidv7(),
  deadRunId: uuidv7(),
  rejectId: '999999999',
  connectorId: uuidv7(),
  sourceId: uuidv7(),
  syncId: uuidv7(),
  alertId: uuidv7(),
  alertRule: 'rule_of_nobody',
  sinkId: uuidv7(),
  endpointId: uuidv7(),
  deliveryId: uuidv7(),
  questionId: uuidv7(),
  documentId: uuidv7(),
  queryId: uuidv7(),
  conversationId: uuidv7(),
  jobId: uuidv7(),
  itemId: '999999998',
  exportId: uuidv7(),
  catalogId: uuidv7(),
};
const marker = 'CANARY-OF-THE-OTHER-TENANT';
const secretMark = 'CANARY-OF-ANOTHER-USER';
const rejects = { check: async () => [[]], replay: async () => ({ runId: '', rows: 0 }) };
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-isolation-'));
const store = new DiskBlobStore({ root: folder });
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const documents = documentsDeps(folder, { store });
const items = { ...itemsDeps(folder), store };
/** Everything an installation serves. */
const handlers = () => ({
  ...connectorHandlers(service),
  ...documentHandlers(documents),
  ...itemsHandlers(items),
  ...syncHandlers(service),
  ...uploadHandlers({ store }),
  ...createUploadHandlers({ store, limits: defaultUploadLimits }),
  ...adsHandlers({ store }),
  ...batchHandlers({ store }),
  ...webhookHandlers(webhooksFor(db, { timeoutMs: 200 }).service),
  ...alertHandlers({ box: createSecretBox(Buffer.alloc(32, 7)), settings: defaultAlertSettings }),
});
const api = useApi(db, () => ({
  engine,
  pipelines: {
    steady: { rejects },
    ads: { intake: adsIntake(engine) },
    ...Object.fromEntries(Object.keys(behaviours).map((name) => [privately(name), { isPrivate: true, rejects }])),
  },
  handlers: handlers(),
}));
const isServed = (operation: OperationId) => operation in ownHandlers || operation in handlers();
let own: Things;
let foreign: Things;
let callers: { name: string; role: Role; token: string }[] = [];

beforeAll(async () => {
  own = await buildThings('own');
  foreign = await buildThings(marker);
  const people = await Promise.all(roles.map((role) => buildUser(db, own.tenantId, role)));
  const { token } = await buildApiKey(db, own.tenantId, Object.keys(scopes) as Scope[]);
  callers = [
    ...people.map((user) => ({ name: user.role, role: user.role, token: user.token })),
    { name: 'key', role: 'service', token },
  ];
});

/** A tenant with one of everything, each carrying the mark where it can. */
async function buildThings(mark: string): Promise<Things> {
  const tenantId = await buildTenant(db, mark);
  const user = await buildUser(db, tenantId, 'admin');
  const helper = await buildUser(db, tenantId, 'support');
  const key = await buildApiKey(db, tenantId, ['data:read']);
  const { client, membership } = await inTenant(db.app, tenantId, async (tx) => ({
    client: await addClient(tx, tenantId, mark),
    membership: await insertMembership(tx, {
      membershipId: uuidv7(),
      tenantId,
      userId: helper.userId,
      email: helper.email,
      reason: mark,
      grantedBy: user.userId,
      hours: 1,
    }),
  }));
  const enqueue = async (pipeline: string, availableAt?: Date) =>
    (
      await engine.enqueue({
        pipeline,
        tenantId,
        input: { title: mark },
        createdBy: user.userId,
        ...(availableAt ? { availableAt } : {}),
      })
    ).id;
  const ids = {
    runId: await enqueue('steady'),
    failedRunId: await enqueue('failing'),
    deadRunId: await enqueue('doomed'),
    waitingRunId: await enqueue('steady', new Date(Date.now() + 3_600_000)),
  };
  await engine.saveSchedule({ tenantId, name: mark, pipeline: 'steady', cron: '0 0 1 1 *', input: {} });
  const { connector_id: connectorId } = await buildConnector(service, airbyte, tenantId, { name: mark });
  const sourceId = uuidv7();
  await db.admin.query(
    `insert into ingestion_sources (source_id, tenant_id, name, kind, place, pipeline)
     values ($1, $2, $3, 'folder', '{"kind": "folder", "directory": "/none"}', 'steady')`,
    [sourceId, tenantId, mark],
  );
  await db.admin.query(
    `insert into source_objects (tenant_id, source_id, key, status, bytes, mark, source_uri) values ($1, $2, $3, 'live', 1, 'x', $3)`,
    [tenantId, sourceId, mark],
  );
  const { id: syncId } = await engine.enqueue({
    pipeline: 'syncs',
    tenantId,
    input: { connector_id: connectorId, external_account_id: mark },
    availableAt: new Date(Date.now() + 3_600_000),
  });
  const rejectId = await waitFor(async () => {
    const { rows } = await db.admin.query<{ id: string; ended: number }>(
      `select (select reject_id::text from engine.rejects where run_id = $1) as id,
              (select count(*)::int from engine.runs where id = any ($2) and finished_at is not null) as ended`,
      [ids.runId, [ids.runId, ids.failedRunId, ids.deadRunId]],
    );
    return rows[0]?.ended === 3 ? rows[0].id : undefined;
  });
  return {
    tenantId,
    userId: user.userId,
    clientId: client.client_id,
    keyId: key.keyId,
    membershipId: membership.membership_id,
    rejectId,
    connectorId,
    sourceId,
    syncId,
    ...(await buildAlertThings(tenantId, mark)),
    ...(await buildWebhookThings(tenantId, mark)),
    questionId: await buildQuestion(tenantId, await enqueue('steady', new Date(Date.now() + 3_600_000)), mark),
    documentId: await buildDocument(db.admin, { tenantId, title: mark }),
    ...(await buildQuery(db.admin, { tenantId, userId: user.userId, mark })),
    ...(await buildJob(db.admin, { tenantId, runId: ids.waitingRunId, mark, userId: user.userId, status: 'PENDING' })),
    ...ids,
  };
}

/** Things of the caller's own tenant that belong to somebody else of it. */
async function buildPrivateThings(): Promise<Things> {
  const { tenantId } = own;
  const owner = await buildUser(db, tenantId, 'user');
  const enqueue = async (pipeline: string, availableAt?: Date) =>
    (
      await engine.enqueue({
        pipeline: privately(pipeline),
        tenantId,
        input: { title: secretMark },
        createdBy: owner.userId,
        ...(availableAt ? { availableAt } : {}),
      })
    ).id;
  const later = new Date(Date.now() + 3_600_000);
  const ids = {
    runId: await enqueue('steady'),
    failedRunId: await enqueue('failing'),
    deadRunId: await enqueue('doomed'),
    waitingRunId: await enqueue('steady', later),
  };
  const { alertId } = await buildAlertThings(tenantId, 'own again');
  await db.admin.query('update engine.alerts set run_id = $2, message = $3 where alert_id = $1', [
    alertId,
    ids.failedRunId,
    secretMark,
  ]);
  await waitFor(async () => {
    const { rows } = await db.admin.query('select from engine.runs where id = any ($1) and finished_at is not null', [
      [ids.runId, ids.failedRunId, ids.deadRunId],
    ]);
    return rows.length === 3;
  });
  const things = {
    ...nobody,
    ...ids,
    alertId,
    questionId: await buildQuestion(tenantId, await enqueue('steady', later), secretMark),
    ...(await buildJob(db.admin, {
      tenantId,
      runId: ids.waitingRunId,
      mark: secretMark,
      userId: owner.userId,
      status: 'PENDING',
    })),
    catalogId: nobody.catalogId,
  };
  // Catalogues are everybody's.
  await db.admin.query('delete from item_catalogs where name = $1', [secretMark]);
  return things;
}

/** A question that waits for its answer. */
async function buildQuestion(tenantId: string, runId: string, mark: string): Promise<string> {
  const questionId = uuidv7();
  await db.admin.query(
    `insert into engine.questions (question_id, tenant_id, run_id, number, code, text, details, choices, expires_at)
     values ($1, $2, $3, 1, 'reading_doubtful', $4, '{}', '[{"choice": "refuse", "label": "Refuse", "refuses": true}]', engine.now() + interval '1 h')`,
    [questionId, tenantId, runId, mark],
  );
  await db.admin.query(`update engine.runs set wait_reason = '{"kind": "question"}' where id = $1`, [runId]);
  return questionId;
}

/** A rule, a sink with a send, and an alert. */
async function buildAlertThings(tenantId: string, mark: string) {
  const things = { alertId: uuidv7(), alertRule: `rule_${uuidv7().replaceAll('-', '_')}`, sinkId: uuidv7() };
  await db.admin.query(
    `insert into engine.alert_rules (rule_id, tenant_id, name, description, kind, event, severity)
     values (gen_random_uuid(), $1, $2, $3, 'event', 'webhook_disabled', 'ERROR')`,
    [tenantId, things.alertRule, mark],
  );
  await db.admin.query(
    `insert into engine.alert_sinks (sink_id, tenant_id, name, kind, host, target) values ($1, $2, $3, 'slack', $3, '\\x00')`,
    [things.sinkId, tenantId, mark],
  );
  await db.admin.query(
    `insert into engine.alerts (alert_id, tenant_id, rule, kind, subject, severity, message)
     values ($1, $2, $3, 'event', $4, 'ERROR', $4)`,
    [things.alertId, tenantId, things.alertRule, mark],
  );
  await db.admin.query(
    `insert into engine.alert_sends (tenant_id, sink_id, alert_id, what) values ($1, $2, $3, 'open')`,
    [tenantId, things.sinkId, things.alertId],
  );
  return things;
}

/** An endpoint nobody listens at, and a delivery to it that failed. */
async function buildWebhookThings(tenantId: string, mark: string) {
  const url = `http://127.0.0.1:9/${mark}`;
  const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url, description: mark });
  const deliveryId = uuidv7();
  await db.admin.query(
    `insert into engine.deliveries
       (delivery_id, tenant_id, endpoint_id, event_id, event_type, event_at, payload, status, error_code)
     values ($1, $2, $3, 1, 'run.done', engine.now(), $4, 'failed', 'webhook_refused')`,
    [deliveryId, tenantId, endpointId, mark],
  );
  return { endpointId, deliveryId };
}

const entries = Object.entries(isolationMatrix) as [OperationId, Probe][];
const specOf = (operation: OperationId): RouteSpec => routes[operation];
/** Signing out would end the caller's session for the probes that follow. */
const signedIn = entries.filter(
  ([operation]) => specOf(operation).access.kind === 'roles' && operation !== 'auth.logout',
);
const isPaged = (operation: OperationId) =>
  'after' in (specOf(operation).query?.shape ?? {}) && !operation.startsWith('live.');
const mayCall = (operation: OperationId, caller: { name: string; role: Role }) => {
  const { access } = specOf(operation);
  if (access.kind !== 'roles' || !access.roles.includes(caller.role)) return false;
  return caller.name !== 'key' || access.scope !== null || access.openToKeys === true;
};
const paramsOf = (probe: Probe, things: Things): Record<string, string> =>
  probe.kind === 'path' ? probe.params(things) : probe.kind === 'list' ? (probe.params ?? {}) : {};
/** One of each form that a list of ours has; a list of another form fails until its form is added. */
const cursorsOf = (things: Things): readonly (readonly string[])[] => [
  [things.runId],
  ['999999999'],
  ['2999-01-01', '999999999'],
  ['zzz', 'zzz', things.runId],
  [things.alertRule],
  ['f'.repeat(32)],
  ['2999-01-01T00:00:00.000000Z', things.jobId],
  ['2000-01-01T00:00:00.000000Z', '0', '2999-01-01T00:00:00.000000Z'],
];
const shownOf = (body: string) =>
  Object.entries(foreign).filter(([name, id]) => !['rejectId', 'itemId'].includes(name) && body.includes(id));
const correlated = { 'x-correlation-id': 'isolation-probe' };
/** The answer with the ids that were asked for taken out, the long ones first: a reject's id is a short number. */
const blank = (body: string, params: Record<string, string>) =>
  Object.entries(params)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((text, [name, id]) => text.replace(new RegExp(`(?<![\\w-])${id}(?![\\w-])`, 'g'), name), body);

/** Everything the other tenant has, to see that no probe changed it. */
async function snapshot(): Promise<string> {
  const tables = [
    'users',
    'clients',
    'api_keys',
    'memberships',
    'tenants',
    'connectors',
    'item_jobs',
    'job_items',
    'queries',
  ];
  const parts = await Promise.all([
    ...tables.map((table) =>
      db.admin.query(`select to_jsonb(t) - 'last_used_at' as row from ${table} t where tenant_id = $1 order by 1`, [
        foreign.tenantId,
      ]),
    ),
    db.admin.query('select id, status, phase, held_at, requeued_as from engine.runs where tenant_id = $1 order by id', [
      foreign.tenantId,
    ]),
    ...['alert_rules', 'alert_sinks', 'alerts', 'alert_sends', 'webhook_endpoints', 'deliveries', 'delivery_tries'].map(
      (table) =>
        db.admin.query(`select to_jsonb(t) as row from engine.${table} t where tenant_id = $1 order by 1`, [
          foreign.tenantId,
        ]),
    ),
    db.admin.query('select reject_id, status, correction from engine.rejects where tenant_id = $1', [foreign.tenantId]),
  ]);
  return JSON.stringify(parts.map((part) => part.rows));
}

it('every operation of the route table has its probe', () => {
  expect(Object.keys(isolationMatrix).sort()).toEqual(Object.keys(operations).sort());
  expect(Object.keys(routes).sort()).toEqual(Object.keys(operations).sort());
});

describe('what belongs to another user of one’s own tenant', () => {
  let hidden: Things;
  let caller: { token: string };
  beforeAll(async () => {
    hidden = await buildPrivateThings();
    caller = await buildUser(db, own.tenantId, 'user');
  });
  const namesSomething = (probe: Probe) =>
    probe.kind === 'path' &&
    Object.keys(probe.params(nobody)).some((name) =>
      ['run_id', 'upload_id', 'question_id', 'job_id', 'alert_id'].includes(name),
    );
  // Syncs have ids of that name, too, and are nobody's own.
  const probes = entries.filter(([operation, probe]) => namesSomething(probe) && !operation.startsWith('syncs.'));

  it.each(probes)('%s: its id answers like one that does not exist', async (operation, probe) => {
    if (probe.kind !== 'path') return;
    const ask = async (things: Things) => {
      const params = probe.params(things);
      const answer = await api.call(operation, {
        as: caller.token,
        params,
        headers: correlated,
        ...(probe.body === undefined ? {} : { body: probe.body }),
      });
      return { status: answer.statusCode, body: blank(answer.body, params) };
    };
    const [theirs, none] = [await ask(hidden), await ask(nobody)];
    expect(theirs).toEqual(none);
    expect([403, 404, 501]).toContain(theirs.status);
  });

  it.each(entries.filter(([, probe]) => probe.kind === 'list' || probe.kind === 'body'))(
    '%s: shows nothing of it, whatever the query or the body names',
    async (operation, probe) => {
      const asked = probe.kind === 'list' ? [undefined, probe.query?.(hidden)] : [undefined];
      const ids = Object.values(hidden).filter((id) => !Object.values(nobody).includes(id) && id.length > 20);
      for (const query of asked) {
        const answer = await api.call(operation, {
          as: caller.token,
          ...(query ? { query } : {}),
          ...(probe.kind === 'list' && probe.params ? { params: probe.params } : {}),
          ...(probe.kind === 'body' ? { body: probe.body({ ...hidden, tenantId: own.tenantId }) } : {}),
        });
        expect(ids.filter((id) => answer.body.includes(id))).toEqual([]);
        expect(answer.body).not.toContain(secretMark);
      }
    },
  );

  it('an admin sees it', async () => {
    const admin = await buildUser(db, own.tenantId, 'admin');
    const { body } = await api.call('runs.list', { as: admin.token, query: { pipeline: privately('steady') } });
    expect(body).toContain(hidden.runId);
    expect((await api.call('jobs.show', { as: admin.token, params: { job_id: hidden.jobId } })).statusCode).toBe(200);
  });
});

it('row-level security alone: under one tenant no table or view shows a row of another, without any filter', async () => {
  const { rows: tables } = await db.admin.query<{ name: string; field: string }>(
    `select c.oid::regclass::text as name, min(a.attname) as field
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('tenant_id', 'workspace_id') and a.atttypid = 'uuid'::regtype
     where c.relkind in ('r', 'p', 'v') and has_column_privilege('millrace_app', c.oid, a.attnum, 'select')
     group by c.oid order by 1`,
  );
  const count = (at: Queryable, { name, field }: { name: string; field: string }) =>
    at.query<{ rows: number }>(`select count(*)::int as rows from ${name} where ${field} = $1`, [foreign.tenantId]);
  const shown: string[] = [];
  const filled: string[] = [];
  for (const table of tables) {
    if (((await count(db.admin, table)).rows[0]?.rows ?? 0) > 0) filled.push(table.name);
    const { rows } = await inTenant(db.app, own.tenantId, (tx) => count(tx, table));
    if ((rows[0]?.rows ?? 0) > 0) shown.push(table.name);
  }
  expect(shown).toEqual([]);
  expect([tables.length > 30, filled.length > 15]).toEqual([true, true]);
});

describe.each(['on', 'off'])('with row-level security %s', (security) => {
  let before = '';
  beforeAll(async () => {
    const { rows } = await db.admin.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where relkind in ('r', 'p') and relrowsecurity
         or exists (select from pg_attribute where attrelid = c.oid and relkind in ('r', 'p') and attname = 'tenant_id')`,
    );
    expect(rows.length).toBeGreaterThan(40);
    for (const { name } of rows) {
      const verb = security === 'off' ? 'disable' : 'enable';
      await db.admin.query(`alter table ${name} ${verb} row level security`);
    }
    before = await snapshot();
  });
  afterAll(async () => {
    expect(await snapshot()).toBe(before);
  });

  it.each(entries.filter(([, probe]) => probe.kind === 'path'))(
    '%s: another tenant’s id answers like one that does not exist, to every role',
    async (operation, probe) => {
      if (probe.kind !== 'path') return;
      for (const caller of callers) {
        const ask = async (things: Things) => {
          const params = probe.params(things);
          const answer = await api.call(operation, {
            as: caller.token,
            params,
            headers: correlated,
            ...(probe.body === undefined ? {} : { body: probe.body }),
          });
          return { status: answer.statusCode, body: blank(answer.body, params) };
        };
        const [theirs, none] = [await ask(foreign), await ask(nobody)];
        expect([caller.name, theirs]).toEqual([caller.name, none]);
        const expected = mayCall(operation, caller) ? (isServed(operation) ? 404 : 501) : 403;
        expect([caller.name, theirs.status]).toEqual([caller.name, expected]);
      }
    },
  );

  it.each(entries.filter(([, probe]) => probe.kind === 'list' || probe.kind === 'self'))(
    '%s: shows nothing of another tenant, whatever the query names',
    async (operation, probe) => {
      for (const caller of callers) {
        if (operation === 'auth.logout') continue;
        const asked = probe.kind === 'list' ? [undefined, probe.query?.(foreign)] : [undefined];
        for (const query of asked) {
          const answer = await api.call(operation, {
            as: caller.token,
            ...(query ? { query } : {}),
            ...(probe.kind === 'list' && probe.params ? { params: probe.params } : {}),
            ...(probe.kind === 'self' && probe.body ? { body: probe.body } : {}),
          });
          expect([caller.name, answer.statusCode < 500 || answer.statusCode === 501]).toEqual([caller.name, true]);
          expect([caller.name, shownOf(answer.body), answer.body.includes(marker)]).toEqual([caller.name, [], false]);
        }
      }
    },
  );

  it.each(entries.filter(([, probe]) => probe.kind === 'body'))(
    '%s: things of another tenant in the body are refused or count as none',
    async (operation, probe) => {
      if (probe.kind !== 'body') return;
      for (const caller of callers) {
        const answer = await api.call(operation, { as: caller.token, body: probe.body(foreign) });
        const isHarmless = answer.statusCode === 403 || (operation === 'runs.bulk' && answer.json().count === 0);
        expect([caller.name, answer.statusCode, isHarmless]).toEqual([caller.name, answer.statusCode, true]);
        expect(answer.body).not.toContain(marker);
      }
    },
  );

  it.each(signedIn)(
    '%s: naming the other tenant in the header reaches nothing, for every role',
    async (operation, probe) => {
      for (const caller of callers) {
        const answer = await api.call(operation, {
          as: caller.token,
          params: paramsOf(probe, foreign),
          headers: { 'millrace-tenant': foreign.tenantId, 'x-tenant-id': foreign.tenantId },
        });
        const { code } = answer.json();
        expect([caller.name, answer.statusCode, code]).toEqual([caller.name, 403, 'tenant_unreachable']);
      }
    },
  );

  it.each(signedIn)(
    '%s: naming the other tenant in the query or the body is refused, for every role',
    async (operation, probe) => {
      const body = specOf(operation).body === undefined ? [] : ['body' as const];
      for (const caller of callers) {
        for (const name of ['tenant_id', 'workspace_id'])
          for (const place of ['query' as const, ...body]) {
            const answer = await api.call(operation, {
              as: caller.token,
              params: paramsOf(probe, own),
              [place]: { [name]: foreign.tenantId },
            });
            const expected = mayCall(operation, caller) ? ['workspace_mismatch'] : ['forbidden', 'people_only'];
            expect([caller.name, place, answer.statusCode]).toEqual([caller.name, place, 403]);
            expect([caller.name, place, expected]).toEqual([
              caller.name,
              place,
              expect.arrayContaining([answer.json().code]),
            ]);
          }
      }
    },
  );

  it('headers of other servers’ making say nothing', async () => {
    const headers = { 'x-tenant-id': foreign.tenantId, 'x-workspace-id': foreign.tenantId };
    for (const caller of callers) {
      const answer = await api.call('ingestion-runs.list', { as: caller.token, headers });
      expect([caller.name, answer.statusCode, shownOf(answer.body)]).toEqual([caller.name, 200, []]);
    }
  });

  it.each(entries.filter(([operation]) => isPaged(operation)))(
    '%s: a cursor made of another tenant’s ids lists one’s own, for every role',
    async (operation, probe) => {
      for (const caller of callers) {
        const codes: (number | string)[] = [];
        for (const cursor of cursorsOf(foreign)) {
          const after = Buffer.from(JSON.stringify(cursor)).toString('base64url');
          const answer = await api.call(operation, {
            as: caller.token,
            params: paramsOf(probe, own),
            query: { after },
          });
          codes.push(answer.statusCode === 400 ? answer.json().code : answer.statusCode);
          expect([caller.name, shownOf(answer.body), answer.body.includes(marker)]).toEqual([caller.name, [], false]);
        }
        const isHeard = mayCall(operation, caller) && isServed(operation);
        // Support sees dead letters only: a run that is none is not there, whatever the cursor.
        // A job is its owner's: to another user of the tenant it is not there either.
        const isHidden = caller.role === 'support' || (caller.role === 'user' && operation === 'jobs.items');
        const fits = !isHeard ? [403, 501] : isHidden ? [200, 404] : [200];
        expect([caller.name, codes]).toEqual([caller.name, expect.not.arrayContaining([500])]);
        expect([caller.name, codes.some((code) => fits.includes(Number(code)))]).toEqual([caller.name, true]);
      }
    },
  );
});
