// GET /api/metrics: the figures of this tenant. `ingest` keeps the names of the judgments specification.
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { countStaleRuns, countWorkersAlive, readLanes } from '../../sql/read-queue.ts';
import { countFlaggedRuns, readFailureFigures, readMeanSeconds } from '../../sql/read-tenant-figures.ts';
import { look } from '../change.ts';

export const tenantMetrics = handle('system.metrics', async (call) => {
  const { control } = engineOf(call).pools;
  const { tenantId } = call.principal;
  const [lanes, stale, workersAlive] = await Promise.all([
    readLanes(control, tenantId),
    countStaleRuns(control, tenantId),
    countWorkersAlive(control),
  ]);
  const { flagged, failures, meanS } = await look(call, async (db) => ({
    flagged: await countFlaggedRuns(db, tenantId),
    failures: await readFailureFigures(db, tenantId),
    meanS: await readMeanSeconds(db, tenantId),
  }));
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
  const oldest = lanes.map((lane) => lane.oldest_waiting_at?.getTime()).filter((time) => time !== undefined);
  return {
    ingest: {
      backlog_count: lanes.reduce((total, lane) => total + lane.waiting + lane.active, 0),
      last_failed_batch: failures.last_failed_batch,
      last_failed_at: failures.last_failed_at?.toISOString() ?? null,
      failed_24h: failures.failed_24h,
      stale_runs: stale,
      avg_processing_s: meanS,
      dead_letters: failures.dead_letters,
    },
    pipelines,
    workers_alive: workersAlive,
    oldest_waiting_s: oldest.length === 0 ? null : Math.max(0, (Date.now() - Math.min(...oldest)) / 1000),
  };
});
