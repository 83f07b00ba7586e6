// /v1/webhooks as a program meets it: who may do what, secrets shown once, the log, resend, recover, and what leaves no trace.
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../../../test/support/engine.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { answers, type Receiver, startReceiver, webhooksFor } from '../../../../test/support/webhooks.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Service } from '../../../engine/services/loop.ts';
import { createLog } from '../../../platform/log.ts';
import { webhookHandlers } from './webhook-handlers.ts';

const db = useDatabase();
const lines: string[] = [];
const log = createLog({
  level: 'debug',
  format: 'json',
  logFilenames: false,
  destination: { write: (line: string) => void lines.push(line) },
});
const steady = buildPipeline('steady', async () => 'complete');
let engine: Engine & { close(): Promise<void> };
let receiver: Receiver;
let services: Service;
let allowPrivate = true;
const pathSecret = 'PathS3cretC4nary';

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [steady]);
  await engine.start();
  receiver = await startReceiver();
});
const api = useApi(db, () => {
  const strict = webhooksFor(db, { allowPrivate: false }, log);
  const loose = webhooksFor(db, { retryTableMs: [20, 20] }, log);
  services = loose.services(engine);
  services.start();
  const handlersOf = { true: webhookHandlers(loose.service), false: webhookHandlers(strict.service) };
  const create: NonNullable<(typeof handlersOf)['true']['webhooks.create']> = (call) => {
    const handler = handlersOf[`${allowPrivate}`]['webhooks.create'];
    if (handler === undefined) throw new Error('there is a handler');
    return handler(call);
  };
  return { engine, log, handlers: { ...handlersOf.true, 'webhooks.create': create } };
});
let tenantId: string;
let admin: TestUser;
beforeAll(async () => {
  tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
});
afterAll(async () => {
  await services.stop();
  await engine.close();
  await receiver.close();
});

const hook = () => `${receiver.url}/${pathSecret}?key=${pathSecret}`;
const create = (body: Record<string, unknown> = {}, as: TestUser | string = admin, headers = {}) =>
  api.call('webhooks.create', { as, body: { url: hook(), ...body }, headers });
const made = async (body: Record<string, unknown> = {}): Promise<{ endpoint_id: string; secret: string }> =>
  (await create(body)).json();
const logOf = async (endpointId: string, query: Record<string, string> = {}) =>
  (await api.call('deliveries.list', { as: admin, params: { endpoint_id: endpointId }, query })).json();

describe('an endpoint', () => {
  it('is made with a secret that is shown once and asks for the ends of runs by default', async () => {
    const answer = await create({ description: 'billing' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({
      url: hook(),
      description: 'billing',
      enabled: true,
      event_types: ['run.asked', 'run.done', 'run.failed', 'run.dead', 'webhook.disabled'],
      secret: expect.stringMatching(/^whsec_/),
    });
    const { endpoint_id: endpointId, secret } = answer.json();
    const params = { endpoint_id: endpointId };
    for (const shown of [
      await api.call('webhooks.show', { as: admin, params }),
      await api.call('webhooks.list', { as: admin }),
      await api.call('webhooks.update', { as: admin, params, body: { description: 'x' } }),
    ]) {
      expect(shown.statusCode).toBe(200);
      expect(shown.body).not.toContain(secret.slice(6));
    }
  });

  it('is made once per Idempotency-Key, with the same secret in the repeated answer', async () => {
    const headers = { 'idempotency-key': 'one-endpoint' };
    const [first, again] = [await create({}, admin, headers), await create({}, admin, headers)];
    expect(again.json()).toEqual(first.json());
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('at a private address, with a password or another scheme is refused with a code', async () => {
    allowPrivate = false;
    try {
      for (const url of ['http://127.0.0.1/', 'http://[::ffff:10.0.0.1]/', 'http://2130706433/', 'http://localhost/'])
        expect((await create({ url })).json()).toMatchObject({ status: 422, code: 'outbound_address_refused' });
      for (const url of ['ftp://example.com/', 'http://user:pw@example.com/'])
        expect((await create({ url })).json()).toMatchObject({ status: 422, code: 'outbound_url_invalid' });
      expect((await create({ url: 'https://example.com/hook' })).statusCode).toBe(201);
    } finally {
      allowPrivate = true;
    }
  });

  it('is changed by admins only; others see its host and no more', async () => {
    const { endpoint_id: endpointId } = await made();
    const user = await buildUser(db, tenantId, 'user');
    const key = await buildApiKey(db, tenantId, ['operate:read']);
    expect((await create({}, user)).statusCode).toBe(403);
    for (const token of [user.token, key.token]) {
      const shown = await api.call('webhooks.show', { as: token, params: { endpoint_id: endpointId } });
      expect(shown.json().url).toBe(`${receiver.url}/…`);
      for (const operation of ['webhooks.remove', 'webhooks.test', 'webhooks.disable', 'webhooks.enable'] as const) {
        const refused = await api.call(operation, { as: token, params: { endpoint_id: endpointId } });
        expect([operation, refused.statusCode]).toEqual([operation, 403]);
      }
    }
  });

  it('is tested at once, and the log has the test', async () => {
    const { endpoint_id: endpointId, secret } = await made();
    const params = { endpoint_id: endpointId };
    const before = receiver.received.length;
    const good = (await api.call('webhooks.test', { as: admin, params })).json();
    expect(good).toMatchObject({ ok: true, status: 204, error_code: null });
    const got = receiver.received[before];
    expect(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {})).toMatchObject({ type: 'webhook.test' });
    receiver.answer = answers.status(500);
    const bad = (await api.call('webhooks.test', { as: admin, params })).json();
    receiver.answer = answers.ok;
    expect(bad).toMatchObject({ ok: false, status: 500, error_code: 'webhook_refused' });
    const { data } = await logOf(endpointId);
    expect(data.map((each: { status: string }) => each.status)).toEqual(['failed', 'delivered']);
    const detail = await api.call('deliveries.show', {
      as: admin,
      params: { ...params, delivery_id: good.delivery_id },
    });
    expect(detail.json()).toMatchObject({ event_type: 'webhook.test', tries: [{ attempt: 1, http_status: 204 }] });
    expect(detail.json().payload).toBe(got?.body);
    // A test that failed says nothing about the endpoint's health, and is not recovered.
    expect((await api.call('webhooks.show', { as: admin, params })).json()).toMatchObject({ failure_streak: 0 });
    const since = '2020-01-01T00:00:00Z';
    const recovered = await api.call('webhooks.recover', { as: admin, params, body: { since } });
    expect(recovered.json()).toEqual({ count: 0, preview: false });
  });

  it('goes with its log when it is removed', async () => {
    const { endpoint_id: endpointId } = await made();
    const params = { endpoint_id: endpointId };
    await api.call('webhooks.test', { as: admin, params });
    expect((await api.call('webhooks.remove', { as: admin, params })).statusCode).toBe(204);
    expect((await api.call('webhooks.show', { as: admin, params })).json().code).toBe('webhook_not_found');
    const { rows } = await db.admin.query('select from engine.deliveries where endpoint_id = $1', [endpointId]);
    expect(rows).toHaveLength(0);
  });
});

describe('the delivery log', () => {
  it('is paged and filtered; a delivery is resent, the failed ones are recovered', async () => {
    const { endpoint_id: endpointId } = await made({ event_types: ['run.done'] });
    const params = { endpoint_id: endpointId };
    const since = new Date(Date.now() - 1_000).toISOString();
    receiver.answer = answers.status(500);
    await engine.enqueueMany(Array.from({ length: 5 }, () => ({ pipeline: 'steady', tenantId, input: {} })));
    const failed = await waitFor(async () => {
      const { data } = await logOf(endpointId, { status: 'failed' });
      return data.length === 5 && data;
    });
    const first = await logOf(endpointId, { limit: '2' });
    const second = await logOf(endpointId, { limit: '3', after: first.next });
    expect([...first.data, ...second.data]).toEqual(failed);
    expect(second.next).toBeNull();
    const [one] = failed;
    expect((await logOf(endpointId, { run_id: one.run_id })).data).toEqual([one]);
    expect((await logOf(endpointId, { event_type: 'run.dead' })).data).toEqual([]);
    expect((await logOf(endpointId, { status: 'delivered,waiting' })).data).toEqual([]);
    expect((await logOf(endpointId, { until: since })).data).toEqual([]);

    receiver.answer = answers.ok;
    const before = receiver.accepted.length;
    const resent = await api.call('deliveries.resend', {
      as: admin,
      params: { ...params, delivery_id: one.delivery_id },
    });
    expect(resent.json()).toMatchObject({ delivery_id: one.delivery_id, webhook_id: one.webhook_id });
    await waitFor(() => receiver.accepted.length === before + 1);
    expect(receiver.accepted.at(-1)?.id).toBe(one.webhook_id);

    await waitFor(async () => (await logOf(endpointId, { status: 'failed' })).data.length === 4);
    const body = { since };
    const preview = await api.call('webhooks.recover', { as: admin, params, body: { ...body, preview: true } });
    expect(preview.json()).toEqual({ count: 4, preview: true });
    expect((await api.call('webhooks.recover', { as: admin, params, body })).json()).toEqual({
      count: 4,
      preview: false,
    });
    await waitFor(async () => (await logOf(endpointId, { status: 'delivered' })).data.length === 5);
  });

  it('refuses to resend to an endpoint that is off until it is on again', async () => {
    const { endpoint_id: endpointId } = await made();
    const params = { endpoint_id: endpointId };
    const { delivery_id: deliveryId } = (await api.call('webhooks.test', { as: admin, params })).json();
    const off = await api.call('webhooks.disable', { as: admin, params });
    expect(off.json()).toMatchObject({ enabled: false, disabled_reason: 'person' });
    const resend = () => api.call('deliveries.resend', { as: admin, params: { ...params, delivery_id: deliveryId } });
    expect((await resend()).json()).toMatchObject({ status: 409, code: 'webhook_disabled' });
    expect((await api.call('webhooks.enable', { as: admin, params })).json()).toMatchObject({ enabled: true });
    expect((await resend()).statusCode).toBe(200);
  });
});

it('every change is in the audit log, with no address and no secret', async () => {
  const { endpoint_id: endpointId, secret } = await made();
  const params = { endpoint_id: endpointId };
  await api.call('webhooks.rotate', { as: admin, params, body: {} });
  await api.call('webhooks.update', { as: admin, params, body: { url: `${hook()}&more=1` } });
  await api.call('webhooks.remove', { as: admin, params });
  const { rows } = await db.admin.query(
    `select action, data from public.audit_log where target like $1 and outcome = 'done' order by audit_id`,
    [`%${endpointId}%`],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'webhooks.create',
    'webhooks.rotate',
    'webhooks.update',
    'webhooks.remove',
  ]);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${pathSecret}|${secret.slice(6, 20).replace(/[+/]/g, '.')}`));
});

it('a rotation shows a new secret, both sign, and neither is in a log line, an event or a metric', async () => {
  const { endpoint_id: endpointId, secret } = await made({ event_types: ['*'] });
  const params = { endpoint_id: endpointId };
  const rotated = (await api.call('webhooks.rotate', { as: admin, params, body: { grace_hours: 1 } })).json();
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.former_secret_until).not.toBeNull();
  receiver.answer = answers.status(500, {}, `echo ${secret}`);
  await engine.enqueue({ pipeline: 'steady', tenantId, input: {} });
  await waitFor(async () => (await logOf(endpointId, { status: 'failed' })).data.length >= 1);
  receiver.answer = answers.ok;
  const metrics = (await api.server.inject('/metrics')).body;
  expect(metrics).toContain('millrace_webhook_deliveries{status="failed"}');
  const { rows: events } = await db.admin.query('select * from engine.events');
  const { rows: tries } = await db.admin.query('select response_excerpt from engine.delivery_tries');
  const said = [lines.join('\n'), JSON.stringify(events), JSON.stringify(tries), metrics].join('\n');
  expect(lines.length).toBeGreaterThan(10);
  for (const canary of [secret.slice(6), rotated.secret.slice(6), pathSecret]) expect(said).not.toContain(canary);
});
