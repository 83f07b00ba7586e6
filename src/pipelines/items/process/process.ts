// The stages that process a job: by one worker, or by several that share it in parts. Both work the same slices. A stage ends when it can claim nothing
// now. Then the run is done, or it waits for the earliest retry without a worker.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../../engine/pipeline.ts';
import type { StageContext } from '../../../engine/stage-context.ts';
import { waitAtMost } from '../../../platform/wait.ts';
import { itemsCompleted } from '../alerts.ts';
import type { ItemsDeps } from '../deps.ts';
import type { ItemsInput } from '../input.ts';
import { expireOwnLocks } from '../sql/expire-locks.ts';
import { countItems, holdClaims, readPause, readWaiting, selectIngest, selectJob, storeCounts } from '../sql/jobs.ts';
import { PartProgress } from './part-progress.ts';
import { receiptOfJob } from './receipt.ts';
import { workSlices } from './slices.ts';

type Context = StageContext<ItemsInput>;

/** Looked at again by itself, should nobody resume it. */
const PAUSED_MS = 24 * 3_600_000;
/** After this time a job gives way if a run waits for a worker; long enough that beginning again costs next to nothing. */
const TURN_MS = 15_000;
const GIVEN_WAY_MS = 500;
/** Retries that are due so soon are waited for here: giving the run back would take as long. */
const SOON_MS = 1_500;

export async function processJob(context: Context, deps: ItemsDeps): Promise<StageOutcome> {
  await workPart(context, deps);
  return concludeJob(context);
}

export async function workPart(context: Context, deps: ItemsDeps): Promise<void> {
  const { run, input, log, signal } = context;
  const worker = lockName(run.part, run.attempt, run.workerId);
  const job = await context.commit(async (tx) => {
    await expireOwnLocks(tx, input.job_id, lockPrefix(run.part), worker);
    return selectJob(tx, run.tenantId, input.job_id);
  });
  if (job === undefined) throw new MillraceError('job_not_found', { job: input.job_id });
  const progress = new PartProgress(context.part, {
    done: job.done_items + job.not_found_items + job.error_items + job.skipped_items,
    total: job.total_items,
  });
  const turnMs = deps.turnMs ?? TURN_MS;
  const say = () => context.progress({ done: progress.done, total: progress.total, unit: 'items' });
  say();
  const host = {
    runId: run.id,
    tenantId: run.tenantId,
    worker,
    signal,
    log,
    transact: context.commit,
    decide: context.decide,
    async nextTurn() {
      return (await deps.isAwaited?.()) === true ? undefined : performance.now() + turnMs;
    },
    onProcessed(items: number) {
      progress.add(items);
      say();
    },
  };
  for (;;) {
    const { why } = await workSlices(host, job, deps, performance.now() + turnMs);
    if (why === 'paused') return;
    // A job of hours releases its worker for a moment, so that the worker can claim runs that wait.
    if (why === 'time')
      throw new MillraceError('work_later', { what: 'its next turn' }, { retryAfterMs: GIVEN_WAY_MS });
    const soon = soonest(await context.commit((tx) => readWaiting(tx, input.job_id)));
    if (soon === undefined || soon > SOON_MS) return;
    await waitAtMost(Math.max(10, soon), signal);
    signal.throwIfAborted();
    say();
  }
}

/** All parts have found nothing more to claim. */
export async function concludeJob(context: Context): Promise<StageOutcome> {
  const { input, run } = context;
  const by = await context.commit((tx) => readPause(tx, input.job_id));
  if (by !== null) throw new MillraceError('work_later', { what: `paused by ${by}` }, { retryAfterMs: PAUSED_MS });
  const waiting = await context.commit((tx) => readWaiting(tx, input.job_id));
  const soon = soonest(waiting);
  if (waiting.is_open)
    throw new MillraceError(
      'work_later',
      {
        what:
          waiting.next_attempt_in_ms === null
            ? 'items that somebody else is processing'
            : 'the earliest retry of an item',
      },
      { retryAfterMs: Math.max(50, Math.ceil(soon ?? 0)) },
    );
  const counts = await context.commit(async (tx) => {
    // Nobody resets an item between the count and what is kept of it.
    await holdClaims(tx, input.job_id);
    const counted = await countItems(tx, input.job_id);
    if (await storeCounts(tx, input.job_id, counted))
      context.log.warn({ run: run.id, job: input.job_id }, 'items.counters_corrected');
    return { counted, ingest: await selectIngest(tx, input.job_id) };
  });
  const { counted, ingest } = counts;
  // A row came back between the two looks.
  if (counted.pending + counted.processing > 0)
    throw new MillraceError('work_later', { what: 'items that came back' }, { retryAfterMs: 50 });
  const receipt = receiptOfJob(counted, ingest?.ingest ?? null);
  if (counted.error < counted.total) return { on: 'complete', receipt, emit: [itemsCompleted(input.job_id, counted)] };
  const error = new MillraceError('items_all_failed', { total: counted.total });
  return { on: 'fail', receipt, error: { code: error.code, text: error.message } };
}

function soonest(waiting: Awaited<ReturnType<typeof readWaiting>>): number | undefined {
  if (waiting.is_fresh) return 0;
  const times = [waiting.next_attempt_in_ms, waiting.lock_expires_in_ms].filter((ms) => ms !== null);
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
}

/** Who has a lock: a part of the run, at an attempt. Whoever has the part now knows that earlier attempts at it can write nothing. */
function lockName(part: string, attempt: number, workerId: string): string {
  return `${lockPrefix(part)}${attempt}:${workerId.slice(-12)}`;
}

function lockPrefix(part: string): string {
  return `part ${part === '' ? '0' : part}:`;
}
