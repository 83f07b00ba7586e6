// The engine as it should be, in memory and in as few words as possible. It says what each step must answer and what must be
// in the ledger, the queue, the leases and the history afterwards. Where the engine may choose (which runs a claim takes), it
// checks the choice against the rules and then follows it.
import {
  after,
  CAP,
  LEASE_MS,
  LOST_LIMIT,
  phaseOf,
  SOLO_FROM,
  type Status,
  stageOf,
  TRANSIENT_BASE_MS,
  TRANSIENT_MAX,
} from './machine.ts';

export interface ModelRun {
  readonly id: string;
  readonly tenantId: string;
  readonly pipeline: string;
  readonly priority: number;
  readonly uniqueKey: string | null;
  readonly retryOf: string | null;
  activeKey: string | null;
  status: Status;
  attempt: number;
  failures: Record<string, number>;
  errorCode: string | null;
  heldBy: string | null;
  cancelBy: string | null;
  requeuedAs: string | null;
  /** Where a live run is; ended runs are nowhere. */
  place:
    | { readonly at: 'ready'; readonly solo: boolean }
    | { readonly at: 'planned'; readonly dueMs: number; readonly solo: boolean }
    | { readonly at: 'leased'; readonly worker: string }
    | { readonly at: 'held' }
    | { readonly at: 'nowhere' };
  /** How often each stage has committed, and in which attempt last. */
  checkpoints: Record<string, { readonly commits: number; readonly attempt: number }>;
  /** Outcomes of its attempts, in order. */
  readonly outcomes: string[];
  readonly events: string[];
}

export interface ModelWorker {
  readonly id: string;
  expiresMs: number;
  ended: boolean;
}

export interface ModelSchedule {
  readonly tenantId: string;
  readonly name: string;
  readonly pipeline: string;
  readonly everyMinutes: number;
  readonly nextMs: number;
}

/** An attempt as its process knows it. */
export interface Attempt {
  readonly attempt: number;
  readonly worker_id: string;
}

export class Model {
  readonly runs: ModelRun[] = [];
  readonly workers: ModelWorker[] = [];
  readonly pauses = new Set<string>();
  /** By tenant and name. */
  readonly schedules = new Map<string, ModelSchedule>();
  /** Lanes that a worker's last claim left out. */
  readonly passedOver = new Map<string, ReadonlySet<string>>();
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** As it is now, for a replica; which lanes a worker passed over is its own business. */
  copy(): Model {
    const copied = new Model(this.nowMs);
    copied.runs.push(...this.runs.map((run) => structuredClone(run)));
    copied.workers.push(...this.workers.map((worker) => ({ ...worker })));
    for (const pause of this.pauses) copied.pauses.add(pause);
    for (const [name, schedule] of this.schedules) copied.schedules.set(name, schedule);
    return copied;
  }

  find(id: string): ModelRun | undefined {
    return this.runs.find((run) => run.id === id);
  }

  /** The run that must be returned instead, if the keys are taken. */
  holder(request: { tenantId: string; pipeline: string; uniqueKey: string | null; activeKey: string | null }) {
    return this.runs.filter(
      (run) =>
        run.tenantId === request.tenantId &&
        run.pipeline === request.pipeline &&
        ((request.uniqueKey !== null && run.uniqueKey === request.uniqueKey) ||
          (request.activeKey !== null && run.activeKey === request.activeKey)),
    );
  }

  add(
    run: Pick<ModelRun, 'id' | 'tenantId' | 'pipeline' | 'priority' | 'uniqueKey' | 'activeKey' | 'retryOf'>,
    dueMs: number,
  ) {
    this.runs.push({
      ...run,
      status: 'queued',
      attempt: 0,
      failures: {},
      errorCode: null,
      heldBy: null,
      cancelBy: null,
      requeuedAs: null,
      place: dueMs > this.nowMs ? { at: 'planned', dueMs, solo: false } : { at: 'ready', solo: false },
      checkpoints: {},
      outcomes: [],
      events: [],
    });
  }

  isAlive(worker: ModelWorker): boolean {
    return !worker.ended && worker.expiresMs > this.nowMs;
  }

  isPaused(run: ModelRun): boolean {
    return this.pauses.has(`${run.pipeline}/`) || this.pauses.has(`${run.pipeline}/${run.tenantId}`);
  }

  leasesOfLane(pipeline: string, tenantId: string): number {
    return this.runs.filter(
      (run) => run.pipeline === pipeline && run.tenantId === tenantId && run.place.at === 'leased',
    ).length;
  }

  /** What may be claimed now, without those that must be worked on alone. */
  claimable(): ModelRun[] {
    return this.runs.filter(
      (run) =>
        run.place.at === 'ready' &&
        !run.place.solo &&
        !this.isPaused(run) &&
        (run.pipeline !== 'model_capped' || this.leasesOfLane(run.pipeline, run.tenantId) < CAP),
    );
  }

  /** Follows a claim, or says which rule it broke. */
  claim(worker: ModelWorker, ids: readonly string[], count: number): string | undefined {
    if (!this.isAlive(worker)) return ids.length === 0 ? undefined : 'a worker that is not alive claimed';
    const open = this.claimable();
    if (ids.length > count) return `asked for ${count}, got ${ids.length}`;
    if (ids.length === 0 && open.length > 0 && count > 0) return `${open.length} runs could be claimed, none was`;
    if (new Set(ids).size !== ids.length) return 'a run was claimed twice in one claim';
    for (const id of ids) if (!open.some((run) => run.id === id)) return `run ${id} could not be claimed`;
    const taken = new Map<string, number>();
    for (const run of ids.map((id) => this.find(id) as ModelRun)) {
      const lane = `${run.pipeline}/${run.tenantId}`;
      taken.set(lane, (taken.get(lane) ?? 0) + 1);
    }
    const unserved = [...new Set(open.map((run) => `${run.pipeline}/${run.tenantId}`))].filter(
      (lane) => !taken.has(lane),
    );
    // Plain lanes share a claim; a round goes on where the last one stopped, so a lane may be passed over once, not twice.
    const greedy = [...taken].find(([lane, number]) => lane.startsWith('model_plain') && number > 1);
    const passedOver = greedy ? unserved.filter((lane) => lane.startsWith('model_plain')) : [];
    const again = passedOver.filter((lane) => this.passedOver.get(worker.id)?.has(lane));
    this.passedOver.set(worker.id, new Set(passedOver));
    if (greedy && again.length > 0) return `lane ${greedy[0]} got ${greedy[1]} while ${again[0]} got none, twice`;
    for (const [lane, number] of taken) {
      const inOrder = open.filter((run) => `${run.pipeline}/${run.tenantId}` === lane).sort(byTurn);
      const first = new Set(inOrder.slice(0, number).map((run) => run.id));
      const skipped = ids.find((id) => {
        const run = this.find(id) as ModelRun;
        return `${run.pipeline}/${run.tenantId}` === lane && !first.has(id);
      });
      if (skipped !== undefined) return `run ${skipped} was taken before its turn`;
    }
    for (const id of ids) this.lease(this.find(id) as ModelRun, worker);
    const over = this.runs.find(
      (run) => run.pipeline === 'model_capped' && this.leasesOfLane(run.pipeline, run.tenantId) > CAP,
    );
    return over ? `lane ${over.tenantId} is over its cap` : undefined;
  }

  /** Follows a claim that its worker did not hear of: some of what it could have, or nothing. */
  claimUnheard(worker: ModelWorker, ids: readonly string[], count: number): string | undefined {
    if (ids.length > 0 && !this.isAlive(worker)) return 'a worker that is not alive claimed';
    if (ids.length > count) return `asked for ${count}, took ${ids.length}`;
    const open = this.claimable();
    const wrong = ids.find((id) => !open.some((run) => run.id === id));
    if (wrong !== undefined) return `run ${wrong} could not be claimed`;
    for (const id of ids) this.lease(this.find(id) as ModelRun, worker);
    return undefined;
  }

  leasedTo(worker: ModelWorker): ModelRun[] {
    return this.runs.filter((run) => run.place.at === 'leased' && run.place.worker === worker.id);
  }

  /** The fence: this attempt of this worker has the run. */
  holds(run: ModelRun, { attempt, worker_id: worker }: Attempt): boolean {
    return run.place.at === 'leased' && run.place.worker === worker && run.attempt === attempt;
  }

  commit(run: ModelRun, attempt: number): void {
    const stage = stageOf(run.status);
    const commits = (run.checkpoints[stage]?.commits ?? 0) + 1;
    run.checkpoints = { ...run.checkpoints, [stage]: { commits, attempt } };
  }

  lease(run: ModelRun, worker: ModelWorker): void {
    run.status = after(run.status, 'claim') as Status;
    run.attempt += 1;
    run.place = { at: 'leased', worker: worker.id };
  }

  /** The end of an attempt; false when the attempt no longer has the run. */
  end(run: ModelRun, attempt: Attempt, how: { event: string; outcome: string; dueMs?: number; error?: string }) {
    if (!this.holds(run, attempt)) return false;
    const status = after(run.status, how.event);
    if (status === undefined) return false;
    run.outcomes.push(how.outcome);
    run.status = status;
    run.errorCode = how.error ?? null;
    const phase = phaseOf(status);
    if (phase === 'waiting') {
      const solo = isSuspect(run);
      run.place = how.dueMs === undefined ? { at: 'ready', solo } : { at: 'planned', dueMs: how.dueMs, solo };
      run.events.push(
        how.outcome === 'lost' ? 'run.taken_over' : how.event === 'release' ? 'run.released' : 'run.staged',
      );
    } else {
      run.cancelBy = null;
      this.finish(run);
    }
    return true;
  }

  finish(run: ModelRun): void {
    run.place = { at: 'nowhere' };
    run.activeKey = null;
    run.heldBy = null;
    run.events.push(`run.${phaseOf(run.status)}`);
  }

  /** A failure by its kind: what the policy of the test's pipelines says. */
  fail(
    run: ModelRun,
    attempt: Attempt & { readonly failures: Record<string, number> | null },
    kind: 'transient' | 'bug' | 'auth' | 'rate_limited',
    code: string,
    waitMs: number,
  ): boolean {
    if (!this.holds(run, attempt)) return false;
    const key = `${kind}:${stageOf(run.status)}`;
    const failures = attempt.failures ?? {};
    const before = failures[key] ?? 0;
    run.failures = { ...failures, [key]: before + 1 };
    const retried = (kind === 'transient' && before < TRANSIENT_MAX) || kind === 'rate_limited';
    if (!retried) {
      const event = kind === 'bug' ? 'fail' : 'dead';
      return this.end(run, attempt, { event, outcome: 'failed', error: code });
    }
    const delayMs = kind === 'rate_limited' ? waitMs : TRANSIENT_BASE_MS * 2 ** before;
    return this.end(run, attempt, { event: 'release', outcome: 'retried', dueMs: this.nowMs + delayMs, error: code });
  }

  /** Workers that are silent for longer than their lease lose what they hold. */
  rescue(): void {
    for (const worker of this.workers) {
      if (worker.expiresMs >= this.nowMs) continue;
      for (const run of this.runs) {
        if (run.place.at !== 'leased' || run.place.worker !== worker.id) continue;
        const stage = stageOf(run.status);
        const key = `lost:${stage}`;
        // What has committed since its last loss counts from zero.
        const hasMoved = run.checkpoints[stage]?.attempt === run.attempt;
        const losses = (hasMoved ? 0 : (run.failures[key] ?? 0)) + 1;
        run.failures = { ...run.failures, [key]: losses };
        const attempt = { attempt: run.attempt, worker_id: worker.id };
        if (run.cancelBy !== null)
          this.end(run, attempt, { event: 'fail', outcome: 'cancelled', error: 'run_cancelled' });
        else if (losses >= LOST_LIMIT) this.end(run, attempt, { event: 'fail', outcome: 'lost', error: 'worker_lost' });
        else this.end(run, attempt, { event: 'release', outcome: 'lost' });
      }
      worker.ended = true;
    }
  }

  renew(worker: ModelWorker): boolean {
    if (worker.ended) return false;
    worker.expiresMs = this.nowMs + LEASE_MS;
    return true;
  }

  moveDue(): void {
    for (const run of this.runs)
      if (run.place.at === 'planned' && run.place.dueMs <= this.nowMs)
        run.place = { at: 'ready', solo: run.place.solo };
  }
}

/** A run that lost its worker three times in its present stage is worked on alone from then on, whatever happens to it. */
export function isSuspect(run: ModelRun): boolean {
  return (run.failures[`lost:${stageOf(run.status)}`] ?? 0) >= SOLO_FROM;
}

/** The next moment of a cron expression of so many minutes. */
export function nextByMinutes(afterMs: number, minutes: number): number {
  const stepMs = minutes * 60_000;
  return (Math.floor(afterMs / stepMs) + 1) * stepMs;
}

/** Claim order within a lane. */
function byTurn(one: ModelRun, other: ModelRun): number {
  return one.priority - other.priority || (one.id < other.id ? -1 : 1);
}
