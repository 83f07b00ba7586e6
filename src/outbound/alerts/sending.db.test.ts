// Sending to receivers that fail on demand: 429, 500, silence, refusal; and to senders that are killed half way.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSink, evaluate, quickAlerts, sendAll } from '../../../test/support/alerts.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { answers, type Receiver, startReceiver } from '../../../test/support/webhooks.ts';
import { backoff } from './sender.ts';

const db = useDatabase();
const child = compiledProgram('test/support/alert-sender-child.ts');
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const keysOf = (tenantId: string) =>
  receiver.received
    .filter(({ path }) => path.startsWith(`/${tenantId}/`))
    .map(({ body }) => {
      const { event_action: action, dedup_key: key } = JSON.parse(body) as Record<string, string>;
      return { action, key };
    });

/** A tenant with a sink and a backlog that breaks the rule. */
async function buildTrouble(kind: 'discord' | 'slack' | 'pagerduty' | 'webhook' = 'pagerduty'): Promise<string> {
  const tenantId = newTenant();
  await buildSink(db, tenantId, kind, receiver.url);
  await db.admin.query(
    `insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
     select gen_random_uuid(), 'judgments', $1::text, 0, engine.now() + interval '1 day' from generate_series(1, 101)`,
    [tenantId],
  );
  return tenantId;
}

async function heal(tenantId: string): Promise<void> {
  await db.admin.query(`delete from engine.scheduled where lane = $1::text`, [tenantId]);
  await evaluate(db);
}

async function sendsOf(tenantId: string) {
  const { rows } = await db.admin.query<{ what: string; status: string; attempts: number; error_code: string | null }>(
    `select what, status, attempts, error_code from engine.alert_sends where tenant_id = $1 order by send_id`,
    [tenantId],
  );
  return rows;
}

/** Sends until the tenant's messages are settled: pauses of a few milliseconds pass by themselves. */
const sendUntilSettled = (tenantId: string) =>
  waitFor(async () => {
    await sendAll(db);
    return (await sendsOf(tenantId)).every(({ status }) => status !== 'waiting');
  });

describe('a receiver that fails', () => {
  it.each([
    ['with 500', answers.status(500), 'alert_unsent'],
    ['with silence', answers.hang, 'outbound_timeout'],
    ['by breaking off', answers.reset, 'outbound_unreachable'],
  ])('%s is tried again until it takes the message', async (_, failing, code) => {
    const tenantId = await buildTrouble();
    await evaluate(db);
    receiver.answer = failing;
    await sendAll(db, {
      ...(failing === answers.hang ? { timeoutMs: 400 } : {}),
      backoffMs: 60_000,
      backoffCapMs: 60_000,
    });
    expect(await sendsOf(tenantId)).toMatchObject([{ status: 'waiting', attempts: 1, error_code: code }]);
    receiver.answer = answers.ok;
    await db.admin.query(`update engine.alert_sends set next_at = engine.now() where tenant_id = $1`, [tenantId]);
    await sendUntilSettled(tenantId);
    expect(await sendsOf(tenantId)).toMatchObject([{ status: 'sent', attempts: 2 }]);
  });

  it.each([
    [
      'Discord says in the body',
      'discord',
      answers.status(429, {}, '{"message": "slow down", "retry_after": 30.5}'),
      30,
    ],
    ['Slack says in the header', 'slack', answers.status(429, { 'retry-after': '40' }), 40],
  ] as const)('a pause that %s holds for the whole sink', async (_, kind, slow, seconds) => {
    const tenantId = await buildTrouble(kind);
    await evaluate(db);
    receiver.answer = slow;
    const askedAt = performance.now();
    await sendAll(db);
    receiver.answer = answers.ok;
    await heal(tenantId);
    await sendAll(db);
    const { rows } = await db.admin.query<{ seconds: number }>(
      `select extract(epoch from paused_until - engine.now())::float8 as seconds from engine.alert_sinks where tenant_id = $1`,
      [tenantId],
    );
    // Less what has passed since.
    expect(rows[0]?.seconds).toBeGreaterThan(seconds - 1 - (performance.now() - askedAt) / 1_000);
    expect(rows[0]?.seconds).toBeLessThan(seconds + 1);
    expect(await sendsOf(tenantId)).toMatchObject([
      { what: 'open', status: 'waiting', attempts: 1, error_code: 'alert_slowed' },
      { what: 'resolve', status: 'waiting', attempts: 0 },
    ]);
    await db.admin.query(`update engine.alert_sends set next_at = engine.now() where tenant_id = $1`, [tenantId]);
    await db.admin.query(`update engine.alert_sinks set paused_until = null where tenant_id = $1`, [tenantId]);
    await sendUntilSettled(tenantId);
    expect((await sendsOf(tenantId)).map(({ what, status }) => `${what} ${status}`)).toEqual([
      'open sent',
      'resolve sent',
    ]);
  });

  it('for good is not tried again, and what follows of that alert is dropped', async () => {
    const tenantId = await buildTrouble();
    await evaluate(db);
    await heal(tenantId);
    receiver.answer = answers.status(404);
    await sendAll(db);
    receiver.answer = answers.ok;
    await sendAll(db);
    expect(await sendsOf(tenantId)).toMatchObject([
      { what: 'open', status: 'failed', attempts: 1, error_code: 'alert_refused' },
      { what: 'resolve', status: 'dropped', attempts: 0 },
    ]);
  });

  it('for too long is given up', async () => {
    const tenantId = await buildTrouble();
    await evaluate(db);
    receiver.answer = answers.status(503);
    await sendAll(db, { giveUpMs: 0 });
    receiver.answer = answers.ok;
    expect(await sendsOf(tenantId)).toMatchObject([{ status: 'failed', error_code: 'alert_unsent' }]);
  });

  it('does not hold up another sink, and pauses grow up to a cap', async () => {
    expect(
      [1, 2, 3].map((attempts) => backoff(attempts, { ...quickAlerts, backoffMs: 1_000, backoffCapMs: 3_000 }, 0.5)),
    ).toEqual([1_000, 2_000, 3_000]);
    const [stuck, sound] = [await buildTrouble('discord'), await buildTrouble('slack')];
    await evaluate(db);
    receiver.answer = (request, response, received) =>
      received.path.includes(stuck)
        ? answers.hang(request, response, received)
        : answers.ok(request, response, received);
    await sendAll(db, { timeoutMs: 3_000, backoffMs: 60_000, backoffCapMs: 60_000 });
    receiver.answer = answers.ok;
    expect(await sendsOf(sound)).toMatchObject([{ status: 'sent' }]);
    expect(await sendsOf(stuck)).toMatchObject([{ status: 'waiting' }]);
  });
});

describe('a process that is killed', () => {
  const dieAt = async (failpoint: string) => {
    const program = fork(child, [JSON.stringify({ url: db.appUrl, failpoint })], {
      execArgv: [],
      stdio: 'ignore',
    });
    const late = setTimeout(() => program.kill('SIGTERM'), 540_000);
    const [, signal] = (await once(program, 'exit')) as [number | null, NodeJS.Signals | null];
    clearTimeout(late);
    expect([failpoint, signal]).toEqual([failpoint, 'SIGKILL']);
  };
  const leaseOver = (tenantId: string) =>
    db.admin.query(`update engine.alert_sends set next_at = engine.now() where tenant_id = $1 and status = 'waiting'`, [
      tenantId,
    ]);

  it.each([
    ['before the alert is written', 'alerts.before_commit', 1],
    ['between opening and sending', 'alerts.after_commit', 1],
    ['when it has taken the message', 'alerts.send_taken', 1],
    ['when it has sent it and not noted it', 'alerts.sent_not_noted', 2],
  ])('%s loses nothing: the message arrives, at most once more and under the same key', async (_, failpoint, times) => {
    const tenantId = await buildTrouble();
    await dieAt(failpoint);
    // The server lets go of a dead process's locks a moment later.
    await waitFor(() => evaluate(db), { what: 'a turn to evaluate' });
    await leaseOver(tenantId);
    await sendUntilSettled(tenantId);
    const told = keysOf(tenantId);
    expect(told.map(({ action }) => action)).toEqual(Array.from({ length: times }, () => 'trigger'));
    expect(new Set(told.map(({ key }) => key)).size).toBe(1);
    await heal(tenantId);
    await sendUntilSettled(tenantId);
    expect(keysOf(tenantId).at(-1)).toEqual({ action: 'resolve', key: told[0]?.key });
  });

  it('at alerts.folded, while it gathers a digest, leaves messages that become one digest', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'pagerduty', receiver.url);
    const ids = Array.from({ length: 15 }, () => randomUUID());
    await db.admin.query(
      `with opened as (
         insert into engine.alerts (alert_id, tenant_id, rule, kind, subject, severity, message)
         select id, $1, 'ingest_failure', 'event', id::text, 'ERROR', '[INGEST FAILURE] x: internal' from unnest($2::uuid[]) as id
         returning alert_id
       )
       insert into engine.alert_sends (tenant_id, sink_id, alert_id, what)
       select $1, k.sink_id, o.alert_id, 'open' from opened o, engine.alert_sinks k where k.tenant_id = $1`,
      [tenantId, ids],
    );
    await dieAt('alerts.folded');
    expect((await sendsOf(tenantId)).filter(({ status }) => status === 'waiting')).toHaveLength(15);
    await sendAll(db);
    await leaseOver(tenantId);
    await sendUntilSettled(tenantId);
    const told = (await sendsOf(tenantId)).map(({ what, status }) => `${what} ${status}`);
    expect(told.filter((each) => each === 'open sent')).toHaveLength(10);
    expect(told.filter((each) => each === 'open folded')).toHaveLength(5);
    expect(told.filter((each) => each === 'digest sent')).toHaveLength(1);
  });
});
