// How long a process may take for one answer. The limit is meant for what it does, not for what others do on the machine: a process that waits for its turn
// is given more time, as long as it gets on and has taken less of the processors than the limit.
import { readFileSync } from 'node:fs';

/** However busy the machine is, an answer takes no longer than so many times its limit. */
const MOST_WAITS = 15;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

export class AnswerClock {
  readonly #limitMs: number;
  readonly #cpuMs: () => number | undefined;
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | undefined;
  #from: number | undefined;
  #seen: number | undefined;
  #waits = 0;

  constructor(limitMs: number, cpuMs: () => number | undefined, onOver: () => void) {
    this.#limitMs = limitMs;
    this.#cpuMs = cpuMs;
    this.#onOver = onOver;
  }

  /** At each question, and at each sign of activity. */
  start(): void {
    this.stop();
    this.#from = this.#cpuMs();
    this.#seen = this.#from;
    this.#waits = 0;
    this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      const before = this.#seen;
      this.#seen = this.#cpuMs();
      this.#waits += 1;
      if (this.#waits < MOST_WAITS && this.#isStarved(before)) this.#wait();
      else this.#onOver();
    }, this.#limitMs);
  }

  /** Elsewhere than on Linux nobody knows. */
  #isStarved(before: number | undefined): boolean {
    const [from, now] = [this.#from, this.#seen];
    if (from === undefined || before === undefined || now === undefined) return false;
    return now > before && now - from < this.#limitMs;
  }
}

export function cpuMsOf(pid: number | undefined): number | undefined {
  try {
    // The name of the program stands in brackets and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
  } catch {
    return undefined;
  }
}
