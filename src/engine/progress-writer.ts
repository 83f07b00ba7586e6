// Gathers progress and controller decisions of all runs of a worker and writes them together, at most once a second.
// Progress is a courtesy: when it cannot be written it is dropped and said, never retried at the cost of work.
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Execution } from './execution.ts';
import { type DecisionRow, insertDecisions, type ProgressRow, writeProgress } from './sql/progress.ts';

export class ProgressWriter {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #rows = new Map<string, ProgressRow>();
  #decisions: DecisionRow[] = [];

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
    this.#rows.set(run.id, {
      runId: run.id,
      tenantId: run.tenantId,
      attempt: run.attempt,
      stage: run.stage,
      done: Math.trunc(unwritten.done),
      total: unwritten.total === undefined ? null : Math.trunc(unwritten.total),
      unit: unwritten.unit ?? null,
      note: unwritten.note ?? null,
    });
  }

  async flush(): Promise<void> {
    const rows = [...this.#rows.values()];
    const decisions = this.#decisions;
    this.#rows.clear();
    this.#decisions = [];
    try {
      if (rows.length > 0) await writeProgress(this.#pool, rows);
      if (decisions.length > 0) await insertDecisions(this.#pool, decisions);
    } catch (error) {
      this.#log.warn({ err: error, runs: rows.length }, 'progress was not written');
    }
  }
}
