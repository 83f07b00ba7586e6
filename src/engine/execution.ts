// One attempt at one stage: builds its context, runs the stage, and reports how the attempt ended.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool, Queryable } from '../platform/database.ts';
import { isTooLong } from '../platform/database-errors.ts';
import { hasLanded } from '../platform/early-rows.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import { waitAtMost } from '../platform/wait.ts';
import type { Decision } from './adaptive.ts';
import { CommitCounts } from './commit-counts.ts';
import { commitEffects } from './effects.ts';
import { emittedEvents } from './emitted-events.ts';
import { type ContextSource, createContext } from './execution-context.ts';
import { classify, endByError, endByRelease, plainEnd, storableText } from './failure.ts';
import type { Ending } from './finisher.ts';
import type { AnyPipeline, AnyStage, SharedStage, StageOutcome } from './pipeline.ts';
import type { Answer } from './question.ts';
import { emptyReceipt } from './receipt.ts';
import { lossKey, unbegunKey, withoutLosses } from './retry-policy.ts';
import { checkpointPart, type PartAnswer, partIndex, partNames } from './shared-runs.ts';
import { readCommitted } from './sql/checkpoints.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import type { RejectRecord } from './sql/insert-rejects.ts';
import type { DecisionRow } from './sql/progress.ts';
import { insertQuestion, selectAnswers } from './sql/questions.ts';
import { readInput } from './sql/read-input.ts';
import type { CommitOptions, PartPlace, Progress, StageContext, StageRun } from './stage-context.ts';
import { noFailures, stageRunOf } from './stage-run.ts';

/** The worker goes on with another part of the same run. */
export interface NextPart {
  readonly next: ClaimedRow;
}

/** Why a stage is asked to stop. Carried as the abort signal's reason. `rewound`: the database has lost commits of this execution. */
export type StopReason = 'cancelled' | 'lost' | 'drained' | 'stalled' | 'rewound';

export interface ExecutionDeps {
  readonly effects: Pool;
  readonly control: Pool;
  readonly log: Log;
  readonly defaultRole: string;
  /** A question that nobody answers for this long ends its run. */
  readonly questionHours: number;
  /** For stages without a `stallMs` of their own. */
  readonly stallMs: number;
  readonly onDecision: (row: DecisionRow) => void;
  /** Cancels the statements of the attempt's effects, or ends their connections. */
  readonly stopEffects: (run: StageRun, how: 'cancel' | 'end') => Promise<void>;
  /** For stages that are shared. */
  readonly offerParts: (run: StageRun, parts: readonly string[]) => Promise<void>;
  readonly finishPart: (run: StageRun, commits: string | null, signal: AbortSignal) => Promise<PartAnswer>;
  /** The claim's commit, where the stage may begin while it is under way. Nothing is written before. */
  readonly landed?: Promise<void> | undefined;
}

// A stage that is asked to stop because its worker does may end its commit; a cancelled or stalled one may not.
const DRAIN_GRACE_MS = 1_000;
// A cancel every now and then, then the end of the connection.
const STOP_EVERY_MS = 300;
const STOP_TRIES = 10;
// A run that lost commits in a failover goes on when the server has had a moment.
const REWOUND_PAUSE_MS = 500;
// A stage whose statement ran into its limit is alive and has the whole time again for half as much, but not for ever.
const LIMITS_HIT_IN_A_ROW = 20;
const NOTHING_READ = JSON.stringify(emptyReceipt);
const none: readonly never[] = [];

export class Execution implements ContextSource {
  readonly run: StageRun;
  readonly #pipeline: AnyPipeline;
  readonly #stage: AnyStage<unknown>;
  /** Claimed as a run, not as a part that was offered: then its parts are still to be offered. */
  readonly #isWhole: boolean;
  /** Null until the run begins, where the input is large. */
  #rawInput: unknown;
  #input: { readonly value: unknown } | undefined; // Parsed when the stage first asks for it.
  readonly #deps: ExecutionDeps;
  // Made when somebody asks for the signal: most short stages never do.
  #abort: AbortController | undefined;
  #rejects: RejectRecord[] = [];
  #stop: { reason: StopReason; by: string } | undefined;
  /** Newest progress that has not been written yet. */
  unwritten: Progress | undefined;
  // Measured on the monotonic clock: the wall clock may jump.
  readonly #claimedAt = performance.now();
  lastSignOfLife = this.#claimedAt;
  #stalledAt: number | undefined;
  #beganAt: number | undefined;
  // Made by the first commit or checkpoint: most short stages have none.
  #counts: CommitCounts | undefined;
  #committing = 0;
  #limitsHit = 0;

  constructor(row: ClaimedRow, pipeline: AnyPipeline, deps: ExecutionDeps) {
    const stageName = pipeline.machine.states[row.status]?.stage ?? '';
    const stage = pipeline.stages[stageName];
    if (!stage) throw new MillraceError('stage_missing', { pipeline: pipeline.name, stage: stageName });
    this.#pipeline = pipeline;
    this.#stage = stage;
    this.#rawInput = row.input;
    this.#deps = deps;
    this.run = stageRunOf(row, stageName, stage.parts !== undefined);
    this.#isWhole = row.part === undefined;
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
    void this.#stopCommits(reason === 'drained' ? DRAIN_GRACE_MS : 0);
  }

  /** Again and again: a cancel that arrives between two statements stops nothing. */
  async #stopCommits(graceMs: number): Promise<void> {
    if (this.#committing > 0 && graceMs > 0) await waitAtMost(graceMs);
    for (let tries = 1; this.#committing > 0 && tries <= STOP_TRIES; tries += 1) {
      await this.#deps.stopEffects(this.run, tries <= STOP_TRIES / 2 ? 'cancel' : 'end');
      await waitAtMost(STOP_EVERY_MS);
    }
  }

  /** Whether its beginning must be known for certain before it begins: it was lost before, or must not begin twice. */
  get mustSayThatItBegins(): boolean {
    const { stage, part, failures } = this.run;
    // As a rule: asked of every run.
    if (failures === noFailures) return this.#pipeline.onLost === 'fail';
    return this.#pipeline.onLost === 'fail' || unbegunKey(stage, part) in failures || lossKey(stage, part) in failures;
  }

  get landed(): Promise<void> | undefined {
    return this.#deps.landed;
  }

  #signalSource(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  /** How long it has been going, since it began to work. */
  workedMs(): number {
    return this.#beganAt === undefined ? 0 : performance.now() - this.#beganAt;
  }

  /** What the engine gives up without having heard from the stage: the run goes back at no cost. */
  endByAbandon(): Ending {
    return this.#release();
  }

  /**
   * Asks a stage without sign of activity to stop. Returns its end when it has ignored that for `graceMs`: then the run goes on
   * without it, and whatever it still does is fenced off.
   */
  giveUpIfStalled(graceMs: number): Ending | undefined {
    const nowMs = performance.now();
    if (this.#stalledAt === undefined) {
      if (nowMs - this.lastSignOfLife <= this.#stallMs) return undefined;
      this.#stalledAt = nowMs;
      this.stop('stalled');
    }
    return nowMs - this.#stalledAt > graceMs ? this.#endByThrow(undefined) : undefined;
  }

  get #stallMs(): number {
    return this.#stage.stallMs ?? this.#deps.stallMs;
  }

  /** Works the stage. Undefined: the run is no longer ours, and nothing is to be written. */
  async work(): Promise<Ending | NextPart | undefined> {
    const ending = this.#stop ? this.#endByThrow(undefined) : await this.#attempt();
    this.#rawInput = undefined; // It is held until its end is written, with thousands of others perhaps; an input may be large.
    this.#input = undefined;
    const { landed } = this.#deps;
    return landed === undefined || (await hasLanded(landed)) ? ending : undefined;
  }

  async #attempt(): Promise<Ending | NextPart | undefined> {
    this.#beganAt = performance.now();
    try {
      if (this.#rawInput === null) this.#rawInput = await readInput(this.#deps.control, this.run.id);
      if (this.run.isShared) return await this.#attemptPart();
      const ended = await this.#perform((context) => this.#stage.work(context));
      if ('stopped' in ended) return ended.stopped;
      const outcome = ended.outcome as StageOutcome | string;
      await this.#writeQuestion(outcome);
      return this.#endByOutcome(outcome);
    } catch (error) {
      return this.#endByThrow(error);
    }
  }

  /** What the stage's function said, unless the engine has something else to say. */
  async #perform<T>(
    step: (context: StageContext) => Promise<T>,
  ): Promise<{ readonly outcome: T } | { readonly stopped: Ending | undefined }> {
    failpoint('stage.begin');
    const outcome = await step(createContext(this));
    if (this.#stop?.reason === 'lost') return { stopped: undefined };
    if (this.#stop?.reason === 'cancelled')
      throw new MillraceError('run_cancelled', { run: this.run.id, by: this.#stop.by });
    if (this.#stop?.reason === 'rewound') return { stopped: this.#release(REWOUND_PAUSE_MS) };
    if (this.#rejects.length > 0) await this.commit(async () => {}, {});
    return { outcome };
  }

  async #attemptPart(): Promise<Ending | NextPart | undefined> {
    await this.#deps.landed;
    if (this.#isWhole) await this.#deps.offerParts(this.run, partNames(this.part.of));
    const worked = await this.#perform((context) => this.#stage.work(context));
    if ('stopped' in worked) return worked.stopped;
    const answer = await this.#deps.finishPart(this.run, this.#counts?.expected() ?? null, this.signal());
    if (this.#stop?.reason !== undefined && this.#stop.reason !== 'lost' && answer === 'gone')
      return this.#endByThrow(undefined);
    if (typeof answer === 'object') return answer;
    if (answer === 'rewound') {
      this.stop('rewound');
      return this.#endByThrow(undefined);
    }
    if (answer !== 'last') return undefined;
    const concluded = await this.#perform((context) => (this.#stage as SharedStage<unknown>).conclude(context));
    if ('stopped' in concluded) return concluded.stopped;
    return { ...this.#endByOutcome(concluded.outcome), isPlain: false, isConclusion: true };
  }

  /** Before the end, which holds the run. Lost in between, the next attempt asks the same question again. */
  async #writeQuestion(said: StageOutcome | string): Promise<void> {
    if (typeof said === 'string' || said.ask === undefined) return;
    const { ask } = said;
    const { questionHours } = this.#deps;
    await this.commit(async () => {}, { besides: (tx) => insertQuestion(tx, this.run, ask, questionHours) });
  }

  get part(): PartPlace {
    return { index: partIndex(this.run.part), of: this.#stage.parts ?? 1 };
  }

  #endByOutcome(said: StageOutcome | string): Ending {
    const outcome: StageOutcome = typeof said === 'string' ? { on: said } : said;
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
      isPlain: done && outcome.on === 'complete' && !this.#counts && !outcome.via && !outcome.emit && !outcome.error,
      end: {
        ...plainEnd(this.run, outcome.on, outcome.on),
        receipt: outcome.receipt ? JSON.stringify(outcome.receipt) : done ? NOTHING_READ : null,
        commits: this.#counts?.expected() ?? null,
        errorCode: outcome.error?.code ?? null,
        errorText: outcome.error === undefined ? null : storableText(outcome.error.text),
        ...(outcome.ask === undefined
          ? {}
          : { waitReason: JSON.stringify({ kind: 'question', code: outcome.ask.code }) }),
      },
      events: outcome.emit ? emittedEvents(this.run, outcome.emit) : none,
    };
  }

  #endByThrow(thrown: unknown): Ending | undefined {
    const [error, { run }] = [this.#explain(thrown), this];
    const fields = {
      run: run.id,
      tenant: run.tenantId,
      pipeline: run.pipeline,
      stage: run.stage,
      attempt: run.attempt,
      code: error.code,
    };
    if (error.code === 'lease_lost') {
      if (this.#stop?.reason === 'drained') return this.#release();
      if (this.#stop?.reason === 'rewound') {
        this.#deps.log.error(fields, 'commits_lost');
        return this.#release(REWOUND_PAUSE_MS);
      }
      this.#deps.log.warn(fields, 'lease_lost');
      return undefined;
    }
    if (error.kind === 'bug') this.#deps.log.error({ ...fields, err: error.cause ?? error }, 'stage failed');
    else this.#deps.log.warn(fields, 'stage failed');
    const workedMs = performance.now() - this.#claimedAt;
    const end = endByError(this.#pipeline, this.#runAfterProgress(), error, workedMs);
    return { run, end: { ...end, commits: this.#counts?.expected() ?? null }, events: [], via: [] };
  }

  #release(delayMs?: number): Ending {
    const { run } = this;
    const failures = this.#runAfterProgress().failures;
    const end = endByRelease(run);
    return {
      run,
      end: {
        ...end,
        failures: failures === run.failures ? null : JSON.stringify(failures),
        delayMs: delayMs ?? null,
        waitReason: delayMs === undefined ? null : JSON.stringify({ kind: 'later', code: 'commits_lost' }),
      },
      events: [],
      via: [],
    };
  }

  /** Losses are counted from the last commit on. */
  #runAfterProgress(): StageRun {
    const { run } = this;
    if (!this.#counts?.hasCommitted) return run;
    return { ...run, failures: withoutLosses(run.failures, run.stage, run.part) };
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
      case 'rewound':
        return new MillraceError('lease_lost', { run: run.id, attempt: run.attempt });
      default:
        return classify(thrown, run);
    }
  }

  get log(): Log {
    return this.#deps.log;
  }

  readInput(): unknown {
    this.#input ??= { value: this.#pipeline.input.parse(this.#rawInput) };
    return this.#input.value;
  }

  signal(): AbortSignal {
    return this.#signalSource().signal;
  }

  async readCheckpoint(name: string): Promise<unknown> {
    const part = checkpointPart(this.run.part, name);
    const stored = await readCommitted(this.#deps.control, this.run.id, this.run.stage, part);
    try {
      this.#commitCounts().noteRead(part, stored?.commits ?? 0);
    } catch (error) {
      this.#stopIfRewound(error);
      throw error;
    }
    return stored?.state ?? undefined;
  }

  readAnswers(): Promise<readonly Answer[]> {
    return selectAnswers(this.#deps.control, this.run.id);
  }

  #commitCounts(): CommitCounts {
    this.#counts ??= new CommitCounts(this.run);
    return this.#counts;
  }

  /** Whatever the stage makes of the error: it works on from commits that are gone. */
  #stopIfRewound(error: unknown): void {
    if (error instanceof MillraceError && error.code === 'commits_lost') this.stop('rewound');
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

  async commit<T>(
    write: Parameters<StageContext['commit']>[0],
    options: CommitOptions & { readonly besides?: (tx: Queryable) => Promise<void> },
  ): Promise<T> {
    await this.#deps.landed;
    this.#signalSource().signal.throwIfAborted();
    const refusedBefore = this.#rejects.length;
    this.#committing += 1;
    try {
      const result = await commitEffects(
        this.#deps.effects,
        this.run,
        {
          role: this.#stage.role ?? this.#deps.defaultRole,
          write,
          checkpoint: options.checkpoint,
          part: checkpointPart(this.run.part, options.part ?? ''),
          rejects: () => [...this.#rejects, ...(options.rejects ?? [])],
          emit: options.emit ?? [],
          besides: options.besides,
          stallMs: this.#stallMs,
        },
        this.#commitCounts(),
        this.#signalSource().signal,
      );
      this.#rejects = [];
      this.#limitsHit = 0;
      this.lastSignOfLife = performance.now();
      return result as T;
    } catch (error) {
      // What the rolled back effects refused will be refused again when they are repeated.
      this.#rejects.length = refusedBefore;
      this.#stopIfRewound(error);
      if (!this.#stop && isTooLong(error) && ++this.#limitsHit <= LIMITS_HIT_IN_A_ROW)
        this.lastSignOfLife = performance.now();
      throw error;
    } finally {
      this.#committing -= 1;
    }
  }
}
