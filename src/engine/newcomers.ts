// Lanes that the claimer may serve before their turn: those that have just received a few runs. With 1,000 tenants at work a round takes seconds.
// A tenant with a few runs should not wait that long; a tenant with many runs, or with new ones again and again, waits for its turn.

export interface NamedLane {
  readonly pipeline: string;
  readonly lane: string;
}

// A lane comes before its turn once in this time.
const ONCE_IN_MS = 1_000;
// More at a time are a crowd, and wait for their turn.
const MAX_AT_A_TIME = 8;
// Lanes remembered; beyond it nobody comes before their turn until the oldest are forgotten.
const MAX_REMEMBERED = 5_000;

export class Newcomers {
  readonly #now: () => number;
  readonly #waiting = new Set<string>();
  /** When each lane last came before its turn, oldest first. */
  readonly #served = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** `lane` as a wake-up names it: pipeline, space, lane. Nothing when it names none. */
  add(lane: string): void {
    if (lane === '' || this.#waiting.size >= MAX_AT_A_TIME) return;
    this.#forgetOld();
    if (!this.#served.has(lane) && this.#served.size < MAX_REMEMBERED) this.#waiting.add(lane);
  }

  /** Those who may come now, once. */
  take(): NamedLane[] {
    const taken = [...this.#waiting];
    this.#waiting.clear();
    for (const lane of taken) this.#served.set(lane, this.#now());
    return taken.map((named) => {
      const end = named.indexOf(' ');
      return { pipeline: named.slice(0, end), lane: named.slice(end + 1) };
    });
  }

  #forgetOld(): void {
    for (const [lane, at] of this.#served) {
      if (this.#now() - at < ONCE_IN_MS) break;
      this.#served.delete(lane);
    }
  }
}
