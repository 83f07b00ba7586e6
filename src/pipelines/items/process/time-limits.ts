// The time limits of all items that a slice works on. All have the same limit, so the item that began first is late first: one timer serves them all, and one listener waits
// for the end of the slice. An abort signal is made when a processor asks for it.

export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Waiting for its turn takes nobody's time. */
  start(): void;
  stop(): void;
  takenMs(): number;
  /** Called at most once, when it is over before it was stopped. */
  onOver: ((reason: unknown) => void) | undefined;
}

export class TimeLimits {
  readonly #outer: AbortSignal;
  readonly #ms: number;
  readonly #running = new Set<Limit>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal, ms: number) {
    this.#outer = outer;
    this.#ms = ms;
    outer.addEventListener('abort', this.#passOn, { once: true });
  }

  begin(): TimeLimit {
    const limit = new Limit(this);
    // Also while it waits for its turn.
    this.#running.add(limit);
    if (this.#outer.aborted) limit.end(this.#outer.reason);
    return limit;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#outer.removeEventListener('abort', this.#passOn);
  }

  stopped(limit: Limit): void {
    this.#running.delete(limit);
  }

  readonly #passOn = () => {
    for (const limit of this.#running) limit.end(this.#outer.reason);
  };

  /** Behind all that began before it. */
  started(limit: Limit): void {
    this.#running.delete(limit);
    this.#running.add(limit);
    this.#timer ??= setTimeout(this.#look, this.#ms);
  }

  readonly #look = () => {
    this.#timer = undefined;
    const now = performance.now();
    for (const limit of this.#running) {
      if (limit.startedAt === undefined) continue;
      const leftMs = limit.startedAt + this.#ms - now;
      if (leftMs > 0) {
        this.#timer = setTimeout(this.#look, leftMs);
        return;
      }
      limit.end(new Error('its time is over'));
    }
  };
}

class Limit implements TimeLimit {
  readonly #limits: TimeLimits;
  #own: AbortController | undefined;
  #reason: unknown;
  startedAt: number | undefined;
  isOver = false;
  onOver: ((reason: unknown) => void) | undefined;

  constructor(limits: TimeLimits) {
    this.#limits = limits;
  }

  get signal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController();
      if (this.isOver) this.#own.abort(this.#reason);
    }
    return this.#own.signal;
  }

  start(): void {
    this.startedAt = performance.now();
    this.#limits.started(this);
  }

  stop(): void {
    this.#limits.stopped(this);
  }

  takenMs(): number {
    return this.startedAt === undefined ? 0 : performance.now() - this.startedAt;
  }

  end(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#reason = reason;
    this.#limits.stopped(this);
    this.#own?.abort(reason);
    this.onOver?.(reason);
  }
}
