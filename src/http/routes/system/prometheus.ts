// GET /metrics: the figures of this process for Prometheus. Open to this machine; to others only with METRICS_TOKEN.
import { collectDefaultMetrics, register } from 'prom-client';
import { deliveryStatuses } from '../../../contract/api/webhook-events.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { readPace } from '../../../engine/reads/read-pace.ts';
import { countWorkersAlive, readBacklog, readTrouble } from '../../../engine/reads/read-queue.ts';
import { readThrottling } from '../../../engine/reads/read-throttling.ts';
import { readOpenAlertCounts } from '../../../outbound/alerts/sql/count-alerts.ts';
import { countDeliveries } from '../../../outbound/webhooks/sql/look-after-deliveries.ts';
import type { Pool, Queryable } from '../../../platform/database.ts';
import { leastUuidv7 } from '../../../platform/ids.ts';
import type { AppContext } from '../../app-context.ts';
import { handle } from '../../call.ts';
import { gauge } from '../../gauge.ts';
import { mayReadMetrics } from '../../metrics/may-read-metrics.ts';
import { refreshSignGauges } from '../../metrics/sign-gauges.ts';
import { providersOf } from '../../pipeline-parts.ts';
import { measureLatency, measurePoolWait } from './database-pace.ts';

const runs = gauge('millrace_runs', 'Runs that wait or run.', ['pipeline', 'phase']);
const pending = gauge('millrace_pending_count', 'Runs that have not ended: waiting, held or at work.', ['pipeline']);
const oldest = gauge('millrace_oldest_waiting_seconds', 'Age of the run that has waited longest.', ['pipeline']);
const workers = gauge('millrace_workers_alive', 'Workers whose lease has not expired.', []);
const letters = gauge('millrace_dead_letters', 'Runs that wait for a person, see /v1/dead-letters.', ['pipeline']);
const stale = gauge('millrace_stale_runs', 'Runs whose worker has gone silent and that nobody has taken over.', [
  'pipeline',
]);
const alerts = gauge('millrace_alerts_open', 'Open alerts.', ['rule', 'severity']);
const runSeconds = gauge('millrace_run_seconds', 'Mean time of runs that ended well, last hour.', ['pipeline']);
const itemRate = gauge('millrace_items_per_second', 'Items read for each second of work, last hour.', ['pipeline']);
const errorRatio = gauge('millrace_run_error_ratio', 'Share of ended runs that failed, last hour.', ['pipeline']);
const notFoundRatio = gauge(
  'millrace_run_not_found_ratio',
  'Share of ended runs that failed because something was not found, last hour.',
  ['pipeline'],
);
const throttled = gauge('millrace_throttled_attempts', 'Attempts that were told to wait, last hour.', ['pipeline']);
const apiAttempts = gauge(
  'millrace_api_attempts',
  'Attempts that asked a provider, last hour, of runs made since then or waiting now.',
  ['provider'],
);
const apiThrottled = gauge('millrace_api_throttled_attempts', 'Of those, the ones that were told to wait.', [
  'provider',
]);
const apiThrottleRatio = gauge('millrace_api_throttle_ratio', 'Their share.', ['provider']);
const deliveries = gauge(
  'millrace_webhook_deliveries',
  'Webhook deliveries: waiting and sending now, delivered and failed of the last hour’s events.',
  ['status'],
);
const latency = gauge(
  'millrace_database_latency_seconds',
  'Moving average of the smallest question to the database.',
  [],
);
const connections = gauge(
  'millrace_pool_connections',
  'Connections of this process: open, idle, and callers that wait for one.',
  ['pool', 'state'],
);
const poolWait = gauge('millrace_pool_wait_seconds', 'How long a caller waits now for a connection.', ['pool']);
const HOUR_MS = 3_600_000;
let isCollecting = false;

export const prometheus = handle('system.prometheus', async ({ app, origin, request, reply }) => {
  const { host, metricsToken } = app.settings;
  if (!mayReadMetrics({ host, token: metricsToken }, origin.ip, request.headers.authorization))
    throw new MillraceError('unauthenticated');
  collectProcessMetrics();
  await refreshDatabaseGauges({ api: app.pool, ...app.engine?.pools });
  if (app.engine !== undefined) {
    await refreshSignGauges(app.engine);
    await refreshQueueGauges(app.engine.pools.control);
    await refreshPaceGauges(app.engine.pools.control);
    await refreshThrottlingGauges(app.engine.pools.control, app);
    for (const { figures } of Object.values(app.pipelines ?? {}))
      await figures?.refreshGauges?.(app.engine.pools.control);
    await refreshDeliveryGauges(app.engine.pools.control);
  }
  return reply.type(register.contentType).send(await register.metrics());
});

/** Memory, event loop, garbage collection. */
export function collectProcessMetrics(): void {
  if (!isCollecting) collectDefaultMetrics({ prefix: 'millrace_' });
  isCollecting = true;
}

/** Of this process. */
export async function refreshDatabaseGauges(pools: { api?: Pool; control?: Pool; effects?: Pool }): Promise<void> {
  const asked = pools.api ?? pools.control;
  if (asked !== undefined) latency.set(await measureLatency(asked));
  for (const [pool, each] of Object.entries({ api: pools.api, control: pools.control, effects: pools.effects })) {
    if (each === undefined) continue;
    poolWait.set({ pool }, await measurePoolWait(each));
    connections.set({ pool, state: 'open' }, each.totalCount);
    connections.set({ pool, state: 'idle' }, each.idleCount);
    connections.set({ pool, state: 'waiting' }, each.waitingCount);
  }
}

async function refreshDeliveryGauges(control: Queryable): Promise<void> {
  const counts = new Map((await countDeliveries(control)).map(({ status, count }) => [status, count]));
  for (const status of deliveryStatuses) deliveries.set({ status }, counts.get(status) ?? 0);
}

async function refreshPaceGauges(control: Queryable): Promise<void> {
  for (const each of [runSeconds, itemRate, errorRatio, notFoundRatio, throttled]) each.reset();
  for (const { pipeline, ...pace } of await readPace(control, null, leastUuidv7(Date.now() - HOUR_MS))) {
    throttled.set({ pipeline }, pace.throttled);
    if (pace.seconds !== null) runSeconds.set({ pipeline }, pace.seconds);
    if (pace.items_per_second !== null) itemRate.set({ pipeline }, pace.items_per_second);
    if (pace.error_ratio !== null) errorRatio.set({ pipeline }, pace.error_ratio);
    if (pace.not_found_ratio !== null) notFoundRatio.set({ pipeline }, pace.not_found_ratio);
  }
}

/** Providers by the type Airbyte or a pipeline gives them, a bounded number of names. */
async function refreshThrottlingGauges(control: Queryable, app: AppContext): Promise<void> {
  for (const each of [apiAttempts, apiThrottled, apiThrottleRatio]) each.reset();
  const sinceMs = Date.now() - HOUR_MS;
  for (const row of await readThrottling(control, null, leastUuidv7(sinceMs), new Date(sinceMs), providersOf(app))) {
    const { provider, attempts, throttled: told } = row;
    apiAttempts.set({ provider }, attempts);
    apiThrottled.set({ provider }, told);
    apiThrottleRatio.set({ provider }, told / attempts);
  }
}

/** Of the whole installation: names of pipelines, never of tenants. */
async function refreshQueueGauges(control: Queryable): Promise<void> {
  const backlog = await readBacklog(control);
  for (const { pipeline, waiting, held, active, oldest_s: oldestS } of backlog) {
    pending.set({ pipeline }, waiting + held + active);
    runs.set({ pipeline, phase: 'waiting' }, waiting);
    runs.set({ pipeline, phase: 'active' }, active);
    oldest.set({ pipeline }, oldestS ?? 0);
  }
  workers.set(await countWorkersAlive(control));
  for (const { pipeline, dead_letters: dead, stale: silent } of await readTrouble(control)) {
    letters.set({ pipeline }, dead);
    stale.set({ pipeline }, silent);
  }
  alerts.reset();
  for (const { rule, severity, open } of await readOpenAlertCounts(control)) alerts.set({ rule, severity }, open);
}
