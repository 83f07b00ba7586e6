// Connectors, syncs and dead letters over HTTP: who may do what, what is refused, and that no credential ever comes out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { calm } from '../../../../test/support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../../../test/support/fake-airbyte/server.ts';
import { buildSyncs, buildSyncTenant } from '../../../../test/support/syncs.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { setPlan } from '../../../access/operator.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import type { SyncService } from '../sync-service.ts';
import { connectorHandlers } from './connector-handlers.ts';
import { syncHandlers } from './sync-handlers.ts';

const db = useDatabase();
let airbyte: FakeAirbyte;
let service: SyncService & { close(): Promise<void> };
let admin: TestUser;
let support: TestUser;
let stranger: TestUser;
const lines: string[] = [];
const log = createLog({
  level: 'debug',
  format: 'json',
  logFilenames: false,
  destination: { write: (line: string) => void lines.push(line) },
});

beforeAll(async () => {
  airbyte = await startFakeAirbyte();
  service = await buildSyncs(db.appUrl, airbyte, { log });
  await service.engine.start();
  const tenantId = await buildSyncTenant(db, 'growth');
  admin = await buildUser(db, tenantId, 'admin');
  support = await buildUser(db, tenantId, 'support');
  stranger = await buildUser(db, await buildSyncTenant(db, 'growth'), 'admin');
});
afterAll(async () => {
  await service.close();
  await airbyte.close();
});
const api = useApi(db, () => ({
  log,
  engine: service.engine,
  handlers: { ...connectorHandlers(service), ...syncHandlers(service) },
}));

let count = 0;
const wish = (more: object = {}) => {
  count += 1;
  const connection_id = airbyte.addConnection().connectionId;
  return { name: `Shop ${count}`, connection_id, external_account_id: 'shop-456', ...more };
};
const create = (more: object = {}, as = admin) => api.call('connectors.create', { as, body: wish(more) });
const made = async (more: object = {}) => {
  const answer = await create(more);
  expect(answer.statusCode).toBe(201);
  return answer.json() as { connector_id: string; connection_id: string };
};
const trigger = (connectorId: string, as = admin) =>
  api.call('syncs.trigger', { as, body: { connector_id: connectorId } });
const show = async (jobId: string) =>
  (await api.call('syncs.show', { as: admin, params: { job_id: jobId } })).json() as Record<string, unknown>;
const ended = (jobId: string, status: string) => waitFor(async () => (await show(jobId)).status === status);

describe('connectors', () => {
  it('are made by an admin, shown with their freshness, changed and removed', async () => {
    const connector = await made({ interval_seconds: 8 * 3_600 });
    expect(connector).toMatchObject({
      freshness: 'on track',
      effective_interval_seconds: 28_800,
      credential: 'installation',
    });
    const params = { connector_id: connector.connector_id };
    const off = await api.call('connectors.update', { as: admin, params, body: { enabled: false } });
    expect(off.json()).toMatchObject({ enabled: false, freshness: null, next_sync_at: null });
    expect((await trigger(connector.connector_id)).json().code).toBe('connector_disabled');
    const user = await buildUser(db, admin.tenantId, 'user');
    expect((await create({}, user)).statusCode).toBe(403);
    const listed = await api.call('connectors.list', { as: user });
    expect(listed.json().data.map((each: { connector_id: string }) => each.connector_id)).toContain(
      connector.connector_id,
    );
    expect((await api.call('connectors.remove', { as: admin, params })).statusCode).toBe(204);
    expect((await api.call('connectors.show', { as: admin, params })).json().code).toBe('connector_not_found');
    const { rows } = await db.admin.query('select from engine.schedules where name = $1', [
      `sync:${connector.connector_id}`,
    ]);
    expect(rows).toHaveLength(0);
  });

  it('show the connections of the workspace, and those tagged for another tenant to nobody else', async () => {
    const tag = (tenant: string) => [
      { tagId: uuidv7(), name: `millrace:${tenant}`, color: 'blue', workspaceId: airbyte.workspaceId },
    ];
    const own = airbyte.addConnection({ tags: tag(admin.tenantId) });
    const theirs = airbyte.addConnection({ tags: tag(stranger.tenantId) });
    const ids = (await api.call('connectors.available', { as: admin }))
      .json()
      .data.map((each: { connection_id: string }) => each.connection_id);
    expect(ids).toContain(own.connectionId);
    expect(ids).not.toContain(theirs.connectionId);
    expect((await create({ connection_id: theirs.connectionId })).json().code).toBe('connection_not_found');
  });

  it.each([
    ['an interval below the plan’s minimum', { interval_seconds: 3_600 }, 'cadence_too_short', 422],
    ['a connection nobody knows', { connection_id: uuidv7() }, 'connection_not_found', 422],
    ['a workspace that the installation cannot reach', { airbyte_workspace_id: uuidv7() }, 'workspace_wrong', 422],
    ['an interval that is not a number', { interval_seconds: 'daily' }, 'request_invalid', 400],
  ])('refuse %s', async (_, more, code, status) => {
    const answer = await create(more);
    expect([answer.json().code, answer.statusCode]).toEqual([code, status]);
  });

  it('refuse a locked, an inactive and a deleted connection', async () => {
    for (const status of ['locked', 'inactive', 'deprecated'] as const) {
      const { connectionId } = airbyte.addConnection({ status });
      const { code } = (await create({ connection_id: connectionId })).json();
      expect([status, code]).toEqual([
        status,
        status === 'deprecated' ? 'connection_not_found' : 'connection_not_active',
      ]);
    }
  });

  it('refuse a connection that has a connector, also one of another tenant', async () => {
    const { connection_id: taken } = await made();
    expect((await create({ connection_id: taken })).json().code).toBe('connection_taken');
    expect((await create({ connection_id: taken }, stranger)).json().code).toBe('connection_taken');
  });

  it('on the free plan have no choice of interval', async () => {
    const free = await buildUser(db, await buildSyncTenant(db, 'free'), 'admin');
    expect((await create({ interval_seconds: 172_800 }, free)).json().code).toBe('cadence_fixed');
    expect((await create({}, free)).json()).toMatchObject({ effective_interval_seconds: 86_400 });
  });

  it('keep a credential of their own sealed: it is used, and appears in no answer, event, log or column', async () => {
    const secret = `canary-${uuidv7()}`;
    airbyte.world.clients.set('client-1', secret);
    const connector = await made({ credential: { client_id: 'client-1', client_secret: secret } });
    const jobId = (await trigger(connector.connector_id)).json().sync.job_id;
    await ended(jobId, 'success');
    expect(airbyte.world.tokensIssued).toBe(1);
    const { rows } = await db.admin.query<{ text: string }>(
      `select coalesce(string_agg(x::text, ' '), '') || (select string_agg(e::text, ' ') from engine.events e)
         || (select string_agg(a::text, ' ') from public.audit_log a) || (select string_agg(r::text, ' ') from engine.runs r) as text
       from public.connectors x`,
    );
    const shown = (await api.call('connectors.show', { as: admin, params: { connector_id: connector.connector_id } }))
      .body;
    // A failure says more than a success: the log of one is looked at too.
    airbyte.knobs = { ...calm, unauthorized: 1 };
    const refused = await made().catch(() => undefined);
    expect(refused).toBeUndefined();
    await setPlan(db.app, admin.tenantId, 'enterprise');
    const failed = (await trigger(connector.connector_id, support)).json().sync.job_id;
    await ended(failed, 'dead_letter');
    airbyte.knobs = calm;
    await setPlan(db.app, admin.tenantId, 'growth');
    const logged = lines.join('');
    expect(logged).toContain('airbyte_unauthorized');
    for (const place of [rows[0]?.text ?? '', shown, logged]) {
      for (const canary of [secret, airbyte.token, ...airbyte.world.issuedTokens.keys()]) {
        expect(place).not.toContain(canary);
        expect(place).not.toContain(Buffer.from(canary).toString('hex'));
        expect(place).not.toContain(Buffer.from(canary).toString('base64').slice(0, -3));
      }
    }
  });

  it('whose secret has expired ask for a person, and are switched off after too many failures, with a warning first', async () => {
    expect((await create({ credential: { api_token: 'unknown' } })).json().code).toBe('airbyte_unauthorized');
    airbyte.world.issuedTokens.set('short-lived', Date.now() + 60_000);
    const connector = await made({ credential: { api_token: 'short-lived' } });
    airbyte.world.issuedTokens.delete('short-lived');
    const params = { connector_id: connector.connector_id };
    const state = async () => (await api.call('connectors.show', { as: admin, params })).json();
    for (let failure = 1; failure <= 4; failure += 1) {
      const answer = (await trigger(connector.connector_id)).json();
      expect(answer.created).toBe(true);
      await ended(answer.sync.job_id, 'dead_letter');
      await waitFor(async () => (await state()).consecutive_failures === failure);
      expect(await state()).toMatchObject({ freshness: 'action required', last_error_code: 'airbyte_unauthorized' });
      expect((await state()).warned_at === null).toBe(failure < 2);
    }
    expect(await state()).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining('4 syncs') });
    const { rows } = await db.admin.query('select enabled from engine.schedules where name = $1', [
      `sync:${connector.connector_id}`,
    ]);
    expect(rows).toEqual([{ enabled: false }]);
    const on = await api.call('connectors.update', { as: admin, params, body: { enabled: true, credential: null } });
    expect(on.json()).toMatchObject({
      enabled: true,
      consecutive_failures: 0,
      disabled_at: null,
      credential: 'installation',
    });
  });
});

describe('syncs', () => {
  it('are triggered once: the live one answers the second call', async () => {
    const connector = await made();
    const first = await trigger(connector.connector_id);
    const second = await trigger(connector.connector_id);
    expect([first.statusCode, first.json().created, second.json().sync.job_id]).toEqual([
      202,
      true,
      first.json().sync.job_id,
    ]);
    await ended(first.json().sync.job_id, 'success');
  });

  it('by hand obey the plan’s minimum, except for support', async () => {
    const connector = await made();
    await ended((await trigger(connector.connector_id)).json().sync.job_id, 'success');
    const refused = await trigger(connector.connector_id);
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'sync_too_soon']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(21_000);
    await setPlan(db.app, admin.tenantId, 'enterprise');
    expect((await trigger(connector.connector_id)).json().code).toBe('sync_too_soon');
    await setPlan(db.app, admin.tenantId, 'growth');
    expect((await trigger(connector.connector_id, support)).json().created).toBe(true);
  });

  it('of another tenant’s connector, and of none, are not found', async () => {
    const connector = await made();
    expect((await trigger(connector.connector_id, stranger)).json().code).toBe('connector_not_found');
    expect((await trigger(uuidv7())).json().code).toBe('connector_not_found');
    expect((await api.call('syncs.show', { as: admin, params: { job_id: uuidv7() } })).json().code).toBe(
      'sync_not_found',
    );
  });

  it('that gave up are requeued once, by support with a ticket or by an admin of the tenant', async () => {
    const connector = await made();
    airbyte.knobs = { ...calm, forbidden: 1 };
    const jobId: string = (await trigger(connector.connector_id)).json().sync.job_id;
    await ended(jobId, 'dead_letter');
    airbyte.knobs = calm;
    const listed = await api.call('dead-letters.list', { as: support, query: { pipeline: 'syncs' } });
    expect(listed.json().data.map((each: { run_id: string }) => each.run_id)).toContain(jobId);
    const requeue = (as: TestUser, body: object) =>
      api.call('dead-letters.requeue', { as, params: { run_id: jobId }, body });
    expect((await requeue(stranger, { ticket: 'SUP-1' })).statusCode).toBe(404);
    expect((await requeue(support, {})).statusCode).toBe(400);
    const answer = await requeue(support, { ticket: 'SUP-1' });
    expect(answer.statusCode).toBe(202);
    await ended(answer.json().run_id, 'success');
    expect((await requeue(support, { ticket: 'SUP-1' })).json().code).toBe('run_already_retried');
    expect((await requeue(admin, { ticket: 'SUP-1' })).json().code).toBe('run_already_retried');
    const figures = (await api.call('syncs.figures', { as: admin })).json();
    expect(figures.queued_last_minute).toBeGreaterThan(1);
    expect(figures.average_duration_seconds).toBeGreaterThan(0);
    const { rows } = await db.admin.query(
      `select count(*)::int as count from engine.dead_letters where tenant_id = $1`,
      [admin.tenantId],
    );
    expect(rows).toEqual([{ count: figures.dead_letters }]);
    expect(figures.success_rate_by_connector).toContainEqual({
      connector_id: connector.connector_id,
      succeeded: 1,
      dead: 1,
      rate: 0.5,
    });
  });

  it('a retry of a source that means "slow down" by 403 waits, where the connector says so', async () => {
    const connector = await made({ error_kinds: { 403: 'rate_limited' } });
    airbyte.knobs = { ...calm, forbidden: 1 };
    const jobId: string = (await trigger(connector.connector_id)).json().sync.job_id;
    await ended(jobId, 'failed');
    airbyte.knobs = calm;
    expect(await show(jobId)).toMatchObject({ error_code: 'airbyte_rate_limited', retry_count: 0 });
    const runs = async (status: string) =>
      (await api.call('runs.list', { as: admin, query: { status } }))
        .json()
        .data.map((run: { run_id: string }) => run.run_id);
    // A sync that waits for its next try is called failed too, and is found so.
    expect(await runs('failed')).toContain(jobId);
    const cancelled = await api.call('syncs.cancel', { as: admin, params: { job_id: jobId } });
    expect(cancelled.json()).toMatchObject({ status: 'cancelled', error_code: 'run_cancelled' });
    expect([await runs('failed'), await runs('cancelled')]).toEqual([
      expect.not.arrayContaining([jobId]),
      expect.arrayContaining([jobId]),
    ]);
    const { retries_by_error: retries } = (await api.call('syncs.figures', { as: admin })).json();
    expect(retries).toContainEqual({ error_code: 'airbyte_rate_limited', count: 1, rate: expect.any(Number) });
  });

  it('that were cancelled are in no list of dead letters, and are tried again only when the plan allows it', async () => {
    const connector = await made();
    airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
    const jobId: string = (await trigger(connector.connector_id)).json().sync.job_id;
    await ended(jobId, 'failed');
    await api.call('syncs.cancel', { as: admin, params: { job_id: jobId } });
    airbyte.knobs = calm;
    for (const as of [admin, support]) {
      const letters = (await api.call('dead-letters.list', { as })).json().data;
      expect(letters.map((each: { run_id: string }) => each.run_id)).not.toContain(jobId);
    }
    const params = { run_id: jobId };
    expect((await api.call('runs.show', { as: admin, params })).json().actions).toEqual(['retry']);
    await ended((await trigger(connector.connector_id)).json().sync.job_id, 'success');
    expect((await api.call('runs.retry', { as: admin, params, body: {} })).json().code).toBe('sync_too_soon');
    const filter = { run_ids: [jobId] };
    const body = { action: 'retry', filter, preview: false, expected: 1 };
    expect((await api.call('runs.bulk', { as: admin, body })).json()).toMatchObject({
      changed: 0,
      skipped: [{ run_id: jobId, code: 'sync_too_soon' }],
    });
  });

  it('are triggered, and tried again after a cancel, by an admin, not by a user', async () => {
    const user = await buildUser(db, admin.tenantId, 'user');
    const connector = await made();
    expect((await trigger(connector.connector_id, user)).json()).toMatchObject({ status: 403, code: 'forbidden' });
    airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
    const jobId: string = (await trigger(connector.connector_id)).json().sync.job_id;
    await ended(jobId, 'failed');
    await api.call('syncs.cancel', { as: user, params: { job_id: jobId } });
    airbyte.knobs = calm;
    const params = { run_id: jobId };
    expect((await api.call('runs.show', { as: user, params })).json().actions).toEqual([]);
    for (const operation of ['runs.retry', 'ingestion-runs.retry'] as const)
      expect((await api.call(operation, { as: user, params })).json()).toMatchObject({
        status: 403,
        code: 'forbidden',
      });
    const body = { action: 'retry', filter: { run_ids: [jobId] }, preview: true };
    expect((await api.call('runs.bulk', { as: user, body })).json().count).toBe(0);
    expect((await api.call('runs.bulk', { as: admin, body })).json().count).toBe(1);
  });

  it('of a connector that is removed are cancelled with it', async () => {
    const connector = await made();
    const jobId: string = (await trigger(connector.connector_id)).json().sync.job_id;
    await waitFor(async () => (await show(jobId)).run_id);
    const params = { connector_id: connector.connector_id };
    expect((await api.call('connectors.remove', { as: admin, params })).statusCode).toBe(204);
    expect(['cancelled', 'success']).toContain((await show(jobId)).status);
    expect(airbyte.isRunning(connector.connection_id)).toBe(false);
  });

  it('appear in the metrics of the process', async () => {
    const { body } = await api.call('system.prometheus');
    for (const name of ['jobs_queued_last_minute', 'success_ratio', 'duration_seconds', 'dead_letters', 'retries'])
      expect(body).toContain(`millrace_sync_${name}`);
  });

  it('the troubleshooting queries work on the view as they are printed', async () => {
    await db.admin.query(`SELECT job_id, tenant_id, connector_id, started_at
FROM ingestion_jobs
WHERE status = 'running'
  AND started_at < NOW() - INTERVAL '2 hours';`);
    const { rows } = await db.admin.query(`SELECT error_code, COUNT(*) as count
FROM ingestion_jobs
WHERE status = 'dead_letter'
GROUP BY error_code
ORDER BY count DESC;`);
    expect(rows.map((row: { error_code: string }) => row.error_code)).toContain('airbyte_unauthorized');
  });
});
