// One effects transaction: fence, limits, role and tenant, the stage's effects, then what the engine writes beside them, and the count of
// commits raised by one. When the connection breaks while COMMIT is under way, that count says what became of it, read under the fence;
// nothing is repeated blindly. A transaction id would not do: after a failover it may be another transaction's.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { waitAtMost } from '../platform/wait.ts';
import type { CommitCounts } from './commit-counts.ts';
import { emittedEvents } from './emitted-events.ts';
import { raiseCommits } from './sql/checkpoints.ts';
import { countUnderFence, enterEffects, leaveStage, lockLease } from './sql/fence.ts';
import { insertEvents } from './sql/insert-events.ts';
import { insertRejects, type RejectRecord } from './sql/insert-rejects.ts';
import type { EmittedEvent, StageRun } from './stage-context.ts';

export interface Effects<T> {
  readonly role: string;
  readonly write: (tx: Queryable) => Promise<T>;
  /** Undefined: no checkpoint. */
  readonly checkpoint: unknown;
  readonly part: string;
  /** Asked after `write`, so that what it refuses is stored with what it writes. */
  readonly rejects: () => readonly RejectRecord[];
  readonly emit: readonly EmittedEvent[];
  /** What the engine itself has to write with it, as millrace_engine. */
  readonly besides?: ((tx: Queryable) => Promise<void>) | undefined;
  /** The stage's stall limit: a statement of its effects must end before. */
  readonly stallMs: number;
}

const ASK_EVERY_MS = 250;
// A statement that is stopped by the server leaves the stage time to say so before it counts as stalled.
const STATEMENT_SHARE = 0.8;
// A transaction may outlast the stall limit when it reports progress, but not for ever.
const TRANSACTION_SHARE = 2;

export async function commitEffects<T>(
  pool: Pool,
  run: StageRun,
  effects: Effects<T>,
  counts: CommitCounts,
  signal: AbortSignal,
): Promise<T> {
  let xid: string | undefined;
  let raised: number | undefined;
  let result: { value: T } | undefined;
  counts.start(effects.part);
  try {
    await withTransaction(
      pool,
      async (tx) => {
        xid = await passFence(tx, run);
        failpoint('commit.after_fence');
        await enterEffects(tx, { role: effects.role, tenantId: run.tenantId, ...limitsOf(effects.stallMs) });
        const value = await effects.write(tx);
        // A checkpoint must never be stored without what it stands for.
        if ((await leaveStage(tx)) !== xid)
          throw new MillraceError('stage_ended_transaction', { run: run.id, stage: run.stage });
        failpoint('commit.after_effects');
        raised = await writeBeside(tx, run, effects, counts);
        failpoint('commit.after_checkpoint');
        result = { value };
      },
      { xid: () => xid },
    );
    failpoint('commit.after_commit');
  } catch (error) {
    const committed =
      result !== undefined &&
      raised !== undefined &&
      isConnectionLoss(error) &&
      (await wasCommitted(pool, run, effects.part, raised, counts, signal).catch((unclear: unknown) => {
        counts.failed(effects.part);
        throw unclear;
      }));
    if (!committed) {
      counts.failed(effects.part);
      throw error;
    }
  }
  counts.succeeded(effects.part, raised as unknown as number);
  return (result as unknown as { value: T }).value;
}

function limitsOf(stallMs: number) {
  return {
    statementMs: Math.max(1, Math.floor(stallMs * STATEMENT_SHARE)),
    transactionMs: Math.ceil(stallMs * TRANSACTION_SHARE),
  };
}

async function passFence(tx: Queryable, run: StageRun): Promise<string> {
  const fence = await lockLease(tx, run);
  if (!fence) throw new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
  if (fence.cancel_requested_by !== null) {
    throw new MillraceError('run_cancelled', { run: run.id, by: fence.cancel_requested_by });
  }
  return fence.xid;
}

/** Returns the number of this commit. */
async function writeBeside<T>(
  tx: Queryable,
  run: StageRun,
  effects: Effects<T>,
  counts: CommitCounts,
): Promise<number> {
  const rejects = effects.rejects();
  if (rejects.length > 0) await insertRejects(tx, run.tenantId, run.id, rejects);
  if (effects.emit.length > 0) {
    const events = emittedEvents(run, effects.emit);
    await insertEvents(
      tx,
      events.map((event) => ({ ...event, tenantId: run.tenantId })),
    );
  }
  await effects.besides?.(tx);
  // Last: the row is locked from here to the commit, and two commits of one part wait here for each other.
  const raised = await raiseCommits(tx, {
    runId: run.id,
    stage: run.stage,
    part: effects.part,
    attempt: run.attempt,
    state: effects.checkpoint === undefined ? null : JSON.stringify(effects.checkpoint),
    ...counts.bounds(effects.part),
  });
  if (raised === undefined) throw counts.lost(effects.part);
  return raised;
}

function isConnectionLoss(error: unknown): boolean {
  return error instanceof MillraceError && (error.code === 'database_lost' || error.code === 'database_unreachable');
}

/** Asks until the server answers, or until the run is no longer ours anyway. */
async function wasCommitted(
  pool: Pool,
  run: StageRun,
  part: string,
  raised: number,
  counts: CommitCounts,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const counted = await withTransaction(pool, (tx) => countUnderFence(tx, run, part)).catch(() => 'unknown' as const);
    if (counted === undefined) throw new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
    if (counted !== 'unknown') return counts.contains(part, raised, counted);
    await waitAtMost(ASK_EVERY_MS, signal);
  }
  return false;
}
