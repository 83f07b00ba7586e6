// The one controller of adaptive sizes: rows per flush, runs per claim, rows per promotion batch.
// Grows exponentially while the time per batch is under the target, follows the measured cost per item near it, halves on
// errors and waits. Every change is handed to `onDecision`, so that the console can draw it.

export interface AdaptiveOptions {
  readonly name: string;
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** How long one batch should take. */
  readonly targetMs: number;
  readonly onDecision?: (decision: Decision) => void;
}

export interface Decision {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

// Weight of the newest measurement in the moving average.
const SMOOTHING = 0.3;
// Changes smaller than this share of the size are not worth a decision.
const DEAD_BAND = 0.1;

export class AdaptiveSize {
  readonly #options: AdaptiveOptions;
  #size: number;
  #perItemMs: number | undefined;

  constructor(options: AdaptiveOptions) {
    this.#options = options;
    this.#size = clamp(options.initial, options);
  }

  get size(): number {
    return this.#size;
  }

  /** A batch of `count` items took `elapsedMs`. */
  observe(count: number, elapsedMs: number): void {
    if (count <= 0) return;
    const perItem = elapsedMs / count;
    this.#perItemMs =
      this.#perItemMs === undefined ? perItem : this.#perItemMs + SMOOTHING * (perItem - this.#perItemMs);
    const affordable = this.#options.targetMs / Math.max(this.#perItemMs, 1e-6);
    const wanted = Math.min(affordable, this.#size * 2);
    if (Math.abs(wanted - this.#size) < this.#size * DEAD_BAND && wanted >= 1) return;
    this.#change(wanted, this.#reasonFor(this.#perItemMs * this.#size));
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

function inWords(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function clamp(value: number, { min, max }: AdaptiveOptions): number {
  return Math.max(min, Math.min(max, Math.floor(value)));
}
