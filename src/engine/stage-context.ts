// What a stage function is given. The only way to have an effect is `commit`: role, tenant, fence, effects, checkpoint,
// rejects and events in one transaction.
import type { Queryable } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Decision } from './adaptive.ts';
import type { Answer } from './question.ts';
import type { Failures } from './retry-policy.ts';
import type { RejectRecord } from './sql/insert-rejects.ts';

/** An event a pipeline puts into the outbox. Unique per (run, type, key). */
export interface EmittedEvent {
  readonly type: string;
  readonly key?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StageRun {
  readonly id: string;
  readonly tenantId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly status: string;
  /** '' for a run that one worker has to itself. */
  readonly part: string;
  /** Rises with every claim. Together with the part and the worker it is the fence. */
  readonly attempt: number;
  readonly workerId: string;
  /** Several workers may work on it, each on a part. */
  readonly isShared: boolean;
  readonly lane: string;
  readonly blobId: string | null;
  readonly retryOf: string | null;
  readonly correlationId: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  /** How old the run was when it was claimed, by the engine's clock. */
  readonly ageAtClaimMs: number;
  readonly failures: Failures;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly unit?: string;
  readonly note?: string;
}

export interface CommitOptions {
  /** Stored in the same transaction; what `checkpoint()` returns after a crash. */
  readonly checkpoint?: unknown;
  /** A stage may keep several checkpoints. Each part of a shared run has its own. */
  readonly part?: string;
  readonly rejects?: readonly RejectRecord[];
  readonly emit?: readonly EmittedEvent[];
}

/** Which part of a shared run. */
export interface PartPlace {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

export interface StageContext<Input = unknown> {
  readonly run: StageRun;
  /** 0 of 1 where the stage is not shared. */
  readonly part: PartPlace;
  readonly input: Input;
  /** Aborted on cancel, loss of the lease, stall and drain. Hand it to everything that waits. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** What the last commit stored for this stage (and part); undefined at the first attempt. */
  checkpoint<T>(part?: string): Promise<T | undefined>;
  /** What people answered to the run's questions, first to last. */
  answers(): Promise<readonly Answer[]>;
  /** Runs `effects` under the stage's role for the run's tenant. Throws `lease_lost`, and nothing is written, when the run is no longer ours. */
  commit<T = void>(effects: (tx: Queryable) => Promise<T>, options?: CommitOptions): Promise<T>;
  /** Says how far the stage is. Cheap: writes are coalesced. Also tells the engine that the stage is not stuck. */
  progress(progress: Progress): void;
  /** Refuses an item; written with the next commit. */
  reject(record: RejectRecord): void;
  /** Records what an adaptive size decided. */
  decide(decision: Decision): void;
}
