// The figures by name, as rules know them.
import type { AlertMetric } from '../../contract/api/alert-metrics.ts';
import { countWorkersAlive } from '../../engine/reads/read-queue.ts';
import { readSigns } from '../../engine/reads/read-signs.ts';
import { readTenantsAtWork, readTenantsWithWork } from '../../engine/reads/read-tenants-with-work.ts';
import type { Queryable } from '../../platform/database.ts';
import { leastUuidv7 } from '../../platform/ids.ts';
import type { AlertedPipelines } from './pipeline-alerts.ts';
import * as read from './sql/read-metrics.ts';

/** A figure of a tenant; without a tenant it is the same for all of them, without a pipeline it is of none in particular. */
export interface Measured {
  readonly tenantId: string | null;
  readonly pipeline: string | null;
  readonly value: number;
}

export const DEFAULT_WINDOW_MINUTES = 60;

const MINUTE_MS = 60_000;

type Reader = (db: Queryable, minutes: number, pipelines: AlertedPipelines) => Promise<Measured[]>;

const readers: Readonly<Record<AlertMetric, Reader>> = {
  backlog: (db) => read.readBacklog(db).then(measured),
  dead_letters: (db) => read.readDeadLetters(db).then(measured),
  failed_runs: (db, minutes) => read.readFailedRuns(db, minutes).then(measured),
  stale_runs: (db, _, pipelines) => read.readStaleRuns(db, staleLimits(pipelines)).then(measured),
  oldest_waiting_s: (db) => read.readOldestWaiting(db).then(measured),
  avg_processing_s: (db, minutes) => read.readMeanSeconds(db, leastId(minutes)).then(measured),
  queued_runs: (db, minutes) => read.readQueuedRuns(db, leastId(minutes)).then(measured),
  success_percent: (db, minutes) => read.readSuccessPercent(db, leastId(minutes)).then(measured),
  retries: (db, minutes) => read.readRetries(db, leastId(minutes)).then(measured),
  throttled_percent: (db, minutes) => read.readThrottledPercent(db, leastId(minutes)).then(measured),
  not_found_percent: (db, minutes) => read.readNotFoundPercent(db, leastId(minutes)).then(measured),
  items_per_second: (db, minutes) => read.readItemsPerSecond(db, leastId(minutes)).then(measured),
  troubled_schedules: (db) => read.readTroubledSchedules(db).then(measured),
  no_end_s: async (db) => ofTenants(await readTenantsWithWork(db), (await readSigns(db)).no_end_s),
  oldest_end_s: async (db) => ofTenants(await readTenantsAtWork(db), (await readSigns(db)).oldest_end_s),
  ownerless_runs: (db) => read.readOwnerless(db).then(measured),
  workers_alive: async (db) => [{ tenantId: null, pipeline: null, value: await countWorkersAlive(db) }],
};

export function readMetric(
  db: Queryable,
  metric: AlertMetric,
  windowMinutes: number | null,
  pipelines: AlertedPipelines,
): Promise<Measured[]> {
  return readers[metric](db, windowMinutes ?? DEFAULT_WINDOW_MINUTES, pipelines);
}

function staleLimits(pipelines: AlertedPipelines): read.StaleLimit[] {
  return Object.entries(pipelines).flatMap(([pipeline, { staleAfter }]) =>
    staleAfter === undefined ? [] : [{ pipeline, ...staleAfter }],
  );
}

function measured(rows: readonly read.MetricRow[]): Measured[] {
  return rows.map(({ tenant_id: tenantId, pipeline, value }) => ({ tenantId, pipeline, value }));
}

/** A figure of the installation, told to each tenant that it keeps waiting. */
function ofTenants(tenants: readonly string[], value: number | null): Measured[] {
  return value === null ? [] : tenants.map((tenantId) => ({ tenantId, pipeline: null, value }));
}

function leastId(minutes: number): string {
  return leastUuidv7(Date.now() - minutes * MINUTE_MS);
}
