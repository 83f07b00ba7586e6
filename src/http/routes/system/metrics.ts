// GET /api/metrics: the figures of this tenant. `ingest` keeps the names of the judgments specification and counts judgments only;
// `syncs` holds the figures the sync specification names, `pace` those of the jobs specification; `pipelines` counts every pipeline
// alike.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { recentFigures } from '../../../pipelines/syncs/figures.ts';
import type { SyncFigures } from '../../../pipelines/syncs/sql/read-figures.ts';
import type { Queryable } from '../../../platform/database.ts';
import { leastUuidv7 } from '../../../platform/ids.ts';
import type { AppContext } from '../../app-context.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { readPace } from '../../sql/read-pace.ts';
import { countWorkersAlive, type LaneRow, readLanes } from '../../sql/read-queue.ts';
import {
  countFlaggedRuns,
  countOpenAlerts,
  type FlaggedCount,
  readIngestFigures,
} from '../../sql/read-tenant-figures.ts';
import { readThrottling } from '../../sql/read-throttling.ts';
import { look } from '../change.ts';
import { measureLatency, measurePoolWait } from './database-pace.ts';

const INGEST = 'judgments';
const HOUR_MS = 3_600_000;

export const tenantMetrics = handle('system.metrics', async (call) => {
  const { control } = engineOf(call).pools;
  const { tenantId } = call.principal;
  const [lanes, workersAlive, syncs] = await Promise.all([
    readLanes(control, tenantId),
    countWorkersAlive(control),
    recentFigures(control, tenantId),
  ]);
  const { flagged, ingest, openAlerts } = await look(call, async (db) => ({
    flagged: await countFlaggedRuns(db, tenantId),
    ingest: await readIngestFigures(db, tenantId),
    openAlerts: await countOpenAlerts(db, tenantId),
  }));
  const pace = await paceOf(call.app, control, tenantId, lanes);
  const oldest = lanes.map((lane) => lane.oldest_waiting_at?.getTime()).filter((time) => time !== undefined);
  return {
    ingest: {
      backlog_count: backlogOf(lanes.filter(({ pipeline }) => pipeline === INGEST)),
      ...ingest,
      last_failed_at: ingest.last_failed_at?.toISOString() ?? null,
    },
    pipelines: countPhases(lanes, flagged),
    syncs: viewSyncs(syncs),
    pace,
    open_alerts: openAlerts,
    workers_alive: workersAlive,
    oldest_waiting_s: oldest.length === 0 ? null : Math.max(0, (Date.now() - Math.min(...oldest)) / 1000),
  };
});

async function paceOf(
  app: AppContext,
  control: Queryable,
  tenantId: string,
  lanes: readonly LaneRow[],
): Promise<AnswerOf<'system.metrics'>['pace']> {
  const sinceMs = Date.now() - HOUR_MS;
  const sinceId = leastUuidv7(sinceMs);
  const [rows, throttling, latencyS, waitS] = await Promise.all([
    readPace(control, tenantId, sinceId),
    readThrottling(control, tenantId, sinceId, new Date(sinceMs)),
    measureLatency(app.pool),
    measurePoolWait(app.pool),
  ]);
  const byPipeline = rows.map(({ pipeline, seconds, items_per_second: items, error_ratio, not_found_ratio }) => [
    pipeline,
    {
      ingest_ms: seconds === null ? null : seconds * 1_000,
      items_sec: items,
      error_rate: error_ratio,
      not_found_rate: not_found_ratio,
    },
  ]);
  return {
    by_pipeline: Object.fromEntries(byPipeline),
    api_throttle_rate: Object.fromEntries(throttling.map((row) => [row.provider, row.throttled / row.attempts])),
    queue_depth: lanes.reduce((total, lane) => total + lane.waiting, 0),
    db_latency_ewma_ms: latencyS * 1_000,
    pool_wait_ms: waitS * 1_000,
  };
}

function backlogOf(lanes: readonly LaneRow[]): number {
  return lanes.reduce((total, lane) => total + lane.waiting + lane.active, 0);
}

function countPhases(lanes: readonly LaneRow[], flagged: readonly FlaggedCount[]) {
  const pipelines: Record<string, Record<string, number>> = {};
  const add = (pipeline: string, phase: string, count: number) => {
    const counts = pipelines[pipeline] ?? {};
    pipelines[pipeline] = { ...counts, [phase]: (counts[phase] ?? 0) + count };
  };
  for (const lane of lanes) {
    add(lane.pipeline, 'waiting', lane.waiting);
    add(lane.pipeline, 'active', lane.active);
  }
  for (const each of flagged) add(each.pipeline, each.phase, each.count);
  return pipelines;
}

function viewSyncs(figures: SyncFigures) {
  const ended = figures.ended.filter(({ succeeded, dead }) => succeeded + dead > 0);
  return {
    jobs_queued_per_minute: figures.queued_last_minute,
    success_rate_by_connector: Object.fromEntries(
      ended.map(({ connector_id: connector, succeeded, dead }) => [connector, succeeded / (succeeded + dead)]),
    ),
    avg_duration_s: figures.average_seconds,
    dlq_size: figures.dead_letters.reduce((total, { count }) => total + count, 0),
    retries_by_error: Object.fromEntries(figures.retries.map(({ error_code: code, count }) => [code, count])),
  };
}
