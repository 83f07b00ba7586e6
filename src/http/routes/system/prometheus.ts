// GET /metrics: the figures of this process for Prometheus. Open to this machine; to others only with METRICS_TOKEN.
import { timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import { isLoopback } from '../../../access/open-door.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../../platform/database.ts';
import { handle } from '../../call.ts';
import { countWorkersAlive, readBacklog } from '../../sql/read-queue.ts';

const runs = gauge('millrace_runs', 'Runs that wait or run.', ['pipeline', 'phase']);
const oldest = gauge('millrace_oldest_waiting_seconds', 'Age of the run that has waited longest.', ['pipeline']);
const workers = gauge('millrace_workers_alive', 'Workers whose lease has not expired.', []);
let isCollecting = false;

export const prometheus = handle('system.prometheus', async ({ app, origin, request, reply }) => {
  const { metricsToken } = app.settings;
  const isOpen = metricsToken === undefined && isLoopback(origin.ip ?? '') && isLoopback(app.settings.host);
  const given = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
  if (!isOpen && !isSame(given, metricsToken)) throw new MillraceError('unauthenticated');
  if (!isCollecting) collectDefaultMetrics({ prefix: 'millrace_' });
  isCollecting = true;
  if (app.engine !== undefined) await refreshQueueGauges(app.engine.pools.control);
  return reply.type(register.contentType).send(await register.metrics());
});

/** Of the whole installation: names of pipelines, never of tenants. */
async function refreshQueueGauges(control: Queryable): Promise<void> {
  const backlog = await readBacklog(control);
  for (const { pipeline, waiting, active, oldest_s: oldestS } of backlog) {
    runs.set({ pipeline, phase: 'waiting' }, waiting);
    runs.set({ pipeline, phase: 'active' }, active);
    oldest.set({ pipeline }, oldestS ?? 0);
  }
  workers.set(await countWorkersAlive(control));
}

function gauge(name: string, help: string, labelNames: string[]): Gauge {
  return (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help, labelNames });
}

function isSame(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const [one, two] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === two.length && timingSafeEqual(one, two);
}
