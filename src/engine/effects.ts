// One effects transaction: fence, role and tenant, the stage's effects, then what the engine writes beside them.
// When the connection breaks while COMMIT is under way, the server is asked what became of the transaction; it is never
// repeated blindly.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withClient, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import { waitAtMost } from '../platform/wait.ts';
import { emittedEvents } from './emitted-events.ts';
import { writeCheckpoint } from './sql/checkpoints.ts';
import { enterStage, leaveStage, lockLease, transactionStatus } from './sql/fence.ts';
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
}

const ASK_EVERY_MS = 250;

export async function commitEffects<T>(
  pool: Pool,
  run: StageRun,
  effects: Effects<T>,
  signal: AbortSignal,
): Promise<T> {
  let xid: string | undefined;
  let result: { value: T } | undefined;
  try {
    await withTransaction(
      pool,
      async (tx) => {
        xid = await passFence(tx, run);
        failpoint('commit.after_fence');
        await enterStage(tx, effects.role, run.tenantId);
        const value = await effects.write(tx);
        // A checkpoint must never be stored without what it stands for.
        if ((await leaveStage(tx)) !== xid)
          throw new MillraceError('stage_ended_transaction', { run: run.id, stage: run.stage });
        failpoint('commit.after_effects');
        await writeBeside(tx, run, effects);
        failpoint('commit.after_checkpoint');
        result = { value };
      },
      { xid: () => xid },
    );
    failpoint('commit.after_commit');
  } catch (error) {
    const commitMayHaveLanded = result !== undefined && xid !== undefined && isConnectionLoss(error);
    if (!commitMayHaveLanded || !(await wasCommitted(pool, xid as string, signal))) throw error;
  }
  return (result as { value: T }).value;
}

async function passFence(tx: Queryable, run: StageRun): Promise<string> {
  const fence = await lockLease(tx, run.id, run.attempt);
  if (!fence) throw new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
  if (fence.cancel_requested_by !== null) {
    throw new MillraceError('run_cancelled', { run: run.id, by: fence.cancel_requested_by });
  }
  return fence.xid;
}

async function writeBeside<T>(tx: Queryable, run: StageRun, effects: Effects<T>): Promise<void> {
  const rejects = effects.rejects();
  if (rejects.length > 0) await insertRejects(tx, run.tenantId, run.id, rejects);
  if (effects.emit.length > 0) {
    const events = emittedEvents(run, effects.emit);
    await insertEvents(
      tx,
      events.map((event) => ({ ...event, tenantId: run.tenantId })),
    );
  }
  if (effects.checkpoint !== undefined) {
    await writeCheckpoint(tx, {
      runId: run.id,
      stage: run.stage,
      part: effects.part,
      attempt: run.attempt,
      state: JSON.stringify(effects.checkpoint),
    });
  }
}

function isConnectionLoss(error: unknown): boolean {
  return error instanceof MillraceError && (error.code === 'database_lost' || error.code === 'database_unreachable');
}

/** Asks until the server answers, or until the run is no longer ours anyway. */
async function wasCommitted(pool: Pool, xid: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const status = await withClient(pool, (client) => transactionStatus(client, xid)).catch(() => 'unknown');
    if (status === 'committed') return true;
    if (status === 'aborted' || status === null) return false;
    await waitAtMost(ASK_EVERY_MS, signal);
  }
  return false;
}
