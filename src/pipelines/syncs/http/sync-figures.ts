// The figures the sync specification names: the section `syncs` of GET /api/metrics, and gauges of GET /metrics.
import { gauge } from '../../../http/gauge.ts';
import type { FiguresQuestion } from '../../../http/pipeline-parts.ts';
import type { Queryable } from '../../../platform/database.ts';
import { recentFigures } from '../figures.ts';
import type { SyncFigures } from '../sql/read-figures.ts';

const syncsQueued = gauge('millrace_sync_jobs_queued_last_minute', 'Sync jobs queued in the last minute.', []);
const syncRate = gauge('millrace_sync_success_ratio', 'Share of syncs that succeeded, last day.', ['connector']);
const syncSeconds = gauge('millrace_sync_duration_seconds', 'Mean duration of syncs that succeeded, last day.', []);
const syncLetters = gauge('millrace_sync_dead_letters', 'Syncs in the dead letter queue.', ['tenant']);
const syncRetryRate = gauge(
  'millrace_sync_retry_ratio',
  'Share of executions of syncs that ended in a retry, by error, last day.',
  ['error_code'],
);
const syncRetries = gauge('millrace_sync_retries', 'Retries of syncs by error, last day.', ['error_code']);

export async function syncSection({ control, tenantId }: FiguresQuestion) {
  return { syncs: viewSyncs(await recentFigures(control, tenantId)) };
}

/** Connectors and tenants by id only: whose they are is not said. */
export async function refreshSyncGauges(control: Queryable): Promise<void> {
  const figures = await recentFigures(control, null);
  for (const each of [syncRate, syncLetters, syncRetries, syncRetryRate]) each.reset();
  syncsQueued.set(figures.queued_last_minute);
  syncSeconds.set(figures.average_seconds ?? 0);
  for (const { connector_id: connector, succeeded, dead } of figures.ended)
    if (succeeded + dead > 0) syncRate.set({ connector }, succeeded / (succeeded + dead));
  for (const { tenant_id: tenant, count } of figures.dead_letters) syncLetters.set({ tenant }, count);
  for (const { error_code: code, count } of figures.retries) {
    syncRetries.set({ error_code: code }, count);
    if (figures.executions > 0) syncRetryRate.set({ error_code: code }, count / figures.executions);
  }
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
    retry_rate:
      figures.executions === 0 ? null : figures.retries.reduce((sum, { count }) => sum + count, 0) / figures.executions,
    retries_by_error: Object.fromEntries(figures.retries.map(({ error_code: code, count }) => [code, count])),
  };
}
