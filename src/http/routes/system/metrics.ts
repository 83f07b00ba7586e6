// GET /api/metrics: the figures of this tenant. `ingest` keeps the names of the judgments specification and counts judgments only;
// `syncs` holds the figures the sync specification names; `pipelines` counts every pipeline alike.
import { recentFigures } from '../../../pipelines/syncs/figures.ts';
import type { SyncFigures } from '../../../pipelines/syncs/sql/read-figures.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { countWorkersAlive, type LaneRow, readLanes } from '../../sql/read-queue.ts';
import {
  countFlaggedRuns,
  countOpenAlerts,
  type FlaggedCount,
  readIngestFigures,
} from '../../sql/read-tenant-figures.ts';
import { look } from '../change.ts';

const INGEST = 'judgments';

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
  const oldest = lanes.map((lane) => lane.oldest_waiting_at?.getTime()).filter((time) => time !== undefined);
  return {
    ingest: {
      backlog_count: backlogOf(lanes.filter(({ pipeline }) => pipeline === INGEST)),
      ...ingest,
      last_failed_at: ingest.last_failed_at?.toISOString() ?? null,
    },
    pipelines: countPhases(lanes, flagged),
    syncs: viewSyncs(syncs),
    open_alerts: openAlerts,
    workers_alive: workersAlive,
    oldest_waiting_s: oldest.length === 0 ? null : Math.max(0, (Date.now() - Math.min(...oldest)) / 1000),
  };
});

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
