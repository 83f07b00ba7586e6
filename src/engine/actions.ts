// What can be done to a run from outside: hold, resume, cancel, retry, requeue, acknowledge, and the same to many at once.
// Terminal attempts are never altered: a retry is a new run linked by `retry_of`, a requeue one linked both ways.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { type Enqueued, enqueue } from './enqueue.ts';
import { plainEnd } from './failure.ts';
import type { Registry } from './pipeline.ts';
import { listRuns, type RunFilter } from './reads/list-runs.ts';
import { findRetried, isAcknowledged, readRun } from './reads/read-run.ts';
import type { RunRow } from './reads/run-columns.ts';
import {
  acknowledgeDeadLetter,
  cancelWaitingRun,
  holdRun,
  hurryRun,
  linkRequeued,
  lockLeaseToCancel,
  requestCancel,
  resumeRun,
} from './sql/act-on-runs.ts';
import { endAttempts } from './sql/end-attempts.ts';

export interface Actor {
  readonly tenantId: string;
  /** Who asks, for the ledger: a user's id, a key's name, "operator". */
  readonly by: string;
}

export interface ActionDeps {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly announceReady: () => void;
  readonly announceCancel: (runId: string, by: string) => Promise<void>;
}

export type CancelAnswer = 'cancelled' | 'requested';

export async function readOwnRun(db: Queryable, tenantId: string, runId: string): Promise<RunRow> {
  const run = await readRun(db, tenantId, runId);
  if (!run) throw new MillraceError('run_not_found', { run: runId });
  return run;
}

export async function hold(deps: ActionDeps, actor: Actor, runId: string): Promise<void> {
  if (await holdRun(deps.pool, actor.tenantId, runId, actor.by)) return;
  throw illegal(await readOwnRun(deps.pool, actor.tenantId, runId), 'hold');
}

export async function resume(deps: ActionDeps, actor: Actor, runId: string): Promise<void> {
  const resumed =
    (await resumeRun(deps.pool, actor.tenantId, runId)) || (await hurryRun(deps.pool, actor.tenantId, runId));
  if (!resumed) throw illegal(await readOwnRun(deps.pool, actor.tenantId, runId), 'resume');
  deps.announceReady();
}

/** `requested`: an effects transaction is under way; the worker has been told and stops at its end at the latest. */
export async function cancel(deps: ActionDeps, actor: Actor, runId: string): Promise<CancelAnswer> {
  const error = new MillraceError('run_cancelled', { run: runId, by: actor.by });
  if (await cancelWaitingRun(deps.pool, { ...actor, runId, text: error.message })) return 'cancelled';
  const ended = await withTransaction(deps.pool, async (tx) => {
    const lease = await lockLeaseToCancel(tx, actor.tenantId, runId);
    if (!lease) return false;
    const end = {
      ...plainEnd(
        {
          id: runId,
          part: lease.part,
          attempt: lease.attempt,
          workerId: lease.worker_id,
          pipeline: lease.pipeline,
          status: lease.status,
        },
        lease.cancel_event,
        'cancelled',
      ),
      errorKind: error.kind,
      errorCode: error.code,
      errorText: error.message,
    };
    const isOver = (await endAttempts(tx, [end])).length === 1;
    failpoint('cancel.before_commit');
    return isOver;
  });
  if (ended) failpoint('cancel.after_commit');
  if (ended || (await requestCancel(deps.pool, actor.tenantId, runId, actor.by))) {
    await deps.announceCancel(runId, actor.by);
    return ended ? 'cancelled' : 'requested';
  }
  const run = await readOwnRun(deps.pool, actor.tenantId, runId);
  // It was between two states when we looked; by now it waits again.
  if (run.phase === 'waiting' && (await cancelWaitingRun(deps.pool, { ...actor, runId, text: error.message })))
    return 'cancelled';
  throw illegal(run, 'cancel');
}

export interface RetryOptions {
  /** Laid over the old input, e.g. { force_partial: true }. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly correlationId?: string;
}

/** A new run with the same input and blob. Two clicks make one run. */
export async function retry(
  deps: ActionDeps,
  actor: Actor,
  runId: string,
  options: RetryOptions = {},
): Promise<Enqueued> {
  const run = await readOwnRun(deps.pool, actor.tenantId, runId);
  if (run.phase !== 'failed' && run.phase !== 'dead') throw illegal(run, 'retry');
  const successor = await withTransaction(deps.pool, async (tx) => {
    const [created] = await enqueue(tx, deps.registry, [successorOf(run, options)]);
    failpoint('retry.before_commit');
    if (run.phase === 'dead' && created?.created) await linkRequeued(tx, run.id, created.id);
    return created as Enqueued;
  });
  failpoint('retry.after_commit');
  deps.announceReady();
  return successor;
}

/** For support: a dead letter gets a successor and leaves the list. A second requeue is refused and names the first one's run. */
export async function requeueDeadLetter(
  deps: ActionDeps,
  actor: Actor,
  runId: string,
  correlationId: string,
): Promise<string> {
  const run = await readOwnRun(deps.pool, actor.tenantId, runId);
  if (run.requeued_as !== null)
    throw new MillraceError('run_already_retried', { run: runId, successor: run.requeued_as });
  const waits = run.phase === 'failed' && deps.registry.get(run.pipeline)?.failedAreDeadLetters === true;
  if (run.phase !== 'dead' && !waits) throw new MillraceError('not_a_dead_letter', { run: runId, state: run.status });
  const successor = await retry(deps, actor, runId, { correlationId });
  if (!successor.created) throw new MillraceError('run_already_retried', { run: runId, successor: successor.id });
  return successor.id;
}

/** A person has seen a dead letter and nothing more is to be done: it leaves the list. False: somebody had done so already. */
export async function acknowledge(deps: ActionDeps, actor: Actor, runId: string, reason: string): Promise<boolean> {
  if (await acknowledgeDeadLetter(deps.pool, { ...actor, runId, reason })) return true;
  const run = await readOwnRun(deps.pool, actor.tenantId, runId);
  if (await isAcknowledged(deps.pool, actor.tenantId, runId)) return false;
  throw new MillraceError('not_a_dead_letter', { run: runId, state: run.status });
}

export type BulkAction = 'cancel' | 'retry';

export interface BulkAnswer {
  readonly matched: number;
  readonly done: number;
  /** Runs that had moved on in the meantime. */
  readonly skipped: number;
}

/** More than this in one call are counted as "at least". */
const BULK_LIMIT = 10_000;

/** How many runs an action would reach. */
export async function previewBulk(deps: ActionDeps, filter: RunFilter, action: BulkAction): Promise<number> {
  return (await matching(deps, filter, action)).length;
}

/** Acts only when as many runs match as the caller was shown. */
export async function actOnMany(
  deps: ActionDeps,
  actor: Actor,
  filter: RunFilter,
  action: BulkAction,
  expected: number,
): Promise<BulkAnswer> {
  const ids = await matching(deps, filter, action);
  if (ids.length !== expected) throw new MillraceError('bulk_count_changed', { found: ids.length, expected });
  let done = 0;
  for (const id of ids) {
    const acting =
      action === 'cancel'
        ? cancel(deps, actor, id).then(() => true)
        : retry(deps, actor, id).then(({ created }) => created);
    const acted = await acting.catch((error: unknown) => {
      if (error instanceof MillraceError && error.kind === 'conflict') return false;
      throw error;
    });
    if (acted) done += 1;
  }
  return { matched: ids.length, done, skipped: ids.length - done };
}

async function matching(deps: ActionDeps, filter: RunFilter, action: BulkAction): Promise<string[]> {
  const phases = action === 'cancel' ? ['waiting', 'active'] : ['failed', 'dead'];
  const wanted = phases.filter((phase) => filter.phase === undefined || filter.phase === phase);
  const found: string[] = [];
  for (const phase of wanted) {
    const rows = await listRuns(deps.pool, { ...filter, phase }, BULK_LIMIT);
    found.push(...rows.map((row) => row.id));
  }
  if (action === 'cancel') return found;
  const retried = await findRetried(deps.pool, found);
  return found.filter((id) => !retried.has(id));
}

function successorOf(run: RunRow, options: RetryOptions) {
  const correlationId = options.correlationId ?? run.correlation_id ?? undefined;
  return {
    pipeline: run.pipeline,
    tenantId: run.tenant_id,
    input: { ...run.input, ...options.input },
    retryOf: run.id,
    priority: run.priority,
    ...(run.blob_id === null ? {} : { blobId: run.blob_id }),
    ...(run.source_id === null ? {} : { sourceId: run.source_id }),
    ...(run.unique_key === null ? {} : { uniqueKey: nextRevision(run.unique_key) }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(run.created_by === null ? {} : { createdBy: run.created_by }),
  };
}

/** A unique key is used once ever, so a retry carries the next revision of it: "june", "june#r2", "june#r3". */
export function nextRevision(key: string): string {
  const match = /^(.*)#r(\d+)$/s.exec(key);
  return match ? `${match[1]}#r${Number(match[2]) + 1}` : `${key}#r2`;
}

function illegal(run: RunRow, event: string): MillraceError {
  const possible = {
    waiting: 'hold, cancel',
    active: 'cancel',
    done: 'verify',
    failed: 'retry',
    dead: 'retry, requeue',
  }[run.phase];
  return new MillraceError('event_illegal', { run: run.id, state: run.status, event, possible });
}
