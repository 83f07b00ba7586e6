// What a program (or the operator's command line) can do with runs whose id it knows. It acts for the installation, not for one
// tenant: each action uses the tenant of its run. People use the HTTP API, which authenticates them.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Actor, BulkAction, BulkAnswer, CancelAnswer, RetryOptions } from '../engine/actions.ts';
import type { Engine } from '../engine/engine.ts';
import type { Enqueued } from '../engine/enqueue.ts';
import type { RunFilter } from '../engine/reads/list-runs.ts';
import { type AttemptRow, readAttempts, readWorkerNames } from '../engine/reads/read-attempts.ts';
import { type RunEventRow, readRunEvents } from '../engine/reads/read-events.ts';
import { type ProgressRow, readProgress } from '../engine/reads/read-progress.ts';
import type { RunRow } from '../engine/reads/run-columns.ts';
import type { Verification } from '../engine/verify.ts';
import type { WhyWaiting } from '../engine/why.ts';
import type { Queryable } from '../platform/database.ts';
import { Doorbell } from '../platform/wait.ts';

/** Who acts, for the ledger. Default: the name the service was opened under. */
export interface By {
  readonly by?: string;
}

/** An execution with the name its worker goes by; null when that worker is no longer known. */
export interface NamedAttempt extends AttemptRow {
  readonly worker: string | null;
}

export interface RunService {
  /** Throws `run_not_found`. */
  get(runId: string): Promise<RunRow>;
  /** Newest first. */
  list(filter?: Partial<RunFilter>, limit?: number): Promise<RunRow[]>;
  /** Why a waiting run waits; null when it does not wait. */
  why(runId: string): Promise<WhyWaiting | null>;
  attempts(runId: string): Promise<NamedAttempt[]>;
  events(runId: string, afterPosition?: number): Promise<RunEventRow[]>;
  progress(runId: string): Promise<ProgressRow | undefined>;
  hold(runId: string, options?: By): Promise<void>;
  resume(runId: string, options?: By): Promise<void>;
  cancel(runId: string, options?: By): Promise<CancelAnswer>;
  /** A new run linked by `retry_of`; two calls make one run. */
  retry(runId: string, options?: By & RetryOptions): Promise<Enqueued>;
  /** A dead letter gets a successor, linked both ways. Returns its id. */
  requeue(runId: string, options: By & { readonly correlationId: string }): Promise<string>;
  /** Recounts a finished run and compares with its receipt. */
  verify(runId: string): Promise<Verification>;
  /** How many runs a bulk action would reach; give the count back to `actOnMany`. */
  previewBulk(filter: RunFilter, action: BulkAction): Promise<number>;
  actOnMany(
    filter: RunFilter & { readonly tenantId: string },
    action: BulkAction,
    expected: number,
    options?: By,
  ): Promise<BulkAnswer>;
  /** The run when it has ended, or as it is when the time is up or the signal aborts. */
  wait(runId: string, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<RunRow>;
}

const DEFAULT_LIMIT = 50;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createRunService(engine: Engine, defaultBy: string): RunService {
  const { control } = engine.pools;

  async function get(runId: string): Promise<RunRow> {
    const run = uuid.test(runId) ? await engine.findRun(runId) : undefined;
    if (!run) throw new MillraceError('run_not_found', { run: runId });
    return run;
  }

  async function actor(runId: string, by: string = defaultBy): Promise<Actor> {
    return { tenantId: (await get(runId)).tenant_id, by };
  }

  return {
    get,
    list: (filter = {}, limit = DEFAULT_LIMIT) => engine.listRuns({ tenantId: null, ...filter }, limit),
    why: async (runId) => engine.why(await get(runId)),
    attempts: async (runId) => nameWorkers(control, await readAttempts(control, (await get(runId)).tenant_id, runId)),
    events: async (runId, after) => readRunEvents(control, (await get(runId)).tenant_id, runId, { after }),
    progress: async (runId) => readProgress(control, (await get(runId)).tenant_id, runId),
    hold: async (runId, { by } = {}) => engine.hold(await actor(runId, by), runId),
    resume: async (runId, { by } = {}) => engine.resume(await actor(runId, by), runId),
    cancel: async (runId, { by } = {}) => engine.cancel(await actor(runId, by), runId),
    retry: async (runId, { by, ...options } = {}) => engine.retry(await actor(runId, by), runId, options),
    requeue: async (runId, { by, correlationId }) => engine.requeue(await actor(runId, by), runId, correlationId),
    verify: async (runId) => engine.verify((await get(runId)).tenant_id, runId),
    previewBulk: engine.previewBulk,
    actOnMany: (filter, action, expected, { by = defaultBy } = {}) =>
      engine.actOnMany({ tenantId: filter.tenantId, by }, filter, action, expected),
    wait: (runId, options) => waitForEnd(engine, () => get(runId), options),
  };
}

async function nameWorkers(control: Queryable, attempts: readonly AttemptRow[]): Promise<NamedAttempt[]> {
  const names = await readWorkerNames(control, [...new Set(attempts.map((each) => each.worker_id))]);
  return attempts.map((each) => ({ ...each, worker: names.get(each.worker_id) ?? null }));
}

async function waitForEnd(
  engine: Engine,
  read: () => Promise<RunRow>,
  { timeoutMs = Number.POSITIVE_INFINITY, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<RunRow> {
  const deadline = performance.now() + timeoutMs;
  const bell = new Doorbell();
  const stopListening = engine.onEvents(() => bell.ring());
  const ring = () => bell.ring();
  signal?.addEventListener('abort', ring, { once: true });
  try {
    for (;;) {
      const run = await read();
      const leftMs = deadline - performance.now();
      if (run.finished_at !== null || leftMs <= 0 || signal?.aborted) return run;
      await bell.wait(Math.min(engine.settings.pollMs, leftMs));
    }
  } finally {
    stopListening();
    signal?.removeEventListener('abort', ring);
  }
}
