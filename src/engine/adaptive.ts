// The one controller of adaptive sizes: rows per flush, runs per claim, rows per promotion batch.
// The controller doubles the size while a batch takes less than the target time, follows the measured cost per item near the target, and halves
// the size after errors and waits. It reports every change to `onDecision`, so that the console can draw it.

export interface AdaptiveOptions {
  readonly name: string;
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** How long one batch should take. */
  readonly targetMs: number;
  /** When more than one batch in twenty takes longer than this, the size is halved. */
  readonly p95Ms?: number;
  /** So many times larger at once, at most. Left out: twice. */
  readonly growth?: number;
  /** Of the batch, as far as its items tell theirs. */
  readonly maxBytes?: number;
  readonly onDecision?: (decision: Decision) => void;
}

export interface Decision {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** What else was seen of a batch. */
export interface Seen {
  readonly bytes?: number;
  /** How long it waited for a connection. */
  readonly waitMs?: number;
}

// Batches of which the slowest ones are looked at; two in twenty are more than one in twenty.
const LOOKED_AT = 20;
const SLOW_ONES = 2;
// A connection that is free costs a few round trips; what takes longer was waited for.
const WAITED_MS = 50;
// Weight of the newest measurement in the moving average.
const SMOOTHING = 0.3;
// Changes smaller than this share of the size are not worth a decision.
const DEAD_BAND = 0.1;

export class AdaptiveSize {
  readonly #options: AdaptiveOptions;
  #size: number;
  #perItemMs: number | undefined;
  #perItemBytes: number | undefined;
  #latencies: number[] = [];

  constructor(options: AdaptiveOptions) {
    this.#options = options;
    this.#size = clamp(options.initial, options);
  }

  get size(): number {
    return this.#size;
  }

  /** A batch of `count` items took `elapsedMs`. */
  observe(count: number, elapsedMs: number, { bytes, waitMs = 0 }: Seen = {}): void {
    if (count <= 0) return;
    this.#perItemMs = smoothed(this.#perItemMs, elapsedMs / count);
    if (bytes !== undefined) this.#perItemBytes = smoothed(this.#perItemBytes, bytes / count);
    if (waitMs > WAITED_MS) {
      this.shrink(`${inWords(waitMs)} went by until a connection was free`);
      return;
    }
    if (this.#isOftenSlow(elapsedMs)) return;
    const affordable = this.#options.targetMs / Math.max(this.#perItemMs, 1e-6);
    const wanted = Math.min(affordable, this.#size * (this.#options.growth ?? 2), this.#holds());
    if (Math.abs(wanted - this.#size) < this.#size * DEAD_BAND && wanted >= 1) return;
    const isHeld = wanted < affordable && wanted === this.#holds();
    this.#change(wanted, isHeld ? this.#reasonOfBytes() : this.#reasonFor(this.#perItemMs * this.#size));
  }

  #reasonOfBytes(): string {
    return `each has about ${Math.round(this.#perItemBytes ?? 0)} bytes, and ${this.#options.maxBytes} are the most at a time`;
  }

  /** Halves the size and looks at new batches only, when too many of the last ones were slow. */
  #isOftenSlow(elapsedMs: number): boolean {
    const { p95Ms } = this.#options;
    if (p95Ms === undefined) return false;
    this.#latencies = [...this.#latencies, elapsedMs].slice(-LOOKED_AT);
    const slow = this.#latencies.filter((each) => each > p95Ms).length;
    if (slow < SLOW_ONES) return false;
    const looked = this.#latencies.length;
    this.#latencies = [];
    this.shrink(`${slow} of the last ${looked} took longer than ${p95Ms} ms`);
    return true;
  }

  /** As many as fit into the bytes of a batch. */
  #holds(): number {
    const { maxBytes } = this.#options;
    if (maxBytes === undefined || this.#perItemBytes === undefined) return Number.POSITIVE_INFINITY;
    return maxBytes / Math.max(this.#perItemBytes, 1e-6);
  }

  /** The average decides, not the last batch; so the average is what is told. */
  #reasonFor(expectedMs: number): string {
    const { targetMs } = this.#options;
    const direction = expectedMs < targetMs ? 'under' : 'over';
    return `${this.#size} at a time take ${inWords(expectedMs)} on average, ${direction} the target of ${targetMs} ms`;
  }

  /** Something went wrong or somebody waited: go down at once. False: it cannot be smaller. */
  shrink(reason: string): boolean {
    const before = this.#size;
    this.#change(this.#size / 2, reason);
    return this.#size < before;
  }

  #change(wanted: number, reason: string): void {
    const to = clamp(wanted, this.#options);
    if (to === this.#size) return;
    const decision = { name: this.#options.name, from: this.#size, to, reason };
    this.#size = to;
    this.#options.onDecision?.(decision);
  }
}

function smoothed(average: number | undefined, newest: number): number {
  return average === undefined ? newest : average + SMOOTHING * (newest - average);
}

function inWords(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function clamp(value: number, { min, max }: AdaptiveOptions): number {
  return Math.max(min, Math.min(max, Math.floor(value)));
}
