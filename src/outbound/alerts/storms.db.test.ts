// A storm: many alerts of one rule in a short time. A sink hears of the first ones and then one digest; the list has them all.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSink, quickAlerts, sendAll } from '../../../test/support/alerts.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type Receiver, startReceiver, testBox } from '../../../test/support/webhooks.ts';
import { silentLog } from '../../platform/log.ts';
import { digestOf } from './messages.ts';
import { sendDue } from './sender.ts';
import { openAlerts, remindOfAlerts, resolveAlerts } from './sql/write-alerts.ts';

const db = useDatabase();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** Opens `count` alerts of one rule, each of a run of its own. */
async function openMany(tenantId: string, count: number, rule = 'ingest_failure'): Promise<string[]> {
  const drafts = Array.from({ length: count }, () => {
    const runId = randomUUID();
    return {
      alertId: randomUUID(),
      tenantId,
      rule,
      kind: 'event' as const,
      subject: runId,
      severity: 'ERROR' as const,
      message: `[INGEST FAILURE] ${runId}: input_invalid`,
      pipeline: 'ads',
      runId,
      value: null,
      threshold: null,
      expiresMinutes: 60,
    };
  });
  await openAlerts(db.engine, drafts);
  return drafts.map(({ alertId }) => alertId);
}

interface Body {
  readonly type?: string;
  readonly event_action?: string;
  readonly dedup_key?: string;
  readonly message?: string;
  readonly link?: string;
  readonly occurrences?: number;
  readonly run_id?: string | null;
  readonly payload?: { readonly summary: string };
  readonly client_url?: string;
}

const bodiesOf = (tenantId: string, kind: string) =>
  receiver.received
    .filter(({ path }) => path === `/${tenantId}/${kind}`)
    .map(({ body }) => JSON.parse(body) as Body & { content?: string; text?: string });

/** As if so much time had passed for everything of the tenant. */
async function pass(tenantId: string, seconds: number): Promise<void> {
  await db.admin.query(
    `update engine.alert_sends
     set sent_at = sent_at - $2 * interval '1 second', next_at = next_at - $2 * interval '1 second' where tenant_id = $1`,
    [tenantId, seconds],
  );
}

const statusesOf = async (tenantId: string) => {
  const { rows } = await db.admin.query<{ word: string; count: number }>(
    `select what || ' ' || status as word, count(*)::int as count from engine.alert_sends where tenant_id = $1 group by 1`,
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ word, count }) => [word, count]));
};

describe('two hundred alerts of one rule within a minute', () => {
  it.each(['discord', 'slack', 'webhook', 'pagerduty'] as const)(
    'are ten messages to %s and one digest that says "and 190 more"; all are in the list',
    async (kind) => {
      const tenantId = newTenant();
      await buildSink(db, tenantId, kind, receiver.url);
      for (let told = 0; told < 4; told += 1) {
        await openMany(tenantId, 50);
        await sendAll(db);
      }
      expect(bodiesOf(tenantId, kind)).toHaveLength(10);
      await pass(tenantId, 60);
      await sendAll(db);
      const bodies = bodiesOf(tenantId, kind);
      expect(bodies).toHaveLength(11);
      const text = JSON.stringify(bodies[10]);
      expect(text).toContain('[INGEST FAILURE] and 190 more (rule ingest_failure)');
      expect(text).toContain('https://millrace.example/operate/alerts');
      expect(text).not.toContain('/r/');
      expect(await statusesOf(tenantId)).toEqual({ 'open sent': 10, 'open folded': 190, 'digest sent': 1 });
      const { rowCount } = await db.admin.query(`select from engine.alerts where tenant_id = $1`, [tenantId]);
      expect(rowCount).toBe(200);
    },
  );

  it('go on as one digest a span, and one by one again after a span of quiet', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'webhook', receiver.url);
    await openMany(tenantId, 30);
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    await openMany(tenantId, 5);
    await sendAll(db);
    expect(bodiesOf(tenantId, 'webhook')).toHaveLength(11);
    await pass(tenantId, 59);
    await sendAll(db);
    expect(bodiesOf(tenantId, 'webhook')).toHaveLength(11);
    await pass(tenantId, 1);
    await sendAll(db);
    expect(bodiesOf(tenantId, 'webhook').slice(10)).toMatchObject([
      { type: 'alert.digest', occurrences: 20 },
      { type: 'alert.digest', occurrences: 5 },
    ]);
    await pass(tenantId, 61);
    await openMany(tenantId, 1);
    await sendAll(db);
    expect(bodiesOf(tenantId, 'webhook').at(-1)).toMatchObject({ type: 'alert.opened' });
  });

  it('do not fold another rule, another tenant or another sink', async () => {
    const [loud, quiet] = [newTenant(), newTenant()];
    await buildSink(db, loud, 'webhook', receiver.url);
    await buildSink(db, loud, 'slack', receiver.url, { minSeverity: 'CRITICAL' });
    await buildSink(db, quiet, 'webhook', receiver.url);
    await openMany(loud, 50);
    await openMany(loud, 3, 'stale_takeover');
    await openMany(quiet, 10);
    await sendAll(db);
    expect(bodiesOf(loud, 'webhook')).toHaveLength(13);
    expect(bodiesOf(quiet, 'webhook')).toHaveLength(10);
    expect(bodiesOf(loud, 'slack')).toHaveLength(0);
  });

  it('are sent one by one where digests are switched off', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'webhook', receiver.url);
    await openMany(tenantId, 30);
    await sendAll(db, { digestAfter: 0 });
    expect(bodiesOf(tenantId, 'webhook')).toHaveLength(30);
  });

  it('make one digest, also when several processes send', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'webhook', receiver.url);
    await openMany(tenantId, 60);
    const options = { pool: db.engine, box: testBox, log: silentLog, settings: quickAlerts };
    const sendAlone = async () => {
      while ((await sendDue(options)) > 0);
    };
    await Promise.all(Array.from({ length: 5 }, sendAlone));
    await sendAll(db);
    expect(await statusesOf(tenantId)).toEqual({ 'open sent': 10, 'open folded': 50, 'digest waiting': 1 });
  });
});

describe('when the storm is over', () => {
  it('PagerDuty keeps a key per alert, one for all digests, and each incident is closed', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'pagerduty', receiver.url);
    const alerts = await openMany(tenantId, 25);
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    alerts.push(...(await openMany(tenantId, 5)));
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    const digestKey = `millrace-digest-${tenantId}-ingest_failure`;
    const told = bodiesOf(tenantId, 'pagerduty');
    expect(told.slice(10).map(({ dedup_key: key }) => key)).toEqual([digestKey, digestKey]);
    expect(new Set(told.slice(0, 10).map(({ dedup_key: key }) => key)).size).toBe(10);
    const last = alerts.pop() as string;
    await resolveAlerts(
      db.engine,
      alerts,
      alerts.map(() => 'retried'),
    );
    await sendAll(db);
    const resolved = () => bodiesOf(tenantId, 'pagerduty').filter(({ event_action: action }) => action === 'resolve');
    expect(resolved().map(({ dedup_key: key }) => key)).toEqual(told.slice(0, 10).map(({ dedup_key: key }) => key));
    await resolveAlerts(db.engine, [last], ['retried']);
    await sendAll(db);
    expect(resolved().at(-1)).toMatchObject({ dedup_key: digestKey });
    expect(resolved()).toHaveLength(11);
  });

  it('a chat hears that the first ones are over, and nothing of those it heard of in a digest', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'slack', receiver.url);
    const alerts = await openMany(tenantId, 25);
    // Over before anything was sent: what is folded takes its end with it.
    await resolveAlerts(
      db.engine,
      alerts,
      alerts.map(() => 'retried'),
    );
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    const texts = bodiesOf(tenantId, 'slack').map(({ text }) => text ?? '');
    expect(texts.filter((text) => text.startsWith('[RESOLVED]'))).toHaveLength(10);
    expect(texts.filter((text) => text.includes('and 15 more'))).toHaveLength(1);
    expect(texts).toHaveLength(21);
  });

  it('reminders of what is still open are folded as well, and an alert that was reminded of is closed', async () => {
    const tenantId = newTenant();
    await buildSink(db, tenantId, 'pagerduty', receiver.url);
    const alerts = await openMany(tenantId, 25);
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    await pass(tenantId, 86_400);
    await db.admin.query(`update engine.alerts set opened_at = opened_at - interval '2 days' where tenant_id = $1`, [
      tenantId,
    ]);
    await remindOfAlerts(db.engine, 86_400_000, 500);
    await sendAll(db);
    await pass(tenantId, 60);
    await sendAll(db);
    const told = bodiesOf(tenantId, 'pagerduty');
    expect(told).toHaveLength(22);
    await resolveAlerts(
      db.engine,
      alerts,
      alerts.map(() => 'retried'),
    );
    await sendAll(db);
    const opened = new Set(told.map(({ dedup_key: key }) => key));
    const closed = bodiesOf(tenantId, 'pagerduty').filter(({ event_action: action }) => action === 'resolve');
    expect(new Set(closed.map(({ dedup_key: key }) => key))).toEqual(opened);
  });
});

describe('the words of a digest', () => {
  it('begin as the alerts do, hold a count and a rule, and nothing of a run', () => {
    expect(digestOf('stale_takeover', '[STALE TAKEOVER] batch-7 abandoned for 2h', 3)).toBe(
      '[STALE TAKEOVER] and 3 more (rule stale_takeover)',
    );
    expect(digestOf('backlog', 'Ingest backlog at 101 pending or processing jobs', 3)).toBe(
      '[ALERTS] and 3 more (rule backlog)',
    );
  });
});
