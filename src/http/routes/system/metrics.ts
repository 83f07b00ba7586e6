// GET /api/metrics: the figures of this tenant. `pipelines` counts all runs of every pipeline alike, `pace` holds the figures of the jobs
// specification; pipelines add sections of their own, in the words of their specifications.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { PipelineSection } from '../../../contract/pipelines/routes.ts';
import { readPace } from '../../../engine/reads/read-pace.ts';
import { countWorkersAlive, type LaneRow, readLanes } from '../../../engine/reads/read-queue.ts';
import { readThrottling } from '../../../engine/reads/read-throttling.ts';
import { countOpenAlerts } from '../../../outbound/alerts/sql/count-alerts.ts';
import type { Queryable } from '../../../platform/database.ts';
import { leastUuidv7 } from '../../../platform/ids.ts';
import type { AppContext } from '../../app-context.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { countRuns } from '../../metrics/run-counts.ts';
import { type FiguresQuestion, providersOf } from '../../pipeline-parts.ts';
import { look } from '../change.ts';
import { measureLatency, measurePoolWait } from './database-pace.ts';

const HOUR_MS = 3_600_000;

export const tenantMetrics = handle('system.metrics', async (call) => {
  const { control } = engineOf(call).pools;
  const { tenantId } = call.principal;
  const [lanes, workersAlive] = await Promise.all([readLanes(control, tenantId), countWorkersAlive(control)]);
  const { pipelines, sections, openAlerts } = await look(call, async (db) => ({
    pipelines: await countRuns(call.app.pool, db, tenantId, lanes),
    sections: await readSections(call.app, { tenantId, db, control }, lanes),
    openAlerts: await countOpenAlerts(db, tenantId),
  }));
  const unended = Object.values(pipelines).reduce((sum, { waiting, active }) => sum + waiting + active, 0);
  const pace = { ...(await paceOf(call.app, control, tenantId, lanes)), pending_count: unended };
  const oldest = lanes.map((lane) => lane.oldest_waiting_at?.getTime()).filter((time) => time !== undefined);
  return {
    ...sections,
    pipelines,
    pace,
    open_alerts: openAlerts,
    workers_alive: workersAlive,
    oldest_waiting_s: oldest.length === 0 ? null : Math.max(0, (Date.now() - Math.min(...oldest)) / 1000),
  };
});

/** The schema of the answer says which sections there are; it is checked when the answer is written. */
async function readSections(
  app: AppContext,
  question: Omit<FiguresQuestion, 'lanes'>,
  lanes: readonly LaneRow[],
): Promise<Pick<AnswerOf<'system.metrics'>, PipelineSection>> {
  const sections: Record<string, unknown> = {};
  for (const [name, { figures }] of Object.entries(app.pipelines ?? {})) {
    const own = lanes.filter(({ pipeline }) => pipeline === name);
    Object.assign(sections, await figures?.sections?.({ ...question, lanes: own }));
  }
  return sections as Pick<AnswerOf<'system.metrics'>, PipelineSection>;
}

async function paceOf(
  app: AppContext,
  control: Queryable,
  tenantId: string,
  lanes: readonly LaneRow[],
): Promise<Omit<AnswerOf<'system.metrics'>['pace'], 'pending_count'>> {
  const sinceMs = Date.now() - HOUR_MS;
  const sinceId = leastUuidv7(sinceMs);
  const [rows, throttling, latencyS, waitS] = await Promise.all([
    readPace(control, tenantId, sinceId),
    readThrottling(control, tenantId, sinceId, new Date(sinceMs), providersOf(app)),
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
