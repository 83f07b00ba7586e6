// One attempt at one stage: the context it works with, and what became of it.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Decision } from './adaptive.ts';
import { commitEffects } from './effects.ts';
import { emittedEvents } from './emitted-events.ts';
import { type ContextSource, createContext } from './execution-context.ts';
import { classify, endByError, endByRelease, plainEnd, storableText } from './failure.ts';
import type { Ending } from './finisher.ts';
import type { AnyPipeline, Stage, StageOutcome } from './pipeline.ts';
import { emptyReceipt } from './receipt.ts';
import { readCheckpoint } from './sql/checkpoints.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import type { RejectRecord } from './sql/insert-rejects.ts';
import type { DecisionRow } from './sql/progress.ts';
import type { CommitOptions, Progress, StageContext, StageRun } from './stage-context.ts';

/** Why a stage is asked to stop. Carried as the abort signal's reason. */
export type StopReason = 'cancelled' | 'lost' | 'drained' | 'stalled';

export interface ExecutionDeps {
  readonly effects: Pool;
  readonly control: Pool;
  readonly log: Log;
  readonly defaultRole: string;
  readonly onDecision: (row: DecisionRow) => void;
  /** The claim's commit, where the stage may begin while it is under way. Nothing is written before. */
  readonly landed?: Promise<void> | undefined;
}

const NOTHING_READ = JSON.stringify(emptyReceipt);
const none: readonly never[] = [];

export function stageRunOf(row: ClaimedRow, stage: string): StageRun {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    pipeline: row.pipeline,
    stage,
    status: row.status,
    attempt: row.attempt,
    lane: row.lane,
    blobId: row.blob_id,
    retryOf: row.retry_of,
    correlationId: row.correlation_id,
    createdBy: row.created_by,
    createdAt: new Date(row.created_ms),
    ageAtClaimMs: row.age_ms,
    failures: row.failures ?? {},
  };
}

export class Execution implements ContextSource {
  readonly run: StageRun;
  readonly #pipeline: AnyPipeline;
  readonly #stage: Stage<unknown>;
  readonly #rawInput: unknown;
  readonly #deps: ExecutionDeps;
  // Made when somebody asks for the signal: most short stages never do.
  #abort: AbortController | undefined;
  #rejects: RejectRecord[] = [];
  #stop: { reason: StopReason; by: string } | undefined;
  /** Newest progress that has not been written yet. */
  unwritten: Progress | undefined;
  // Measured on the monotonic clock: the wall clock may jump.
  readonly #claimedAt = performance.now();
  lastSignOfLife = performance.now();
  #stalledAt: number | undefined;

  constructor(row: ClaimedRow, pipeline: AnyPipeline, deps: ExecutionDeps) {
    const stageName = pipeline.machine.states[row.status]?.stage ?? '';
    const stage = pipeline.stages[stageName];
    if (!stage) throw new MillraceError('stage_missing', { pipeline: pipeline.name, stage: stageName });
    this.#pipeline = pipeline;
    this.#stage = stage;
    this.#rawInput = row.input;
    this.#deps = deps;
    this.run = stageRunOf(row, stageName);
  }

  stop(reason: StopReason, by = 'the engine'): void {
    if (this.#stop) return;
    this.#stop = { reason, by };
    this.#signalSource().abort(
      new MillraceError(reason === 'cancelled' ? 'run_cancelled' : 'lease_lost', {
        run: this.run.id,
        attempt: this.run.attempt,
        by,
      }),
    );
  }

  #signalSource(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  /**
   * Asks a stage without sign of life to stop. Returns its end when it has ignored that for `graceMs`: then the run goes on
   * without it, and whatever it still does is fenced off.
   */
  giveUpIfStalled(defaultStallMs: number, graceMs: number): Ending | undefined {
    const nowMs = performance.now();
    if (this.#stalledAt === undefined) {
      if (nowMs - this.lastSignOfLife <= (this.#stage.stallMs ?? defaultStallMs)) return undefined;
      this.#stalledAt = nowMs;
      this.stop('stalled');
    }
    return nowMs - this.#stalledAt > graceMs ? this.#endByThrow(undefined) : undefined;
  }

  /** Works the stage. Undefined: the run is no longer ours, and nothing is to be written. */
  async work(): Promise<Ending | undefined> {
    const ending = await this.#attempt();
    const { landed } = this.#deps;
    return landed === undefined || (await hasLanded(landed)) ? ending : undefined;
  }

  async #attempt(): Promise<Ending | undefined> {
    try {
      const outcome = await this.#stage.work(createContext(this));
      if (this.#stop?.reason === 'lost') return undefined;
      if (this.#stop?.reason === 'cancelled')
        throw new MillraceError('run_cancelled', { run: this.run.id, by: this.#stop.by });
      if (this.#rejects.length > 0) await this.commit(async () => {}, {});
      return this.#endByOutcome(typeof outcome === 'string' ? { on: outcome } : outcome);
    } catch (error) {
      return this.#endByThrow(error);
    }
  }

  #endByOutcome(outcome: StageOutcome): Ending {
    const status = (outcome.via ?? []).reduce<string | undefined>(
      (from, event) => (from === undefined ? undefined : this.#pipeline.machine.states[from]?.on?.[event]),
      this.run.status,
    );
    const state = status === undefined ? undefined : this.#pipeline.machine.states[status];
    const to = state?.on?.[outcome.on];
    if (to === undefined) {
      const possible = Object.keys(this.#pipeline.machine.states[this.run.status]?.on ?? {}).join(', ');
      throw new MillraceError('event_illegal', {
        run: this.run.id,
        state: this.run.status,
        event: outcome.on,
        possible,
      });
    }
    const done = this.#pipeline.machine.states[to]?.phase === 'done';
    return {
      run: this.run,
      via: outcome.via ?? none,
      isPlain: done && outcome.on === 'complete' && !outcome.via && !outcome.emit && !outcome.error,
      end: {
        ...plainEnd(this.run, outcome.on, outcome.on),
        receipt: outcome.receipt ? JSON.stringify(outcome.receipt) : done ? NOTHING_READ : null,
        errorCode: outcome.error?.code ?? null,
        errorText: outcome.error === undefined ? null : storableText(outcome.error.text),
      },
      events: outcome.emit ? emittedEvents(this.run, outcome.emit) : none,
    };
  }

  #endByThrow(thrown: unknown): Ending | undefined {
    const error = this.#explain(thrown);
    const { run } = this;
    const fields = {
      run: run.id,
      tenant: run.tenantId,
      pipeline: run.pipeline,
      stage: run.stage,
      attempt: run.attempt,
      code: error.code,
    };
    if (error.code === 'lease_lost') {
      if (this.#stop?.reason === 'drained') return { run, end: endByRelease(run), events: [], via: [] };
      this.#deps.log.warn(fields, 'lease_lost');
      return undefined;
    }
    if (error.kind === 'bug') this.#deps.log.error({ ...fields, err: error.cause ?? error }, 'stage failed');
    else this.#deps.log.warn(fields, 'stage failed');
    return {
      run,
      end: endByError(this.#pipeline, run, error, performance.now() - this.#claimedAt),
      events: [],
      via: [],
    };
  }

  /** What a stage throws after it was told to stop is the stop, whatever it looks like. */
  #explain(thrown: unknown): MillraceError {
    const { run } = this;
    switch (this.#stop?.reason) {
      case 'cancelled':
        return new MillraceError('run_cancelled', { run: run.id, by: this.#stop.by });
      case 'stalled':
        return new MillraceError('stage_stalled', {
          run: run.id,
          stage: run.stage,
          seconds: Math.round((performance.now() - this.lastSignOfLife) / 1000),
        });
      case 'lost':
      case 'drained':
        return new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
      default:
        return classify(thrown, run);
    }
  }

  get log(): Log {
    return this.#deps.log;
  }

  readInput(): unknown {
    return this.#pipeline.input.parse(this.#rawInput);
  }

  signal(): AbortSignal {
    return this.#signalSource().signal;
  }

  readCheckpoint(part: string): Promise<unknown> {
    return readCheckpoint(this.#deps.control, this.run.id, this.run.stage, part);
  }

  noteProgress(progress: Progress): void {
    this.unwritten = progress;
    this.lastSignOfLife = performance.now();
  }

  refuse(record: RejectRecord): void {
    this.#rejects.push(record);
  }

  decide(decision: Decision): void {
    this.#deps.onDecision({
      runId: this.run.id,
      tenantId: this.run.tenantId,
      stage: this.run.stage,
      sizeName: decision.name,
      fromSize: decision.from,
      toSize: decision.to,
      reason: decision.reason,
    });
  }

  async commit<T>(write: Parameters<StageContext['commit']>[0], options: CommitOptions): Promise<T> {
    await this.#deps.landed;
    this.#signalSource().signal.throwIfAborted();
    const refusedBefore = this.#rejects.length;
    try {
      const result = await commitEffects(
        this.#deps.effects,
        this.run,
        {
          role: this.#stage.role ?? this.#deps.defaultRole,
          write,
          checkpoint: options.checkpoint,
          part: options.part ?? '',
          rejects: () => [...this.#rejects, ...(options.rejects ?? [])],
          emit: options.emit ?? [],
        },
        this.#signalSource().signal,
      );
      this.#rejects = [];
      this.lastSignOfLife = performance.now();
      return result as T;
    } catch (error) {
      // What the rolled back effects refused will be refused again when they are repeated.
      this.#rejects.length = refusedBefore;
      throw error;
    }
  }
}

async function hasLanded(landed: Promise<void>): Promise<boolean> {
  try {
    await landed;
    return true;
  } catch {
    return false;
  }
}
