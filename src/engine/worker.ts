// A worker: claims runs, works their stages, hands the ends to the finisher.
//
// Promises: it never works on more than `concurrency` stages at a time; it claims no more than can begin within about 50 ms
// (`StartQueue`), and gives back what cannot after all; what it holds when it stops is released or finished, never left behind; a worker
// that was declared lost drops everything it held and goes on under a new identity.
import { failpoint } from '../platform/failpoints.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { Doorbell, waitAtMost } from '../platform/wait.ts';
import { Slices } from './begin-in-slices.ts';
import { describeWorker } from './describe-worker.ts';
import type { EnginePools } from './engine-pools.ts';
import { Execution, type ExecutionDeps } from './execution.ts';
import { type ExecutionTools, executionDeps } from './execution-tools.ts';
import { type Ending, Finisher, type QueuedAgain, queuedAgain } from './finisher.ts';
import { Heartbeat } from './heartbeat.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { passOn, releaseOf } from './pass-on.ts';
import type { Registry } from './pipeline.ts';
import { ProgressWriter } from './progress-writer.ts';
import type { EngineSettings } from './settings.ts';
import { heldKey } from './shared-runs.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import type { Delivered } from './sql/delivered-runs.ts';
import { endWorker, registerWorker } from './sql/workers.ts';
import type { StageRun } from './stage-context.ts';
import { stageRunOf } from './stage-run.ts';
import { noRoom, type Room, StartQueue } from './start-queue.ts';
import type { Vitals } from './vitals.ts';
import { WorkFinder } from './work-finder.ts';
import { WorkerWatch } from './worker-watch.ts';

export interface WorkerDeps {
  readonly pools: EnginePools;
  readonly registry: Registry;
  readonly settings: EngineSettings;
  readonly log: Log;
  readonly version: string;
  readonly vitals: Vitals;
  /** Runs were finished or queued: others in this process may want to look. */
  readonly onActivity: (queued: QueuedAgain) => void;
  /** Runs are back in the queue: other workers may want to look. */
  readonly onGivenBack: () => void;
}

// Ends waiting for the database; beyond this the worker claims nothing more. A full batch behind the one that is being written keeps both the
// claim and the finisher busy; more would only be held for longer, and at the end of a drain be written with nothing beside them.
const MAX_BACKLOG = 2_000;
const HOUSEKEEPING_MS = 1_000;
// How long a stalled stage may take to notice that it was asked to stop.
const STALL_GRACE_MS = 5_000;
// What did not reach the database is tried again without waiting for the next poll.
const RETRY_MS = 100;

export class Worker {
  readonly #deps: WorkerDeps;
  readonly #finder: WorkFinder;
  readonly #finisher: Finisher;
  readonly #progress: ProgressWriter;
  readonly #keeper: LeaseKeeper;
  readonly #tools: ExecutionTools;
  readonly #bell = new Doorbell();
  /** Claimed and not yet written off, by run id and part. */
  readonly #held = new Map<string, Execution>();
  readonly #queue: StartQueue<Execution>;
  /** At work now. */
  readonly #started = new Set<Execution>();
  readonly #slices = new Slices(() => this.#startQueued());
  /** The run that is being worked on alone, if any. */
  #solo: string | undefined;
  #workerId = uuidv7();
  #heartbeat: Heartbeat | undefined;
  #looping: Promise<void> | undefined;
  #stopping = false;
  #claimFailed = false;
  #claimsOfDelivered = 0;
  /** The last pause of the claim loop was ended by somebody. */
  #wasWoken = false;
  #housekeeping: NodeJS.Timeout | undefined;
  readonly #watch: WorkerWatch;
  /** The last look found that nothing is left, and its own plain ends bring nothing: it waits for others to wake it. */
  #isDry = false;
  /** Why the claim loop should look again at once: a slot has become free while it was looking, or it has not seen all lanes yet. */
  #shouldGoOn = false;
  /** Which claim loop is the current one, and since when it has been looking. */
  #loopNumber = 0;
  #lookingSince: number | undefined;
  #idle: (() => void) | undefined;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#finder = new WorkFinder(deps.pools.control, deps.registry, deps.settings.leaseMs);
    this.#finisher = new Finisher({
      pool: deps.pools.control,
      log: deps.log,
      onWritten: (batch, lost) => this.#written(batch, lost),
    });
    this.#progress = new ProgressWriter(deps.pools.control, deps.log);
    this.#watch = new WorkerWatch(deps.settings.leaseMs, deps.log);
    this.#queue = new StartQueue({ slots: deps.settings.concurrency, maxClaim: deps.settings.maxClaim });
    this.#keeper = new LeaseKeeper({
      pool: deps.pools.control,
      log: deps.log,
      leaseMs: deps.settings.leaseMs,
      workerId: () => (this.#heartbeat ? this.#workerId : undefined),
      held: () => this.#held.values(),
      started: () => this.#started,
      end: (ending) => this.#end(ending),
    });
    this.#tools = {
      ...{ pools: deps.pools, log: deps.log, stallMs: deps.settings.stallMs },
      questionHours: deps.settings.questionHours,
      ...{ keeper: this.#keeper, progress: this.#progress, parts: this.#finder.parts, onOffered: deps.onGivenBack },
      onPartEnded: (isRunOver) => {
        deps.vitals.moved();
        if (isRunOver) deps.onActivity('later');
      },
    };
  }

  async start(): Promise<void> {
    await this.#enlist();
    this.#housekeeping = setInterval(() => this.#keepHouse(), HOUSEKEEPING_MS);
    this.#looping = this.#loop();
  }

  /** There may be work; of a lane that has just got a few runs, if one is named. */
  wake(lane = ''): void {
    this.#finder.claimer.invite(lane);
    this.#bell.ring();
  }

  cancel(runId: string, by: string): void {
    for (const execution of this.#held.values()) if (execution.run.id === runId) execution.stop('cancelled', by);
  }

  holds(runId: string): boolean {
    return this.#held.has(heldKey(runId));
  }

  get freeSlots(): number {
    if (this.#stopping || this.#heartbeat === undefined || this.#isBusyOtherwise()) return 0;
    return this.#deps.settings.concurrency - this.#started.size - this.#queue.size - this.#claimsOfDelivered;
  }

  /** Claims a run that was delivered by its id, and works on it as on any other. `none`: it is not to be claimed now. */
  async deliver(runId: string): Promise<Delivered> {
    if (this.freeSlots <= 0) return 'busy';
    const workerId = this.#workerId;
    this.#claimsOfDelivered += 1;
    const claiming = this.#keeper.whileClaiming(() => this.#finder.claimer.claimDelivered(workerId, runId));
    const rows = await claiming.finally(() => {
      this.#claimsOfDelivered -= 1;
    });
    if (rows.length === 0) return 'none';
    this.#accept(rows, workerId);
    this.#deps.onActivity(undefined);
    return 'taken';
  }

  /** Drains: no new claims, what has not begun is released, what runs may finish within `drainMs`, then is released too. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#bell.ring();
    await this.#looping;
    this.#releaseQueued();
    await this.#drain();
    clearInterval(this.#housekeeping);
    await this.#progress.flush();
    await this.#heartbeat?.stop();
    if (this.#heartbeat) await endWorker(this.#deps.pools.control, this.#workerId).catch(() => {});
  }

  async #drain(): Promise<void> {
    const { drainMs } = this.#deps.settings;
    await this.#untilIdle(drainMs);
    for (const execution of this.#held.values()) execution.stop('drained');
    await this.#untilIdle(Math.max(1_000, drainMs / 4));
    // What does not listen is left behind; nothing it may still do counts.
    for (const execution of this.#started) {
      this.#leaveBehind(execution, execution.endByAbandon());
      void this.#keeper.stopEffects(execution.run, 'end');
    }
    const abandon = setTimeout(() => this.#finisher.abandon(), Math.max(1_000, drainMs / 4));
    await this.#finisher.flush();
    clearTimeout(abandon);
    failpoint('release.after_commit');
  }

  async #untilIdle(ms: number): Promise<void> {
    if (this.#started.size === 0) return;
    const idle = new AbortController();
    this.#idle = () => idle.abort();
    await waitAtMost(ms, idle.signal);
    this.#idle = undefined;
  }

  async #enlist(): Promise<void> {
    const { pools, settings, version, log } = this.#deps;
    const { concurrency, leaseMs } = settings;
    const worker = describeWorker(this.#workerId, version, this.#finder.claimer.pipelines, concurrency);
    await registerWorker(pools.control, worker, leaseMs);
    this.#heartbeat = new Heartbeat({
      connect: pools.connect,
      workerId: this.#workerId,
      leaseMs,
      heartbeatMs: settings.heartbeatMs,
      log,
      vouches: () => this.#watch.canEndRuns,
      signs: () => this.#deps.vitals.signs(),
      onLost: () => this.#beReborn(),
    });
    this.#heartbeat.start();
  }

  /** Others have taken our runs over. Drop them and go on as somebody else. */
  #beReborn(): void {
    this.#deps.log.warn({ worker: this.#workerId, runs: this.#held.size }, 'worker was declared lost');
    for (const execution of this.#held.values()) execution.stop('lost');
    this.#queue.clear();
    this.#held.clear();
    this.#started.clear();
    this.#solo = undefined;
    const old = this.#heartbeat;
    this.#heartbeat = undefined;
    this.#workerId = uuidv7();
    void old?.stop();
    void this.#enlistStubbornly();
  }

  async #enlistStubbornly(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#enlist();
        return this.#bell.ring();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'worker could not register');
        await waitAtMost(RETRY_MS);
      }
    }
  }

  async #loop(): Promise<void> {
    const number = ++this.#loopNumber;
    while (!this.#stopping && number === this.#loopNumber) {
      this.#lookingSince = performance.now();
      const claimed = await this.#keeper.whileClaiming(() => this.#claimSome());
      if (number !== this.#loopNumber) return;
      this.#lookingSince = undefined;
      const looksAgain = this.#shouldGoOn && !this.#isDry && !this.#claimFailed;
      if (claimed === 0 && !this.#stopping && !looksAgain)
        this.#wasWoken = await this.#bell.wait(
          this.#claimFailed ? RETRY_MS : this.#finder.restMs(this.#deps.settings.pollMs),
        );
    }
  }

  /** How many runs were claimed; 0 also when there is no room or the database is away. */
  async #claimSome(): Promise<number> {
    this.#isDry = false;
    this.#shouldGoOn = false;
    if (!this.#heartbeat) return 0;
    const workerId = this.#workerId;
    try {
      if (await this.#finder.shouldWaitForSolo(this.#held.size === 0)) return 0;
      this.#claimFailed = false;
      if (this.#room() === noRoom || !(await this.#finder.isWorthALook(this.#wasWoken))) return 0;
      const parts = await this.#finder.parts.claim(workerId, this.#room().slots);
      if (parts.length > 0) this.#accept(parts, workerId);
      const room = this.#room();
      if (room === noRoom) return parts.length;
      const startedAt = performance.now();
      const { rows, landed, isAlone } = await this.#finder.claimRuns(
        workerId,
        room,
        this.#held.size === 0,
        this.#wasWoken,
      );
      if (isAlone) this.#solo = rows[0]?.id;
      this.#isDry = rows.length + parts.length === 0 && this.#finder.sawEverything(room);
      if (this.#finder.isHalfway) this.#shouldGoOn = true;
      this.#deps.vitals.claimed((performance.now() - startedAt) / 1_000);
      if (rows.length > 0) this.#accept(rows, workerId, landed);
      await landed?.catch((error: unknown) => {
        this.#drop(rows);
        throw error;
      });
      failpoint('claim.after_commit');
      if (this.#finder.claimer.announces(rows)) this.#deps.onActivity(undefined);
      return rows.length + parts.length;
    } catch (error) {
      this.#claimFailed = true;
      this.#deps.log.warn({ err: error }, 'claim did not reach the database');
      return 0;
    }
  }

  #room(): Room {
    return this.#isBusyOtherwise() ? noRoom : this.#queue.room();
  }

  #isBusyOtherwise(): boolean {
    return this.#finisher.backlog > MAX_BACKLOG || this.#solo !== undefined;
  }

  #accept(rows: readonly ClaimedRow[], workerId: string, landed?: Promise<void>): void {
    // Reborn while the claim was under way: these leases belong to the old identity and will be taken over.
    if (workerId !== this.#workerId) return;
    const deps = executionDeps(this.#tools, landed);
    const taken: Execution[] = [];
    for (const row of rows) {
      const execution = this.#take(row, deps);
      if (execution) taken.push(execution);
    }
    this.#queue.add(taken);
    this.#slices.claimed(taken.length);
    this.#startQueued();
  }

  /** The claim did not land, or nobody knows: what was begun counts for nothing. Leases that are ours after all are found. */
  #drop(rows: readonly ClaimedRow[]): void {
    for (const { id, attempt, part } of rows) {
      const execution = this.#held.get(heldKey(id, part));
      if (execution?.run.attempt !== attempt) continue;
      execution.stop('lost');
      this.#started.delete(execution);
      this.#queue.remove(execution, false);
      this.#forget(execution.run);
    }
  }

  /** Undefined when this version has no code for the stage: the run goes back for a worker that has. */
  #take(row: ClaimedRow, deps: ExecutionDeps): Execution | undefined {
    const pipeline = this.#deps.registry.get(row.pipeline);
    const stage = pipeline?.machine.states[row.status]?.stage;
    if (!pipeline || stage === undefined || !(stage in pipeline.stages)) {
      void Promise.resolve(deps.landed).then(
        () => this.#end(passOn(row, this.#deps.log)),
        () => {},
      );
      return undefined;
    }
    const execution = new Execution(row, pipeline, deps);
    this.#held.set(heldKey(row.id, row.part), execution);
    return execution;
  }

  #startQueued(): void {
    while (this.#started.size < this.#deps.settings.concurrency && this.#queue.size > 0 && this.#slices.mayBegin()) {
      const next = this.#queue.shift() as Execution;
      this.#started.add(next);
      void this.#work(next);
    }
  }

  async #work(execution: Execution): Promise<void> {
    if (execution.mustSayThatItBegins) await this.#keeper.sayThatItBegins(execution);
    execution.lastSignOfLife = performance.now();
    const ending = await execution.work();
    if (!this.#started.delete(execution)) return;
    this.#progress.note(execution);
    this.#queue.remove(execution, true);
    if (ending && 'next' in ending) this.#goOn(execution, ending.next);
    else if (ending && this.#held.get(heldKey(execution.run.id, execution.run.part)) === execution) this.#end(ending);
    else this.#forget(execution.run);
    if (!this.#stopping) this.#startQueued();
    if (this.#started.size === 0) this.#idle?.();
    this.#noteRoom();
  }

  /** While the claim loop looks, it asks for itself afterwards whether there is room. */
  #noteRoom(): void {
    if (this.#lookingSince !== undefined) this.#shouldGoOn = true;
    else if (!this.#isDry && !this.#isBusyOtherwise() && this.#queue.hasRoom()) this.#bell.ring();
  }

  #end(ending: Ending): void {
    this.#deps.vitals.endAdded(ending);
    this.#finisher.add(ending);
  }

  #written(batch: readonly Ending[], lost: readonly Ending[]): void {
    for (const { run } of lost)
      this.#deps.log.warn({ run: run.id, attempt: run.attempt, stage: run.stage }, 'lease_lost');
    this.#deps.vitals.endsWritten(batch, lost);
    for (const { run } of batch) this.#forget(run);
    this.#deps.onActivity(queuedAgain(batch));
    // A worker that knows when a part may be claimed looks at that moment.
    if (batch.some(({ run, end }) => run.isShared && end.delayMs !== null)) this.#deps.onGivenBack();
    if (batch.every(({ isPlain }) => isPlain)) this.#noteRoom();
    else this.#bell.ring();
  }

  #forget({ id, part, attempt }: StageRun): void {
    const key = heldKey(id, part);
    if (this.#held.get(key)?.run.attempt === attempt) this.#held.delete(key);
    if (this.#solo === id) this.#solo = undefined;
  }

  /** The same slot goes on with the next part of its run. */
  #goOn({ run }: Execution, next: ClaimedRow): void {
    this.#forget(run);
    if (this.#stopping) this.#end(releaseOf(stageRunOf(next, run.stage, true)));
    else this.#accept([next], run.workerId);
  }

  #releaseQueued(): void {
    failpoint('drain.before_release');
    this.#release(this.#queue.takeQueued());
  }

  #release(executions: readonly Execution[]): void {
    for (const { run } of executions) this.#end(releaseOf(run));
  }

  /** What was claimed ahead and does not begin soon after all goes back to the queue, where others may take it. */
  #giveBack(): void {
    const surplus = this.#queue.takeSurplus();
    if (surplus.length === 0) return;
    this.#deps.log.info(
      { worker: this.#workerId, runs: surplus.length },
      'runs that cannot begin soon were given back',
    );
    this.#release(surplus);
    void this.#finisher.flush().then(() => this.#deps.onGivenBack());
  }

  #keepHouse(): void {
    const [finisher, heartbeat] = [this.#finisher.busySince, this.#heartbeat?.renewedAt];
    const since = { claimLoop: this.#lookingSince, finisher, heartbeat };
    if (this.#watch.look(this.#workerId, since).includes('claimLoop')) this.#looping = this.#loop();
    this.#keeper.keep();
    for (const execution of this.#started) {
      const ending = execution.giveUpIfStalled(STALL_GRACE_MS);
      if (ending) this.#leaveBehind(execution, ending);
      this.#progress.note(execution);
    }
    this.#giveBack();
    void this.#progress.flush();
  }

  /** Its stage does not come back: free the slot, end the attempt, and ignore whatever it answers later. */
  #leaveBehind(execution: Execution, ending: Ending): void {
    this.#started.delete(execution);
    this.#queue.remove(execution, true);
    this.#end(ending);
    if (!this.#stopping) this.#startQueued();
  }
}
