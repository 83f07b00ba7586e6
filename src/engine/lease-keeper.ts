// Compares at intervals the leases that the database gives this worker with the runs that its process holds. It releases leases that nobody works on,
// stops executions whose lease is gone, and records which runs have begun, so that a loss counts against those runs only.
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Execution } from './execution.ts';
import { endByRelease } from './failure.ts';
import type { Ending } from './finisher.ts';
import { type Holding, Reconciler } from './reconciler.ts';
import { stopEffects } from './sql/fence.ts';
import { claimedLeases, type HeldLease, leasesOf, markBegun } from './sql/workers.ts';
import type { StageRun } from './stage-context.ts';
import { stageRunOf } from './stage-run.ts';

export interface LeaseKeeperOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly leaseMs: number;
  /** The incarnation that holds leases now; undefined while there is none. */
  readonly workerId: () => string | undefined;
  /** Claimed and not yet written off. */
  readonly held: () => Iterable<Execution>;
  /** At work now. */
  readonly started: () => Iterable<Execution>;
  readonly end: (ending: Ending) => void;
}

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #reconciler = new Reconciler();
  /** When each claim under way began. */
  readonly #claimsSince = new Set<number>();
  /** Whose beginning has been written down. */
  readonly #begun = new WeakSet<Execution>();
  readonly #everyMs: number;
  #marking: Promise<void> = Promise.resolve();
  #gathering: { readonly runs: StageRun[]; readonly marked: Promise<void> } | undefined;
  #isLooking = false;
  #lookedAt = performance.now();

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#everyMs = Math.max(500, Math.min(options.leaseMs / 6, 10_000));
  }

  /** Runs a claim: while it is under way, leases that nobody knows of may be its own. */
  async whileClaiming<T>(claim: () => Promise<T>): Promise<T> {
    const since = performance.now();
    this.#claimsSince.add(since);
    try {
      return await claim();
    } finally {
      this.#claimsSince.delete(since);
    }
  }

  /** Called about once a second. */
  keep(): void {
    this.#noteBegun();
    if (this.#isLooking || performance.now() - this.#lookedAt < this.#everyMs) return;
    this.#isLooking = true;
    this.#reconcile()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'leases could not be compared'))
      .finally(() => {
        this.#isLooking = false;
        this.#lookedAt = performance.now();
      });
  }

  /** For a run whose beginning must be known before it begins. Without an answer it begins all the same: at worst a loss is not charged. */
  async sayThatItBegins(execution: Execution): Promise<void> {
    try {
      await execution.landed;
      await this.#markSoon(execution.run);
      this.#begun.add(execution);
    } catch (error) {
      this.#options.log.warn({ run: execution.run.id, err: error }, 'the beginning of a run was not written');
    }
  }

  /** Those that come while a statement is under way share the next one: after a crash, thousands may have to be marked. */
  #markSoon(run: StageRun): Promise<void> {
    if (!this.#gathering) {
      const runs: StageRun[] = [];
      const marked = this.#marking.then(() => {
        this.#gathering = undefined;
        return markBegun(this.#options.pool, runs);
      });
      this.#gathering = { runs, marked };
      this.#marking = marked.catch(() => {});
    }
    this.#gathering.runs.push(run);
    return this.#gathering.marked;
  }

  /** Cancels the statements of an attempt's effects, or ends their connections. */
  async stopEffects(run: StageRun, how: 'cancel' | 'end'): Promise<void> {
    try {
      const stopped = await stopEffects(this.#options.pool, run, how);
      if (stopped < 0) this.#options.log.warn({ run: run.id }, 'the owner of the database may not stop transactions');
    } catch (error) {
      this.#options.log.warn({ run: run.id, err: error }, 'an effects transaction could not be stopped');
    }
  }

  /** Runs that were claimed ahead, and all others, count as begun once they have been worked on for a moment. */
  #noteBegun(): void {
    const fresh = [...this.#options.started()].filter(
      (execution) => !this.#begun.has(execution) && execution.workedMs() > 0,
    );
    if (fresh.length === 0) return;
    for (const execution of fresh) this.#begun.add(execution);
    const runs = fresh.map((execution) => execution.run);
    markBegun(this.#options.pool, runs).catch(() => {
      for (const execution of fresh) this.#begun.delete(execution);
    });
  }

  async #reconcile(): Promise<void> {
    const workerId = this.#options.workerId();
    if (workerId === undefined) return;
    const before = this.#holdings();
    const lookedAt = performance.now();
    const leases = await leasesOf(this.#options.pool, workerId);
    if (workerId !== this.#options.workerId()) return;
    const { orphans, lost, cancelled } = this.#reconciler.compare({
      leases,
      before,
      after: this.#holdings(),
      lookedAt,
      oldestClaimAt: this.#oldestClaimAt(lookedAt),
    });
    for (const { holding, by } of cancelled) holding.execution.stop('cancelled', by);
    for (const { execution } of lost) execution.stop('lost');
    if (orphans.length > 0) await this.#giveBack(workerId, orphans);
  }

  /** A claim that hangs for longer than any statement may is no excuse. */
  #oldestClaimAt(nowMs: number): number | undefined {
    const under = [...this.#claimsSince].filter((since) => nowMs - since < this.#options.leaseMs * 2);
    return under.length === 0 ? undefined : Math.min(...under);
  }

  /** A new attempt, here or elsewhere, rather than this one once more: whatever may still be at it stays fenced off. */
  async #giveBack(workerId: string, orphans: readonly HeldLease[]): Promise<void> {
    const ids = orphans.map((lease) => lease.run_id);
    const isOrphan = new Set(orphans.map(({ run_id: id, part, attempt }) => `${id}/${part}/${attempt}`));
    for (const row of await claimedLeases(this.#options.pool, workerId, ids)) {
      const run = stageRunOf(row, '');
      if (!isOrphan.has(`${run.id}/${run.part}/${run.attempt}`)) continue;
      this.#options.log.warn({ run: run.id, attempt: run.attempt }, 'a lease that nobody worked on was given back');
      this.#options.end({ run, end: endByRelease(run), events: [], via: [] });
    }
  }

  #holdings(): (Holding & { readonly execution: Execution })[] {
    return [...this.#options.held()].map((execution) => {
      const { id: runId, part, attempt } = execution.run;
      return { runId, part, attempt, execution };
    });
  }
}
