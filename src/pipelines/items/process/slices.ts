// Slices: claim some items, process them outside any transaction, commit their results. As many as fit into the target time; fewer while items fail, the
// process is short of memory or its event loop is late. The same loop serves workers and kick-offs; what differs is the host.
import { setMaxListeners } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { AdaptiveSize, type Decision } from '../../../engine/adaptive.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import type { ItemsDeps } from '../deps.ts';
import { countSlice } from '../metrics.ts';
import type { AnyProcessor, JobFile } from '../processors/processor.ts';
import { checkedOptions, processorNamed } from '../processors/registry.ts';
import { type FieldFinder, fieldFinder } from '../reading.ts';
import { type Claim, type ClaimedItem, giveBack, renewLocks } from '../sql/claim-items.ts';
import { giveBackSlice, renewSlice } from '../sql/claim-slices.ts';
import type { WholeJob } from '../sql/jobs.ts';
import { type ItemResult, insertRequests, type RequestRow, writeResults } from '../sql/write-results.ts';
import { type SlicePlace, writeSlice } from '../sql/write-slice.ts';
import { type Attempted, attemptItem, attemptItems } from './attempt-item.ts';
import { type Claimed, claimWork } from './claim-work.ts';
import { GatheredResults, type Taken } from './gathered-results.ts';
import { judgeOutcome, type RetryBounds } from './retry-rules.ts';
import { logSlice, type Retried } from './slice-log.ts';
import { TimeLimits } from './time-limits.ts';

export interface SliceHost {
  readonly runId: string;
  readonly tenantId: string;
  /** Of the locks it takes; unique per claimant. */
  readonly worker: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** A transaction under the job's tenant and, for a worker, under the fence of its lease. */
  readonly transact: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;
  readonly decide: (decision: Decision) => void;
  readonly onProcessed: (items: number) => void;
  /** Asked when the time is over: until when it goes on instead. Undefined: not at all. */
  readonly nextTurn?: () => Promise<number | undefined>;
}

export interface SlicesEnd {
  readonly processed: number;
  /** empty: nothing can be claimed now. */
  readonly why: 'empty' | 'paused' | 'time';
}

export type SliceJob = Pick<
  WholeJob,
  'job_id' | 'user_id' | 'processor' | 'options' | 'file_id' | 'file_name' | 'input_columns' | 'mapping' | 'row_bytes'
>;

interface Figures {
  failed: number;
  notFound: number;
  readonly outcomes: Record<string, number>;
  /** By the reason of the wait: how many items, and the shortest. */
  readonly retries: Record<string, Retried>;
  commitMs: number;
  waitMs: number;
}

interface Ahead {
  readonly claim: Claim;
  readonly claiming: Promise<Claimed | 'paused'>;
}

/** Results are committed in time and locks renewed however long a slice takes, so it may be far too large once. */
const GROWTH = 8;
const SPIKE_SHARE = 0.5;
const SPIKE_ITEMS = 8;
const MAX_SPACING = 8;
const HEAP_SHARE = 0.85;
const LAG_MS = 250;
/** A lock holds for so many expected slices. */
const LOCK_SLICES = 2;
/** Of quick items the next slice is claimed while one is at work. */
const QUICK_MS = 1_000;
/** Of the memory: below it there is room for the rows of a second slice. */
const ROOMY_SHARE = 0.4;
/** Of the file, whose rows a slice holds: as many rows of a megabyte as of a kilobyte would end the process and all that works in it. */
const CLAIM_BYTES = 64 * 1024 * 1024;
/** Items that wait for nothing follow each other without a turn of the event loop, in which statements are sent and answers read. */
const ITEMS_PER_TURN = 128;

export async function workSlices(
  host: SliceHost,
  job: SliceJob,
  deps: ItemsDeps,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<SlicesEnd> {
  const worker = new SliceWorker(host, job, deps);
  let processed = 0;
  let until = untilMs;
  try {
    for (;;) {
      if (performance.now() >= until) {
        const next = await host.nextTurn?.();
        if (next === undefined) {
          await worker.settle();
          return { processed, why: 'time' };
        }
        until = next;
      }
      const slice = await worker.slice(until);
      if (slice === 'paused' || slice === 'empty') {
        // What the last slice has yet to commit may be due again at once.
        const wasCommitting = await worker.settle();
        if (slice === 'empty' && wasCommitting) continue;
        return { processed, why: slice };
      }
      processed += slice;
      host.onProcessed(slice);
    }
  } finally {
    // Nothing is under way when the caller goes on, however this ends.
    await worker.settle().catch(() => undefined);
    await worker.giveBackAhead();
    worker.close();
  }
}

class SliceWorker {
  readonly #host: SliceHost;
  readonly #job: SliceJob;
  readonly #deps: ItemsDeps;
  readonly #processor: AnyProcessor;
  readonly #options: unknown;
  readonly #fields: FieldFinder;
  readonly #size: AdaptiveSize;
  readonly #limits: TimeLimits;
  readonly #lag = monitorEventLoopDelay({ resolution: 20 });
  #opened: Promise<JobFile | undefined> | undefined;
  #committing: Promise<void> | undefined;
  #ahead: Ahead | undefined;
  #sinceTurn = 0;
  #heapShare = 0;
  #spacing = 1;
  #bounds: RetryBounds;
  #sliceMs: number;

  constructor(host: SliceHost, job: SliceJob, deps: ItemsDeps) {
    this.#host = host;
    this.#job = job;
    this.#deps = deps;
    this.#processor = processorNamed(deps.processors, job.processor);
    this.#options = checkedOptions(this.#processor, job.options);
    this.#fields = fieldFinder(job.mapping, job.input_columns);
    const { settings } = deps;
    this.#sliceMs = settings.workerTargetSliceMs;
    this.#bounds = { ...settings, spacing: 1 };
    this.#limits = new TimeLimits(host.signal, settings.itemTimeoutMs);
    const most = Math.max(1, Math.floor((deps.claimBytes ?? CLAIM_BYTES) / (job.row_bytes || 1)));
    this.#size = new AdaptiveSize({
      name: 'items per slice',
      initial: Math.min(most, Math.max(settings.claimMin, this.#atOnce())),
      min: Math.min(most, settings.claimMin),
      max: Math.min(most, settings.claimMax),
      growth: GROWTH,
      targetMs: settings.workerTargetSliceMs * Number(settings.safetyFactor ?? '0.7'),
      onDecision: host.decide,
    });
    this.#lag.enable();
    // Every item at work listens for the end of its slice; none stays behind.
    setMaxListeners(0, host.signal);
  }

  close(): void {
    this.#limits.close();
    this.#lag.disable();
  }

  #atOnce(): number {
    return Math.min(
      this.#deps.settings.itemConcurrency,
      this.#processor.limits?.concurrency ?? Number.POSITIVE_INFINITY,
    );
  }

  async slice(untilMs: number): Promise<number | 'paused' | 'empty'> {
    this.#heedTheProcess();
    const next = await this.#next(untilMs);
    if (next === 'paused') return 'paused';
    const { claim, claimed } = next;
    if (claimed.items.length === 0) return 'empty';
    const startedAt = performance.now();
    await this.#work(claimed, claim, startedAt);
    return claimed.items.length;
  }

  /** Waits for the commit of the last slice. False: there was none. */
  async settle(): Promise<boolean> {
    const committing = this.#committing;
    this.#committing = undefined;
    await committing;
    return committing !== undefined;
  }

  #observe(claimed: number, figures: Figures, startedAt: number): void {
    const ms = performance.now() - startedAt;
    this.#sliceMs = ms;
    this.#size.observe(claimed, ms);
    this.#heedErrors(figures.failed, claimed);
    countSlice({ ...figures, items: claimed, ms });
    logSlice(this.#host, this.#job.job_id, { items: claimed, ms, ...figures });
  }

  /** Of quick items the next slice is there already, and the one behind it is on its way before the first item begins. */
  async #next(untilMs: number): Promise<{ readonly claim: Claim; readonly claimed: Claimed } | 'paused'> {
    const { claim, claiming } = this.#ahead ?? this.#claim();
    this.#ahead = undefined;
    const claimed = await claiming;
    if (claimed === 'paused') return 'paused';
    const isQuick = claimed.fromRow !== undefined && this.#sliceMs < QUICK_MS;
    const hasTime = performance.now() + 2 * this.#sliceMs < untilMs;
    if (isQuick && hasTime && this.#heapShare < ROOMY_SHARE) this.#ahead = this.#claim();
    return { claim, claimed };
  }

  #claim(): Ahead {
    const { worker, transact } = this.#host;
    const claim: Claim = {
      jobId: this.#job.job_id,
      worker,
      lockMs: this.#lockMs(),
      limit: this.#size.size,
    };
    const claiming = transact((tx) => claimWork(tx, claim, this.#host));
    // Its failure is thrown where it is waited for, not while nobody does.
    claiming.catch(() => undefined);
    return { claim, claiming };
  }

  /** What was claimed and will not be begun. */
  async giveBackAhead(): Promise<void> {
    const claimed = await this.#ahead?.claiming.catch(() => undefined);
    this.#ahead = undefined;
    if (claimed === undefined || claimed === 'paused') return;
    const ids = claimed.fromRow === undefined ? claimed.items.map(({ id }) => id) : [];
    await this.#giveBack(ids, claimed.fromRow);
  }

  /** The commit of its last results goes on while the next slice is claimed and begun; two never overlap. */
  async #work({ items: claimed, fromRow }: Claimed, claim: Claim, startedAt: number): Promise<void> {
    const figures: Figures = { failed: 0, notFound: 0, outcomes: {}, retries: {}, commitMs: 0, waitMs: 0 };
    const gathered = new GatheredResults(this.#deps.resultBytes);
    // A range is held as a whole.
    const left = new Set(fromRow === undefined ? claimed.map(({ id }) => id) : []);
    let renewed = Promise.resolve();
    const renewing = setInterval(() => {
      renewed = this.#renew(claim, left, fromRow);
    }, claim.lockMs / 3);
    const commit = async ({ results, requests }: Taken, isLast = false) => {
      const place = fromRow === undefined ? undefined : { fromRow, isLast };
      if (results.length === 0 && requests.length === 0 && !(isLast && place !== undefined)) return;
      // Not renewed while they are written: the two would wait for each other.
      for (const { id } of results) left.delete(id);
      await renewed;
      const { commitMs, waitMs } = await this.#commit(results, requests, performance.now() - startedAt, place);
      figures.commitMs = commitMs;
      figures.waitMs = waitMs;
    };
    let lastCommit = performance.now();
    let writing: Promise<void> | undefined;
    const write = async () => {
      await this.settle();
      await commit(gathered.take());
    };
    try {
      const deps = this.#attemptDeps();
      const isOneByOne = this.#processor.processBatch === undefined;
      await this.#inChunks(claimed, async (chunk) => {
        const [only] = chunk;
        const tried = isOneByOne && only ? [await attemptItem(only, deps)] : await attemptItems(chunk, deps);
        for (const attempted of tried) gathered.add(attempted, this.#judge(attempted, figures));
        while (gathered.isFull && writing !== undefined) await writing;
        // Slow items do not keep the results of quick ones waiting, and large answers are not kept until all are there.
        const isDue = performance.now() - lastCommit >= this.#deps.settings.workerTargetSliceMs;
        if (writing !== undefined || !(isDue || gathered.isFull)) return;
        lastCommit = performance.now();
        writing = write().finally(() => {
          writing = undefined;
        });
        await writing;
      });
      await this.settle();
    } catch (error) {
      await this.#giveBack([...left], fromRow);
      throw error;
    } finally {
      clearInterval(renewing);
    }
    this.#committing = commit(gathered.take(), true).then(() => this.#observe(claimed.length, figures, startedAt));
    // Its failure is thrown where it is waited for, not while nobody does.
    this.#committing.catch(() => undefined);
  }

  #judge({ claimed, outcome, strategy, ms }: Attempted, figures: Figures): ItemResult {
    const result = judgeOutcome(claimed, outcome, { strategy, ms }, this.#bounds);
    figures.outcomes[result.outcome] = (figures.outcomes[result.outcome] ?? 0) + 1;
    if (result.outcome === 'ERROR' || result.outcome === 'RETRY') figures.failed += 1;
    if (result.outcome === 'NOT_FOUND') figures.notFound += 1;
    if (result.delay_ms !== null) {
      const { items, afterMs } = figures.retries[result.code ?? ''] ?? { items: 0, afterMs: result.delay_ms };
      figures.retries[result.code ?? ''] = { items: items + 1, afterMs: Math.min(afterMs, result.delay_ms) };
    }
    return result;
  }

  /** Many at once where the processor takes many; else one by one, so many at a time. */
  async #inChunks(
    claimed: readonly ClaimedItem[],
    work: (chunk: readonly ClaimedItem[]) => Promise<void>,
  ): Promise<void> {
    const per =
      this.#processor.processBatch === undefined
        ? 1
        : Math.max(1, this.#processor.limits?.batchOf?.(this.#options) ?? this.#processor.limits?.batch ?? 1);
    let next = 0;
    const runner = async () => {
      while (next < claimed.length) {
        this.#host.signal.throwIfAborted();
        const chunk = claimed.slice(next, next + per);
        next += per;
        await work(chunk);
        this.#sinceTurn += per;
        if (this.#sinceTurn < ITEMS_PER_TURN) continue;
        this.#sinceTurn = 0;
        await turn();
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#atOnce(), Math.ceil(claimed.length / per)) }, runner));
  }

  #attemptDeps() {
    const { tenantId, signal, transact, decide } = this.#host;
    const { limits } = this.#processor;
    const key = limits?.key?.(this.#options) ?? `${tenantId} ${this.#processor.name}`;
    return {
      processor: this.#processor,
      options: this.#options,
      tenantId,
      jobId: this.#job.job_id,
      fields: this.#fields,
      pace: this.#deps.paces.of(key, {
        concurrency: this.#atOnce(),
        perSecond: limits?.perSecondOf?.(this.#options) ?? limits?.perSecond,
      }),
      timeoutMs: this.#deps.settings.itemTimeoutMs,
      limits: this.#limits,
      signal,
      read: transact,
      onDecision: decide,
      file: () => this.#file(),
    };
  }

  /** Looked up once; undefined when its bytes are gone. */
  #file(): Promise<JobFile | undefined> {
    const { file_id: fileId, file_name: name } = this.#job;
    this.#opened ??= this.#host.transact(async (tx) => {
      const blob = fileId === null ? undefined : await findBlob(tx, fileId);
      if (blob === undefined || blob.deleted_at !== null) return undefined;
      return { name, source: blobSource(this.#deps.store, blob) };
    });
    return this.#opened;
  }

  async #commit(
    results: readonly ItemResult[],
    requests: readonly RequestRow[],
    agoMs: number,
    place: SlicePlace | undefined,
  ): Promise<{ commitMs: number; waitMs: number }> {
    const { tenantId, runId, worker, log } = this.#host;
    const target = { jobId: this.#job.job_id, tenantId, runId, worker, userId: this.#job.user_id };
    const asked = performance.now();
    let entered = asked;
    const written = await this.#host.transact(async (tx) => {
      entered = performance.now();
      const taken =
        place === undefined
          ? await writeResults(tx, target, results, agoMs)
          : ((await writeSlice(tx, target, place, results)) ?? 0);
      await insertRequests(tx, target, requests);
      return taken;
    });
    if (written < results.length)
      log.warn({ run: runId, job: target.jobId, late: results.length - written }, 'items.results_came_late');
    return { commitMs: performance.now() - entered, waitMs: entered - asked };
  }

  async #renew(claim: Claim, left: ReadonlySet<string>, fromRow: number | undefined): Promise<void> {
    if ((left.size === 0 && fromRow === undefined) || this.#host.signal.aborted) return;
    const ahead = await this.#ahead?.claiming.catch(() => undefined);
    const aheadRow = ahead === 'paused' ? undefined : ahead?.fromRow;
    const renew = async (tx: Queryable) => {
      if (fromRow === undefined) await renewLocks(tx, claim, [...left]);
      else await renewSlice(tx, claim, fromRow);
      if (aheadRow !== undefined) await renewSlice(tx, claim, aheadRow);
    };
    await this.#host.transact(renew).catch(() => undefined);
  }

  /** What was not processed waits for nobody's lock. Where even that fails, the locks expire. */
  async #giveBack(ids: readonly string[], fromRow: number | undefined): Promise<void> {
    const { signal, worker, transact } = this.#host;
    if ((ids.length === 0 && fromRow === undefined) || signal.aborted) return;
    const { job_id: jobId } = this.#job;
    const give = (tx: Queryable) =>
      fromRow === undefined ? giveBack(tx, jobId, worker, ids) : giveBackSlice(tx, jobId, worker, fromRow);
    await transact(give).catch(() => undefined);
  }

  #lockMs(): number {
    const { lockFloorMs, lockCapMs } = this.#deps.settings;
    return Math.round(Math.min(lockCapMs, Math.max(lockFloorMs, LOCK_SLICES * this.#sliceMs)));
  }

  #heedTheProcess(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    this.#heapShare = used / limit;
    if (used > limit * HEAP_SHARE) this.#size.shrink(`${Math.round((used / limit) * 100)} % of the memory is in use`);
    const lagMs = this.#lag.percentile(99) / 1e6;
    if (lagMs > LAG_MS) this.#size.shrink(`the process was ${Math.round(lagMs)} ms late`);
    this.#lag.reset();
  }

  #heedErrors(failed: number, items: number): void {
    if (items >= SPIKE_ITEMS && failed / items >= SPIKE_SHARE) {
      this.#spacing = Math.min(MAX_SPACING, this.#spacing * 2);
      this.#size.shrink(`${failed} of ${items} items failed`);
    } else this.#spacing = Math.max(1, this.#spacing / 2);
    this.#bounds = { ...this.#bounds, spacing: this.#spacing };
  }
}
