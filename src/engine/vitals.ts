// What this process knows of its own work, for metrics and for the heartbeat: ends that wait to be written, the last one that was, how long
// claims took, how many runs were taken over. Plain numbers; their readers give them names.

/** What the heartbeat tells the others. */
export interface WorkerSigns {
  readonly lastEndAgoMs: number | null;
  readonly endsWaiting: number;
  readonly oldestEndMs: number | null;
}

interface WaitingEnd {
  /** One object per attempt: an end that the database refuses is written as another one of the same run. */
  readonly run: object;
  readonly end: { readonly event: string };
}

export class Vitals {
  /** When the end of an attempt was added, oldest first. */
  readonly #waiting = new Map<object, number>();
  readonly #claimListeners = new Set<(seconds: number) => void>();
  #lastEndMs: number | undefined;
  #takeovers = 0;

  get takeovers(): number {
    return this.#takeovers;
  }

  /** Told how long each claim took, also one that found nothing. */
  onClaim(listener: (seconds: number) => void): void {
    this.#claimListeners.add(listener);
  }

  signs(): WorkerSigns {
    const now = performance.now();
    const [oldest] = this.#waiting.values();
    return {
      lastEndAgoMs: this.#lastEndMs === undefined ? null : Math.round(now - this.#lastEndMs),
      endsWaiting: this.#waiting.size,
      oldestEndMs: oldest === undefined ? null : Math.round(now - oldest),
    };
  }

  /** A part of a run has ended: its run goes on, and so does the work. */
  moved(): void {
    this.#lastEndMs = performance.now();
  }

  takenOver(runs: number): void {
    this.#takeovers += runs;
  }

  claimed(seconds: number): void {
    for (const listener of this.#claimListeners) listener(seconds);
  }

  endAdded(ending: WaitingEnd): void {
    this.#waiting.set(ending.run, performance.now());
  }

  /** What was no longer this worker's moved no run on. */
  endsWritten(batch: readonly WaitingEnd[], lost: readonly WaitingEnd[]): void {
    for (const { run } of batch) this.#waiting.delete(run);
    const gone = new Set(lost);
    if (batch.some((ending) => ending.end.event !== 'release' && !gone.has(ending)))
      this.#lastEndMs = performance.now();
  }
}
