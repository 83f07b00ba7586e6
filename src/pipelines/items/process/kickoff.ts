// A kick-off: slices in the process of the request, for a stated time. It claims items as a worker does, and its results are fenced by the same claims; the
// run itself, its lease and its end stay with the workers (docs/decisions/0140-kick-off-by-item-fence.md).
import type { Engine } from '../../../engine/engine.ts';
import { type Pool, withTenant } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { ItemsDeps } from '../deps.ts';
import type { WholeJob } from '../sql/jobs.ts';
import { type SlicesEnd, workSlices } from './slices.ts';

export async function kickOff(
  { pool, log, deps }: { readonly engine: Engine; readonly pool: Pool; readonly log: Log; readonly deps: ItemsDeps },
  job: WholeJob,
  durationMs: number,
): Promise<SlicesEnd> {
  const until = performance.now() + durationMs;
  const stop = new AbortController();
  const host = {
    runId: job.latest_run_id,
    tenantId: job.tenant_id,
    worker: `kickoff:${uuidv7()}`,
    signal: stop.signal,
    log,
    transact: <T>(work: Parameters<typeof withTenant<T>>[2]) =>
      withTenant(pool, { tenantId: job.tenant_id, role: 'items_worker' }, work),
    decide: () => undefined,
    onProcessed: () => undefined,
  };
  // A slice that is under way ends; it was made to fit into what is left.
  const settings = {
    ...deps.settings,
    workerTargetSliceMs: Math.max(50, Math.min(deps.settings.workerTargetSliceMs, durationMs)),
  };
  return workSlices(host, job, { ...deps, settings }, until);
}
