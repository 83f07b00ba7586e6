// Gathers progress and controller decisions of all runs of a worker and writes them together, at most once a second.
// Work is more important than progress: the writer drops and logs what it cannot write, and never retries it.
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Execution } from './execution.ts';
import { heldKey } from './shared-runs.ts';
import { type DecisionRow, insertDecisions, insertSamples, type ProgressRow, writeProgress } from './sql/progress.ts';

/** A sample a second at first, then one per hundredth of the attempt's age: some hundred for an hour, some more for a day. */
const SAMPLE_EVERY_MS = 1_000;
const SAMPLES_PER_AGE = 100;

export class ProgressWriter {
  readonly #pool: Pool;
  readonly #log: Log;
  /** By run and part. */
  readonly #rows = new Map<string, ProgressRow>();
  readonly #sampledAt = new WeakMap<Execution, { readonly first: number; readonly last: number }>();
  #decisions: DecisionRow[] = [];
  #samples: ProgressRow[] = [];

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
  }

  addDecision(decision: DecisionRow): void {
    this.#decisions.push(decision);
  }

  /** Takes the newest progress of an execution, if it has said anything since. */
  note(execution: Execution): void {
    const { unwritten, run } = execution;
    if (!unwritten) return;
    execution.unwritten = undefined;
    const row = {
      runId: run.id,
      part: run.part,
      tenantId: run.tenantId,
      attempt: run.attempt,
      stage: run.stage,
      done: Math.trunc(unwritten.done),
      total: unwritten.total === undefined ? null : Math.trunc(unwritten.total),
      unit: unwritten.unit ?? null,
      note: unwritten.note ?? null,
    };
    this.#rows.set(heldKey(run.id, run.part), row);
    if (this.#isSampleDue(execution, performance.now())) this.#samples.push(row);
  }

  #isSampleDue(execution: Execution, now: number): boolean {
    const { first, last } = this.#sampledAt.get(execution) ?? { first: now, last: now };
    const isDue = now - last >= Math.max(SAMPLE_EVERY_MS, (now - first) / SAMPLES_PER_AGE);
    this.#sampledAt.set(execution, { first, last: isDue ? now : last });
    return isDue;
  }

  async flush(): Promise<void> {
    const rows = [...this.#rows.values()];
    const decisions = this.#decisions;
    const samples = this.#samples;
    this.#rows.clear();
    this.#decisions = [];
    this.#samples = [];
    try {
      if (rows.length > 0) await writeProgress(this.#pool, rows);
      if (decisions.length > 0) await insertDecisions(this.#pool, decisions);
      if (samples.length > 0) await insertSamples(this.#pool, samples);
    } catch (error) {
      this.#log.warn({ err: error, runs: rows.length }, 'progress was not written');
    }
  }
}
