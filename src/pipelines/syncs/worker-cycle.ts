// One cycle of sync processing, for a worker that cron starts every few minutes: fires what is due, works on it, and returns. The
// engine must not have a worker of its own; a resident worker does all this without being asked.
import { queueDueWork } from '../../engine/due-work.ts';
import type { Engine } from '../../engine/engine.ts';
import { listReadyRuns, listUnended } from '../../engine/reads/list-ready-runs.ts';
import { type Log, silentLog } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';

export interface WorkerCycle {
  readonly queued_processed: number;
  readonly retry_processed: number;
}

export interface CycleOptions {
  /** What is not done by then is given back; the next cycle goes on with it. */
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
  readonly log?: Log;
}

const BATCH = 1_000;
const LOOK_EVERY_MS = 50;
const DEFAULT_MAX_MS = 240_000;

export async function runWorkerCycle(engine: Engine, options: CycleOptions = {}): Promise<WorkerCycle> {
  const { maxMs = DEFAULT_MAX_MS, signal, log = silentLog } = options;
  const { control } = engine.pools;
  await queueDueWork(control, engine.registry, log);
  const due = await listReadyRuns(control, 'syncs', BATCH);
  if (due.length === 0) return { queued_processed: 0, retry_processed: 0 };
  await engine.start({ worker: true, services: true });
  const deadline = performance.now() + maxMs;
  let left = due.map((job) => job.id);
  while (left.length > 0 && performance.now() < deadline && !signal?.aborted) {
    await waitAtMost(LOOK_EVERY_MS, signal);
    left = await listUnended(control, due);
  }
  await engine.stop();
  const ended = due.filter((job) => !left.includes(job.id));
  const count = (status: string) => ended.filter((job) => job.status === status).length;
  return { queued_processed: count('queued'), retry_processed: count('failed') };
}
