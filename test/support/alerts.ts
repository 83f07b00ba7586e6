// Alerts on a test database: small timings, sinks that point at a receiver on loopback, rounds that are run by hand.
import { inTenant } from '../../src/access/tenant-session.ts';
import type { AlertSinkKind } from '../../src/contract/api/alert-metrics.ts';
import { consumeOnce } from '../../src/engine/consumer.ts';
import { pumpEvents } from '../../src/engine/services/outbox-pump.ts';
import { type AlertSettings, defaultAlertSettings } from '../../src/outbound/alerts/alert-settings.ts';
import { evaluateAlerts } from '../../src/outbound/alerts/evaluator.ts';
import { alertConsumer } from '../../src/outbound/alerts/event-consumer.ts';
import { sendDue } from '../../src/outbound/alerts/sender.ts';
import { addSink, type SinkWish } from '../../src/outbound/alerts/sinks.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { TestDatabase } from './database.ts';
import { alertedKits } from './kit-parts.ts';
import { testBox } from './webhooks.ts';

export const quickAlerts: AlertSettings = {
  ...defaultAlertSettings,
  publicUrl: 'https://millrace.example',
  allowPrivate: true,
  // A receiver that answers is heard, however busy the machine; tests of one that does not have a limit of their own.
  timeoutMs: 60_000,
  evaluateMs: 0,
  settleMs: 0,
  backoffMs: 1,
  backoffCapMs: 5,
  pipelines: alertedKits,
};

export const alertService = { box: testBox, settings: quickAlerts };

export async function buildSink(
  database: TestDatabase,
  tenantId: string,
  kind: AlertSinkKind,
  url: string,
  wish: Partial<SinkWish> = {},
): Promise<string> {
  const sink = await inTenant(database.app, tenantId, (db) =>
    addSink(alertService, db, tenantId, {
      name: `${kind} sink`,
      kind,
      url: `${url}/${tenantId}/${kind}`,
      routingKey: kind === 'pagerduty' ? 'R0UT1NGKEY' : undefined,
      minSeverity: 'WARNING',
      sendResolved: true,
      enabled: true,
      ...wish,
    }),
  );
  return sink.sink_id;
}

/** Everything that has happened until now is judged. */
export async function judgeEvents({ engine: pool }: TestDatabase): Promise<void> {
  const consumer = { ...alertConsumer(alertedKits), pool, log: silentLog, everyMs: 1_000 };
  // A started engine pumps too: until nothing is left, whoever took it.
  while ((await pumpEvents(pool)) !== 0);
  while ((await consumeOnce(consumer)) > 0);
}

export async function evaluate(database: TestDatabase, settings: Partial<AlertSettings> = {}) {
  return evaluateAlerts(database.engine, { ...quickAlerts, ...settings });
}

/** Sends what is due until nothing is; messages that failed wait for their time. */
export async function sendAll(database: TestDatabase, settings: Partial<AlertSettings> = {}): Promise<number> {
  let sent = 0;
  for (;;) {
    const round = await sendDue({
      pool: database.engine,
      box: testBox,
      log: silentLog,
      settings: { ...quickAlerts, ...settings },
    });
    if (round === 0) return sent;
    sent += round;
  }
}
