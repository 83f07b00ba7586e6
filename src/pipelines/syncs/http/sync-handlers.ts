// /v1/syncs: trigger, list, show and cancel syncs, and the figures to watch.

import { type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { actorOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import { splitWords } from '../../../http/run-views/find-runs.ts';
import { wire, wirePage } from '../../../http/wire.ts';
import { cancelSync } from '../cancel-sync.ts';
import { JobDispatcher } from '../dispatcher.ts';
import { recentFigures } from '../figures.ts';
import type { SyncFigures } from '../sql/read-figures.ts';
import { listJobs } from '../sql/read-jobs.ts';
import type { SyncService } from '../sync-service.ts';

export function syncHandlers(service: SyncService): Handlers {
  return {
    ...handle('syncs.trigger', async ({ body, principal, origin, trail }) => {
      const correlationId = body.correlation_id ?? origin.correlationId;
      const { job, created } = await new JobDispatcher(service, principal.tenantId).dispatch({
        connectorId: body.connector_id,
        asSupport: principal.role === 'support',
        ...(correlationId === null ? {} : { correlationId }),
        ...(principal.kind === 'user' ? { createdBy: principal.actorId } : {}),
      });
      trail.acted({ target: body.connector_id, data: { run: job.job_id, created } });
      return { created, sync: wire(job) };
    }),
    ...handle('syncs.list', async (call) => {
      const { limit, after, connector_id: connectorId = null, status } = call.query;
      const beforeId = readCursor(after, shapes.uuid)?.[0] ?? null;
      const rows = await look(call, (db, tenantId) =>
        listJobs(db, { tenantId, connectorId, statuses: splitWords(status), beforeId, limit: limit + 1 }),
      );
      return wirePage(pageOf(rows, limit, (row) => writeCursor(row.job_id)));
    }),
    ...handle('syncs.figures', async (call) => {
      const figures = await look(call, (db, tenantId) => recentFigures(db, tenantId));
      return {
        queued_last_minute: figures.queued_last_minute,
        success_rate_by_connector: figures.ended.map((each) => ({ ...each, rate: rateOf(each) })),
        average_duration_seconds: figures.average_seconds,
        dead_letters: figures.dead_letters.reduce((sum, { count }) => sum + count, 0),
        ...retryRates(figures),
      };
    }),
    ...handle('syncs.show', async ({ principal, params }) =>
      wire(await new JobDispatcher(service, principal.tenantId).job(params.job_id)),
    ),
    ...handle('syncs.cancel', async ({ principal, params, app, trail }) => {
      const cancelled = await cancelSync(service, actorOf(principal), params.job_id, app.log);
      trail.acted({ target: params.job_id, data: { status: cancelled.status } });
      return wire(cancelled);
    }),
  };
}

function retryRates({ executions, retries }: SyncFigures) {
  const share = (count: number) => (executions === 0 ? 0 : count / executions);
  return {
    retry_rate: executions === 0 ? null : share(retries.reduce((sum, { count }) => sum + count, 0)),
    retries_by_error: retries.map((each) => ({ ...each, rate: share(each.count) })),
  };
}

function rateOf({ succeeded, dead }: { succeeded: number; dead: number }): number | null {
  return succeeded + dead === 0 ? null : succeeded / (succeeded + dead);
}
