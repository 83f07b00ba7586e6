// Finds items that no run works on: somebody reset them at the moment in which their run ended, or the process that reset them died before it had started a run. A consumer of
// the outbox checks every job whose run has ended, a service checks jobs with open items now and then; both start a new run where items wait.
import type { RunRow } from '../../engine/reads/run-columns.ts';
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import { enterTenant, type Queryable, withTransaction } from '../../platform/database.ts';
import type { KitHost } from '../kit.ts';
import type { ItemsDeps } from './deps.ts';
import { ItemsInput } from './input.ts';
import { listOpenJobs } from './sql/cleanup.ts';
import { readWaiting, selectJob, setLatestRun } from './sql/jobs.ts';

type Host = Pick<KitHost<ItemsDeps>, 'engine' | 'log'>;

export function leftoversConsumer({ engine, log }: Host) {
  return {
    name: 'items leftovers',
    async apply(tx: Queryable, events: readonly FeedRow[]): Promise<void> {
      let started = 0;
      for (const event of events) {
        if (event.type !== 'run.done' && event.type !== 'run.failed') continue;
        if (event.data.pipeline !== 'items' || event.run_id === null) continue;
        started += (await startAgain(tx, engine, event.tenant_id, event.run_id)) ? 1 : 0;
      }
      if (started === 0) return;
      log.info({ jobs: started }, 'items.leftovers_started');
      engine.wake();
    },
  };
}

/** How many jobs go on. */
export async function startLeftovers({ engine, log }: Host): Promise<number> {
  const { control } = engine.pools;
  let started = 0;
  for (const { tenant_id: tenantId, latest_run_id: runId } of await withTransaction(control, listOpenJobs))
    started += (await withTransaction(control, (tx) => startAgain(tx, engine, tenantId, runId))) ? 1 : 0;
  if (started === 0) return 0;
  log.info({ jobs: started }, 'items.leftovers_started');
  engine.wake();
  return started;
}

/** Its items have their fates, as far as it knows. What a run left that was cancelled, or could not read its file, stays. */
function isThrough({ phase, error_code: code }: Pick<RunRow, 'phase' | 'error_code'>): boolean {
  return phase === 'done' || (phase === 'failed' && code === 'items_all_failed');
}

async function startAgain(tx: Queryable, engine: Host['engine'], tenantId: string, runId: string): Promise<boolean> {
  const ended = await engine.findRun(runId);
  const input = ItemsInput.safeParse(ended?.input);
  if (ended === undefined || !input.success || !isThrough(ended)) return false;
  const { job_id: jobId } = input.data;
  await enterTenant(tx, { tenantId, role: 'items_worker' });
  const job = await selectJob(tx, tenantId, jobId);
  const isOpen = job !== undefined && (await readWaiting(tx, jobId)).is_open;
  await enterTenant(tx, { tenantId: '', role: 'millrace_engine' });
  if (!isOpen || job.latest_run_id !== runId) return false;
  const [run] = await engine.enqueueIn(tx, [
    {
      pipeline: 'items',
      tenantId,
      input: { ...input.data, reprocess: true },
      ...(ended.blob_id === null ? {} : { blobId: ended.blob_id }),
      ...(ended.created_by === null ? {} : { createdBy: ended.created_by }),
    },
  ]);
  if (run === undefined) return false;
  await enterTenant(tx, { tenantId, role: 'items_worker' });
  await setLatestRun(tx, jobId, run.id);
  await enterTenant(tx, { tenantId: '', role: 'millrace_engine' });
  return run.created;
}
