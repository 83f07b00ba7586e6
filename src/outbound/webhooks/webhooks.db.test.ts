// Webhooks on a real database, delivered to real receivers on loopback that fail on demand.
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../../test/support/engine.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { answers, buildEndpoint, type Receiver, startReceiver, webhooksFor } from '../../../test/support/webhooks.ts';
import { inTenant } from '../../access/tenant-session.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Service } from '../../engine/services/loop.ts';
import { recoverSince, resend, switchOff, switchOn } from './endpoints.ts';
import type { WebhookSettings } from './webhook-settings.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let receiver: Receiver;
let running: Service[] = [];

const steady = buildPipeline('steady', async () => ({
  on: 'complete',
  receipt: { read: 3, outcomes: { inserted: 2, rejected: 1 }, spend: '12.34', customer: 'Ada Lovelace' },
}));
const doubtful = buildPipeline('doubtful', async () => ({
  on: 'complete',
  receipt: {
    read: 2,
    outcomes: { inserted: 2 },
    doubts: { total_differs: 1 },
    in_doubt: [{ code: 'total_differs', message: 'Ada Lovelace', rows_at_stake: 2, lines: [4] }],
  },
}));
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'ada@example.com is no number' });
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [steady, doubtful, failing]);
  await engine.start();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(running.map((service) => service.stop()));
  running = [];
  await receiver.close();
  await db.admin.query('delete from engine.webhook_endpoints');
});
afterAll(() => engine.close());

function serve(settings: Partial<WebhookSettings> = {}, resolve?: (host: string) => Promise<string[]>) {
  const webhooks = webhooksFor(db, settings, undefined, resolve);
  const services = webhooks.services(engine);
  services.start();
  running.push(services);
  return webhooks;
}

const endRun = async (tenantId: string, pipeline = 'steady') =>
  (await engine.enqueue({ pipeline, tenantId, input: { name: 'Ada Lovelace' }, correlationId: 'corr-1' })).id;

interface Row {
  delivery_id: string;
  status: string;
  attempts: number;
  step: number;
  http_status: number | null;
  error_code: string | null;
  event_type: string;
  next_in_ms: number | null;
}
const deliveries = async (endpointId: string) =>
  (
    await db.admin.query<Row>(
      `select *, (extract(epoch from next_at - engine.now()) * 1000)::int as next_in_ms
       from engine.deliveries where endpoint_id = $1 order by delivery_id`,
      [endpointId],
    )
  ).rows;
const onlyDelivery = async (endpointId: string) => (await deliveries(endpointId))[0];
const settled = (endpointId: string, status: string) =>
  waitFor(
    async () => {
      const row = await onlyDelivery(endpointId);
      return row?.status === status && row;
    },
    { what: `the delivery to be ${status}` },
  );
const endpointRow = async (endpointId: string) =>
  (await db.admin.query('select * from engine.webhook_endpoints where endpoint_id = $1', [endpointId])).rows[0];

describe('an event that is asked for', () => {
  it('arrives signed as the Standard Webhooks library verifies it, with ids, state and counts and nothing of a row', async () => {
    serve();
    const tenantId = newTenant();
    const { endpoint_id: endpointId, secret } = await buildEndpoint(db, tenantId, {
      url: `${receiver.url}/hook?key=1`,
      eventTypes: ['run.done'],
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const runId = await endRun(tenantId);
    const got = await waitFor(() => receiver.accepted[0]);
    expect(got.path).toBe('/hook?key=1');
    expect(new Webhook(secret).verify(got.body, got.headers)).toEqual({
      type: 'run.done',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        tenant_id: tenantId,
        run_id: runId,
        pipeline: 'steady',
        correlation_id: 'corr-1',
        status: 'completed',
        stage: 'work',
        attempt: 1,
        receipt: { read: 3, outcomes: { inserted: 2, rejected: 1 } },
      },
    });
    expect(got.id).toMatch(/^evt_\d+$/);
    expect(() => new Webhook(secret).verify(`${got.body} `, got.headers)).toThrow(/signature/);
    await settled(endpointId, 'delivered');
  });

  it('of a run whose file is in doubt says so, in words that tell nothing of the file', async () => {
    serve();
    const tenantId = newTenant();
    await buildEndpoint(db, tenantId, { url: receiver.url, eventTypes: ['run.done'] });
    await endRun(tenantId, 'doubtful');
    const got = await waitFor(() => receiver.accepted[0]);
    expect(JSON.parse(got.body).data.receipt).toEqual({
      read: 2,
      outcomes: { inserted: 2 },
      doubts: { total_differs: 1 },
      in_doubt: ['The total row of the file differs from its rows.'],
    });
    expect(got.body).not.toContain('Lovelace');
  });

  it('of a run that takes refused rows of another one names the other one', async () => {
    serve();
    const tenantId = newTenant();
    await buildEndpoint(db, tenantId, { url: receiver.url, eventTypes: ['run.done'] });
    const original = await endRun(tenantId);
    const input = { rejects_of: original };
    const { id } = await engine.enqueue({ pipeline: 'steady', tenantId, input });
    const ends = await waitFor(() => receiver.accepted.length === 2 && receiver.accepted);
    const told = ends.map(({ body }) => JSON.parse(body).data).map(({ run_id, replay_of }) => [run_id, replay_of]);
    expect(new Map(told as [string, string | undefined][])).toEqual(
      new Map([
        [original, undefined],
        [id, original],
      ]),
    );
  });

  it('of a failed run says the code and not the message', async () => {
    serve();
    const tenantId = newTenant();
    await buildEndpoint(db, tenantId, { url: receiver.url, eventTypes: ['run.*'] });
    await endRun(tenantId, 'failing');
    const got = await waitFor(() => receiver.accepted.find(({ body }) => body.includes('run.failed')));
    expect(JSON.parse(got.body).data).toMatchObject({ status: 'failed', error_code: 'input_invalid' });
    // Not "ada" alone: ids are written with the letters a to f, and one in a hundred bodies has it in one of them.
    expect(got.body).not.toMatch(/ada@|lovelace|example/i);
  });

  it('is not sent where another type is asked for, nor to another tenant, nor to an endpoint made later', async () => {
    serve();
    const [tenantId, other] = [newTenant(), newTenant()];
    await buildEndpoint(db, tenantId, { url: `${receiver.url}/dead`, eventTypes: ['run.dead'] });
    await buildEndpoint(db, other, { url: `${receiver.url}/other` });
    await buildEndpoint(db, tenantId, { url: `${receiver.url}/mine` });
    await endRun(tenantId);
    await waitFor(() => receiver.accepted.length > 0);
    await buildEndpoint(db, tenantId, { url: `${receiver.url}/late` });
    const last = await endRun(tenantId);
    await waitFor(() => receiver.accepted.filter(({ body }) => body.includes(last)).length === 2);
    const paths = receiver.accepted.map(({ path }) => path).sort();
    expect(paths).toEqual(['/late', '/mine', '/mine']);
  });

  it('becomes one delivery per endpoint, with many processes at work, and is received once when all goes well', async () => {
    for (let process = 0; process < 3; process += 1) serve({ timeoutMs: 60_000 });
    const tenantId = newTenant();
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    const runs = await engine.enqueueMany(
      Array.from({ length: 60 }, () => ({ pipeline: 'steady', tenantId, input: {} })),
    );
    await waitFor(
      async () => (await deliveries(endpointId)).filter((each) => each.status === 'delivered').length === 60,
    );
    expect(receiver.received).toHaveLength(60);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    for (const { id } of runs) expect(receiver.received.filter(({ body }) => body.includes(id))).toHaveLength(1);
  });
});

describe('a receiver that fails', () => {
  it.each([
    ['answers 500', answers.status(500, {}, 'oops'), 'webhook_refused', 500],
    ['answers 404', answers.status(404), 'webhook_refused', 404],
    ['redirects', answers.status(302, { location: 'http://127.0.0.1:1/' }), 'webhook_redirected', 302],
    ['hangs', answers.hang, 'outbound_timeout', null],
    ['resets the connection', answers.reset, 'outbound_unreachable', null],
  ])('that %s gets the event again with the same id until it accepts', async (_what, answer, code, status) => {
    serve(answer === answers.hang ? { timeoutMs: 2_000 } : {});
    const tenantId = newTenant();
    receiver.answer = answer;
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    await waitFor(() => receiver.received.length >= 2);
    const row = await waitFor(async () => {
      const found = await onlyDelivery(endpointId);
      return found?.error_code === code && found;
    });
    expect(row.http_status).toBe(status);
    expect((await endpointRow(endpointId)).failure_streak).toBeGreaterThan(0);
    receiver.answer = answers.ok;
    await settled(endpointId, 'delivered');
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.accepted).toHaveLength(1);
    expect(await endpointRow(endpointId)).toMatchObject({ failure_streak: 0, failing_since: null });
    const { rows } = await db.admin.query('select error_code from engine.delivery_tries where delivery_id = $1', [
      row.delivery_id,
    ]);
    expect(rows.length).toBe(receiver.received.length);
  });

  it('has failed when the table is used up; a resend starts it over', async () => {
    serve({ retryTableMs: [10, 10] });
    const tenantId = newTenant();
    receiver.answer = answers.status(500);
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    const failed = await settled(endpointId, 'failed');
    expect(failed).toMatchObject({ attempts: 3, error_code: 'webhook_refused' });
    receiver.answer = answers.ok;
    await inTenant(db.app, tenantId, (tx) => resend(tx, tenantId, endpointId, failed.delivery_id));
    expect(await settled(endpointId, 'delivered')).toMatchObject({ attempts: 4 });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  it('that asks to slow down is left alone until then, and it costs no step', async () => {
    serve();
    const tenantId = newTenant();
    receiver.answer = answers.status(429, { 'retry-after': '600' });
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    const row = await waitFor(async () => {
      const found = await onlyDelivery(endpointId);
      return found?.error_code === 'webhook_rate_limited' && found;
    });
    expect(row).toMatchObject({ status: 'waiting', step: 0, http_status: 429 });
    expect(row.next_in_ms).toBeGreaterThan(590_000);
    expect((await endpointRow(endpointId)).paused_until.getTime()).toBeGreaterThan(Date.now() + 590_000);
    await endRun(tenantId);
    await waitFor(async () => (await deliveries(endpointId)).length === 2);
    receiver.answer = answers.ok;
    expect(receiver.received).toHaveLength(1);
    await setClockOffset(db.admin, '11 minutes');
    try {
      await waitFor(() => receiver.accepted.length === 2);
    } finally {
      await setClockOffset(db.admin, '0');
    }
  });

  it('is asked again no sooner than its Retry-After, beside another error too', async () => {
    serve();
    const tenantId = newTenant();
    receiver.answer = answers.status(500, { 'retry-after': '60' });
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    const row = await waitFor(async () => {
      const found = await onlyDelivery(endpointId);
      return found?.error_code === 'webhook_refused' && found;
    });
    expect(row.next_in_ms).toBeGreaterThan(50_000);
  });

  it('keeps only the beginning of a huge answer, without secrets', async () => {
    serve();
    const tenantId = newTenant();
    receiver.answer = answers.status(500, {}, `token=${'s3cr3t'.repeat(5)} ${'x'.repeat(5_000_000)}`);
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    const excerpt = await waitFor(async () => {
      const { rows } = await db.admin.query(
        `select response_excerpt from engine.delivery_tries t join engine.deliveries using (delivery_id) where endpoint_id = $1`,
        [endpointId],
      );
      return rows[0]?.response_excerpt as string;
    });
    expect(excerpt.length).toBeLessThanOrEqual(1_000);
    expect(excerpt).not.toContain('s3cr3t');
  });
});

describe('an endpoint is switched off', () => {
  const disabledEvents = async (tenantId: string) =>
    (
      await db.admin.query(`select data from engine.events where tenant_id = $1 and type = 'webhook.disabled'`, [
        tenantId,
      ])
    ).rows.map(({ data }) => data);

  it('at once when it answers 410, with an event that the tenant’s other endpoint gets', async () => {
    serve();
    const tenantId = newTenant();
    receiver.answer = (request, response) => response.writeHead(request.url === '/gone' ? 410 : 204).end();
    const gone = await buildEndpoint(db, tenantId, { url: `${receiver.url}/gone`, eventTypes: ['*'] });
    await buildEndpoint(db, tenantId, { url: `${receiver.url}/other`, eventTypes: ['webhook.*'] });
    await endRun(tenantId);
    const told = await waitFor(() => receiver.accepted.find(({ path }) => path === '/other'));
    expect(JSON.parse(told.body)).toMatchObject({
      type: 'webhook.disabled',
      data: { endpoint_id: gone.endpoint_id, reason: 'gone', error_code: 'webhook_gone' },
    });
    expect(await endpointRow(gone.endpoint_id)).toMatchObject({ disabled_reason: 'gone' });
    expect(await onlyDelivery(gone.endpoint_id)).toMatchObject({ status: 'failed', attempts: 1, http_status: 410 });
    expect(receiver.received.filter(({ path }) => path === '/gone')).toHaveLength(1);
  });

  it('after a long streak of failures and one event; what it missed is recovered with a count', async () => {
    serve({ disableAfterMs: 1, disableAfterFailures: 3 });
    const tenantId = newTenant();
    receiver.answer = answers.status(503);
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    const since = new Date(Date.now() - 60_000).toISOString();
    await endRun(tenantId);
    await waitFor(async () => (await endpointRow(endpointId)).disabled_reason === 'failing');
    expect(await disabledEvents(tenantId)).toHaveLength(1);
    expect((await onlyDelivery(endpointId))?.status).toBe('failed');
    // While it is off, events are logged for it and not sent.
    const missed = await endRun(tenantId);
    await waitFor(async () => (await deliveries(endpointId)).length === 2);
    const before = receiver.received.length;
    await expect(
      inTenant(db.app, tenantId, (tx) => recoverSince(tx, tenantId, endpointId, { since, preview: false })),
    ).rejects.toMatchObject({ code: 'webhook_disabled' });
    receiver.answer = answers.ok;
    const recover = (preview: boolean) =>
      inTenant(db.app, tenantId, (tx) => recoverSince(tx, tenantId, endpointId, { since, preview }));
    await inTenant(db.app, tenantId, (tx) => switchOn(tx, tenantId, endpointId));
    expect(await recover(true)).toBe(2);
    expect(receiver.received).toHaveLength(before);
    expect(await recover(false)).toBe(2);
    await waitFor(() => receiver.accepted.length === 2);
    expect(receiver.accepted.some(({ body }) => body.includes(missed))).toBe(true);
    expect(await recover(false)).toBe(0);
  });

  it('by a person: what waits is failed and nothing is sent any more', async () => {
    serve({ retryTableMs: [60_000] });
    const tenantId = newTenant();
    receiver.answer = answers.status(500);
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await endRun(tenantId);
    await settled(endpointId, 'waiting');
    await waitFor(() => receiver.received.length === 1);
    await settled(endpointId, 'waiting');
    await inTenant(db.app, tenantId, (tx) => switchOff(tx, tenantId, endpointId));
    expect(await settled(endpointId, 'failed')).toMatchObject({ error_code: 'webhook_disabled' });
    expect(await disabledEvents(tenantId)).toHaveLength(0);
  });
});

describe('the secret', () => {
  it('after a rotation both sign until the grace is over, then only the new one', async () => {
    const { service } = serve();
    const tenantId = newTenant();
    const made = await buildEndpoint(db, tenantId, { url: receiver.url });
    const fresh = await service.rotate(tenantId, made.endpoint_id, 2);
    await endRun(tenantId);
    const both = await waitFor(() => receiver.accepted[0]);
    expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [made.secret, fresh]) new Webhook(secret).verify(both.body, both.headers);
    await db.admin.query(
      `update engine.webhook_endpoints set former_secret_until = engine.now() - interval '1 second'`,
    );
    await endRun(tenantId);
    const one = await waitFor(() => receiver.accepted[1]);
    new Webhook(fresh).verify(one.body, one.headers);
    expect(() => new Webhook(made.secret).verify(one.body, one.headers)).toThrow(/signature/);
  });

  it('is not readable for the application’s role, and lies sealed in the table', async () => {
    const tenantId = newTenant();
    const { endpoint_id: endpointId, secret } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await expect(
      inTenant(db.app, tenantId, (tx) => tx.query('select secret from engine.webhook_endpoints')),
    ).rejects.toThrow(/permission denied/);
    const { secret: sealed } = await endpointRow(endpointId);
    expect(sealed.toString('latin1')).not.toContain(secret.slice(6));
    expect(sealed.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
  });

  it('that opens only with another key is a failure that says so', async () => {
    serve({ retryTableMs: [] });
    const tenantId = newTenant();
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, { url: receiver.url });
    await db.admin.query(`update engine.webhook_endpoints set secret = '\\x01' where endpoint_id = $1`, [endpointId]);
    await endRun(tenantId);
    expect(await settled(endpointId, 'failed')).toMatchObject({ error_code: 'webhook_secret_unreadable' });
    expect(receiver.received).toHaveLength(0);
  });
});

describe('nobody is held up', () => {
  it('by an endpoint that hangs: it has one place, and the others are served meanwhile', async () => {
    serve({ timeoutMs: 3_000, concurrency: 3, endpointConcurrency: 2 });
    const tenantId = newTenant();
    let hanging = 0;
    let most = 0;
    receiver.answer = (request, response) => {
      if (request.url !== '/slow') return void response.writeHead(204).end();
      hanging += 1;
      most = Math.max(most, hanging);
      request.socket.on('close', () => {
        hanging -= 1;
      });
    };
    const slow = await buildEndpoint(db, tenantId, { url: `${receiver.url}/slow` });
    await buildEndpoint(db, tenantId, { url: `${receiver.url}/quick` });
    await engine.enqueueMany(Array.from({ length: 30 }, () => ({ pipeline: 'steady', tenantId, input: {} })));
    await waitFor(() => receiver.accepted.length === 30, { what: 'all deliveries to the quick endpoint' });
    expect(most).toBeLessThanOrEqual(2);
    expect((await deliveries(slow.endpoint_id)).filter(({ status }) => status === 'delivered')).toHaveLength(0);
    await waitFor(async () => (await endpointRow(slow.endpoint_id)).failure_streak >= 2);
    await waitFor(() => hanging === 1);
  });

  it('a private address is refused at delivery, whatever was said when the endpoint was made', async () => {
    serve({ allowPrivate: false, retryTableMs: [] }, async () => ['127.0.0.1']);
    const tenantId = newTenant();
    const { endpoint_id: endpointId } = await buildEndpoint(db, tenantId, {
      url: `http://hooks.example.com:${new URL(receiver.url).port}/`,
    });
    await endRun(tenantId);
    expect(await settled(endpointId, 'failed')).toMatchObject({ error_code: 'outbound_address_refused' });
    expect(receiver.received).toHaveLength(0);
  });
});
