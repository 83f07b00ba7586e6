// The API of alerts: what admins may change and users may read, what is audited, and that secrets go in and never come out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertService, evaluate, judgeEvents, sendAll } from '../../../../test/support/alerts.ts';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../../../test/support/engine.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { answers, type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Engine } from '../../../engine/engine.ts';
import { alertHandlers } from './alert-handlers.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let receiver: Receiver;
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'x' });
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [failing]);
  await engine.start();
  receiver = await startReceiver();
});
afterAll(async () => {
  await engine.close();
  await receiver.close();
});
const api = useApi(db, () => ({ engine, handlers: alertHandlers(alertService) }));
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  const tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  user = await buildUser(db, tenantId, 'user');
});

const create = (body: object, as: TestUser = admin, headers = {}) =>
  api.call('alert-sinks.create', { as, body, headers });

async function failRun(): Promise<string> {
  const { id } = await engine.enqueue({ pipeline: 'failing', tenantId: admin.tenantId, input: {} });
  await waitFor(async () => (await engine.run(admin.tenantId, id)).finished_at);
  await judgeEvents(db);
  return id;
}

describe('sinks', () => {
  it('an admin makes, changes, tests and removes one; its address and key are never shown', async () => {
    const made = await create({
      kind: 'pagerduty',
      name: 'Night shift',
      routing_key: 's3cr3t-key',
      url: `${receiver.url}/token-path`,
    });
    expect([made.statusCode, made.json().kind, made.json().host]).toEqual([
      201,
      'pagerduty',
      new URL(receiver.url).host,
    ]);
    const params = { sink_id: made.json().sink_id as string };
    const tested = await api.call('alert-sinks.test', { as: admin, params });
    expect(tested.json()).toMatchObject({ ok: true, status: 204, error_code: null });
    expect(receiver.received.map(({ body }) => JSON.parse(body).event_action)).toEqual(['trigger', 'resolve']);
    const changed = await api.call('alert-sinks.update', {
      as: admin,
      params,
      body: { name: 'Day shift', routing_key: 'n3w-key' },
    });
    expect(changed.json()).toMatchObject({ name: 'Day shift', host: new URL(receiver.url).host });
    const shown = await Promise.all([
      api.call('alert-sinks.show', { as: user, params }),
      api.call('alert-sinks.list', { as: user }),
      api.call('alert-sinks.sends', { as: user, params }),
      api.call('operate.audit', { as: admin }),
    ]);
    expect(shown.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(shown[2]?.json().data).toMatchObject([{ what: 'test', status: 'sent', alert_id: null }]);
    const said = [made, tested, changed, ...shown].map(({ body }) => body).join('\n');
    for (const secret of ['s3cr3t-key', 'n3w-key', 'token-path']) expect(said).not.toContain(secret);
    expect((await api.call('alert-sinks.remove', { as: admin, params })).statusCode).toBe(204);
    expect((await api.call('alert-sinks.show', { as: user, params })).json().code).toBe('alert_sink_not_found');
  });

  it('a test that fails says what happened and what to do', async () => {
    const made = await create({ kind: 'slack', name: 'Broken', url: `${receiver.url}/broken` });
    receiver.answer = answers.status(404, {}, 'no_team: Ada Lovelace');
    const tested = await api.call('alert-sinks.test', { as: admin, params: { sink_id: made.json().sink_id } });
    receiver.answer = answers.ok;
    expect(tested.json()).toMatchObject({ ok: false, status: 404, error_code: 'alert_refused' });
    expect(tested.body).not.toContain('Lovelace');
    const shown = await api.call('alert-sinks.show', { as: admin, params: { sink_id: made.json().sink_id } });
    expect(shown.json()).toMatchObject({ consecutive_failures: 1, last_error_code: 'alert_refused' });
  });

  it('an address that cannot be called, a name that is taken and a key of another kind are refused', async () => {
    expect((await create({ kind: 'slack', name: 'x', url: 'ftp://example.test' })).json().code).toBe(
      'outbound_url_invalid',
    );
    const first = await create({ kind: 'slack', name: 'Same', url: `${receiver.url}/a` });
    expect((await create({ kind: 'slack', name: 'Same', url: `${receiver.url}/b` })).json().code).toBe(
      'alert_sink_name_taken',
    );
    const params = { sink_id: first.json().sink_id };
    const unfit = await api.call('alert-sinks.update', { as: admin, params, body: { routing_key: 'x' } });
    expect(unfit.json().code).toBe('alert_sink_field_unfit');
  });

  it('an Idempotency-Key makes one sink of two requests', async () => {
    const body = { kind: 'discord', name: 'Once', url: `${receiver.url}/once` };
    const [one, two] = [
      await create(body, admin, { 'idempotency-key': 'once-1' }),
      await create(body, admin, { 'idempotency-key': 'once-1' }),
    ];
    expect([two.statusCode, two.json().sink_id]).toEqual([201, one.json().sink_id]);
  });
});

describe('rules', () => {
  const list = async () => (await api.call('alert-rules.list', { as: user })).json().data as Record<string, unknown>[];

  it('the defaults are there: those of the specification and those of its metrics', async () => {
    expect((await list()).map(({ name, threshold, enabled }) => [name, threshold, enabled])).toEqual([
      ['backlog', 100, true],
      ['batch_content_changed', null, true],
      ['connector_disabled', null, true],
      ['dead_letter_depth', 5, true],
      ['ends_waiting', 120, true],
      ['failed_24h', 0, false],
      ['ingest_failure', null, true],
      ['no_run_ends', 900, true],
      ['ownerless_runs', 0, true],
      ['question_asked', null, true],
      ['schedule_trouble', 0, true],
      ['slow_processing', 300, true],
      ['stale_runs', 0, true],
      ['stale_takeover', null, true],
      ['webhook_disabled', null, true],
    ]);
  });

  it('changing a default changes it for this tenant only; removing the change brings it back', async () => {
    const params = { rule: 'backlog' };
    const changed = await api.call('alert-rules.update', {
      as: admin,
      params,
      body: { threshold: 7, severity: 'CRITICAL' },
    });
    expect(changed.json()).toMatchObject({ threshold: 7, severity: 'CRITICAL', origin: 'changed' });
    const stranger = await buildUser(db, await buildTenant(db), 'admin');
    const theirs = await api.call('alert-rules.list', { as: stranger });
    expect(theirs.json().data.find((rule: { name: string }) => rule.name === 'backlog')).toMatchObject({
      threshold: 100,
      origin: 'default',
    });
    expect((await api.call('alert-rules.remove', { as: admin, params })).statusCode).toBe(204);
    expect((await list()).find(({ name }) => name === 'backlog')).toMatchObject({ threshold: 100, origin: 'default' });
    expect((await api.call('alert-rules.remove', { as: admin, params })).json().code).toBe('alert_rule_default');
  });

  it('a rule on any metric can be added; one page of the list follows another', async () => {
    const body = {
      kind: 'threshold',
      name: 'ads_waiting',
      metric: 'oldest_waiting_s',
      threshold: 600,
      pipeline: 'ads',
    };
    const made = await api.call('alert-rules.create', { as: admin, body });
    expect([made.statusCode, made.json().comparison, made.json().origin]).toEqual([201, '>', 'own']);
    expect((await api.call('alert-rules.create', { as: admin, body })).json().code).toBe('alert_rule_name_taken');
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await api.call('alert-rules.list', { as: user, query: { limit: '4', ...(after ? { after } : {}) } });
      names.push(...page.json().data.map((rule: { name: string }) => rule.name));
      after = page.json().next ?? undefined;
    } while (after !== undefined);
    expect(names).toEqual((await list()).map(({ name }) => name));
    const unfit = await api.call('alert-rules.update', {
      as: admin,
      params: { rule: 'ingest_failure' },
      body: { threshold: 3 },
    });
    expect(unfit.json().code).toBe('alert_rule_field_unfit');
  });
});

describe('alerts', () => {
  it('are listed open and resolved, shown with their sends, and acknowledged once', async () => {
    await create({ kind: 'webhook', name: 'Program', url: `${receiver.url}/program` });
    const runs = [await failRun(), await failRun()];
    await sendAll(db);
    const open = await api.call('alerts.list', { as: user, query: { status: 'open', limit: '1' } });
    expect(open.json().data).toMatchObject([
      { run_id: runs[1], status: 'open', message: `[INGEST FAILURE] ${runs[1]}: input_invalid` },
    ]);
    const older = await api.call('alerts.list', {
      as: user,
      query: { status: 'open', limit: '1', after: open.json().next },
    });
    expect(older.json().data).toMatchObject([{ run_id: runs[0], link: `https://millrace.example/r/${runs[0]}` }]);
    const params = { alert_id: older.json().data[0].alert_id as string };
    const shown = await api.call('alerts.show', { as: user, params });
    expect(
      shown
        .json()
        .sends.map(({ sink_name, status }: { sink_name: string; status: string }) => `${sink_name} ${status}`),
    ).toContain('Program sent');
    const first = await api.call('alerts.acknowledge', { as: user, params });
    const second = await api.call('alerts.acknowledge', { as: admin, params });
    expect([first.json().acknowledged_by, second.json().acknowledged_by]).toEqual([user.email, user.email]);
    const metrics = await api.call('system.metrics', { as: user });
    expect(metrics.json().open_alerts).toBe(2);
    await evaluate(db);
    expect((await api.call('alerts.list', { as: user, query: { status: 'resolved' } })).json().data).toEqual([]);
  });

  it('every change is in the audit log with who did it', async () => {
    const { rows } = await db.admin.query<{ action: string }>(
      `select distinct action from audit_log where tenant_id = $1 and action like 'alert%' and actor_id is not null order by 1`,
      [admin.tenantId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'alert-rules.create',
      'alert-rules.remove',
      'alert-rules.update',
      'alert-sinks.create',
      'alert-sinks.remove',
      'alert-sinks.test',
      'alert-sinks.update',
      'alerts.acknowledge',
    ]);
  });

  it('only admins set up rules and sinks', async () => {
    const params = { rule: 'backlog' };
    const refused = await Promise.all([
      create({ kind: 'slack', name: 'x', url: 'https://example.test' }, user),
      api.call('alert-rules.update', { as: user, params, body: { enabled: false } }),
      api.call('alert-rules.remove', { as: user, params }),
    ]);
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
  });
});

describe('/metrics', () => {
  it('counts open alerts, dead letters and stale runs of the installation, and names no tenant', async () => {
    const { body } = await api.server.inject('/metrics');
    expect(body).toContain('millrace_alerts_open{rule="ingest_failure",severity="ERROR"} 2');
    expect(body).toContain('millrace_dead_letters{pipeline="failing"} 0');
    expect(body).toContain('millrace_stale_runs{pipeline="failing"} 0');
    expect(body).not.toContain(admin.tenantId);
  });
});

describe('/api/metrics', () => {
  it('counts judgments only under ingest, and every pipeline under pipelines', async () => {
    const before = (await api.call('system.metrics', { as: admin })).json();
    expect(before.ingest).toEqual({
      backlog_count: 0,
      last_failed_batch: null,
      last_failed_at: null,
      failed_24h: 0,
      stale_runs: 0,
      avg_processing_s: null,
      dead_letters: 0,
    });
    expect(before.pipelines.failing.failed).toBe(2);
    await db.admin.query(
      `insert into engine.pipelines (pipeline, version, initial_status, lost_limit, lost_action, failed_are_dead_letters)
       values ('judgments', 1, 'pending', 3, 'requeue', true) on conflict do nothing`,
    );
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, error_code, started_at, finished_at)
       values ('01a1e000-0000-7000-8000-000000000001', $1, 'judgments', 'failed', 'failed', 'x', '{}', 'simplicity-2026-01-07.csv', 'nothing_imported', engine.now(), engine.now())`,
      [admin.tenantId],
    );
    await db.admin.query(
      `insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
       values ($1, '01a1e000-0000-7000-8000-000000000001', 'judgments', 'failed', 'failed', engine.now())`,
      [admin.tenantId],
    );
    const after = (await api.call('system.metrics', { as: admin })).json();
    expect(after.ingest).toMatchObject({
      failed_24h: 1,
      last_failed_batch: 'simplicity-2026-01-07.csv',
      dead_letters: 1,
    });
    expect(after.syncs).toEqual({
      jobs_queued_per_minute: 0,
      success_rate_by_connector: {},
      avg_duration_s: null,
      dlq_size: 0,
      retry_rate: null,
      retries_by_error: {},
    });
  });
});
