// How fast one host is asked: so many at a time, so many per second, and not before it wants to be asked again. Told to slow down, it halves what is
// under way at once; every so many answers that were well it allows one more.
import type { Decision } from '../../../engine/adaptive.ts';
import { waitAtMost } from '../../../platform/wait.ts';

export interface PaceLimits {
  readonly concurrency: number;
  readonly perSecond: number | undefined;
}

const FIRST_DELAY_MS = 250;
/** Of our own choice. What the host itself asks for is kept to, up to an hour. */
const LONGEST_DELAY_MS = 60_000;
const LONGEST_TOLD_MS = 3_600_000;
/** A delay is forgotten when no refusal has come for so many answers. */
const CALM = 20;

export class Pace {
  readonly #key: string;
  readonly #limits: PaceLimits;
  readonly #waiting: (() => void)[] = [];
  #atOnce: number;
  #running = 0;
  #well = 0;
  #delayMs = 0;
  #notBefore = 0;
  #why = '';
  #tokens: number;
  #filledAt = performance.now();

  constructor(key: string, limits: PaceLimits) {
    this.#key = key;
    this.#limits = limits;
    this.#atOnce = limits.concurrency;
    this.#tokens = Math.max(1, limits.perSecond ?? 1);
  }

  get atOnce(): number {
    return this.#atOnce;
  }

  /** How long the host still wants to be left alone. */
  closedForMs(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** What it said when it was last asked too much. */
  get why(): string {
    return this.#why;
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#atOnce) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      if (this.#limits.perSecond !== undefined || performance.now() < this.#notBefore) await this.#turn(signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#running -= 1;
      // Each looks again whether there is room: the limit may have fallen.
      if (this.#waiting.length > 0) for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** The host asked to be asked less. */
  slowDown(reason: string, afterMs: number | undefined, onDecision: (decision: Decision) => void): void {
    const from = this.#atOnce;
    this.#well = 0;
    // Refused while it is left alone anyway: these were under way together, and one wait answers them all.
    const isSameBurst = performance.now() < this.#notBefore;
    const longer = this.#delayMs === 0 ? FIRST_DELAY_MS : this.#delayMs * (isSameBurst ? 1 : 2);
    this.#delayMs = Math.min(LONGEST_DELAY_MS, longer);
    const waitMs = Math.max(this.#delayMs, Math.min(LONGEST_TOLD_MS, afterMs ?? 0));
    this.#notBefore = Math.max(this.#notBefore, performance.now() + waitMs);
    this.#why = reason;
    this.#atOnce = Math.max(1, Math.floor(from / 2));
    if (this.#atOnce < from) onDecision({ name: `requests at a time to ${this.#key}`, from, to: this.#atOnce, reason });
  }

  answeredWell(onDecision: (decision: Decision) => void): void {
    this.#well += 1;
    if (this.#well % CALM === 0) this.#delayMs = 0;
    if (this.#atOnce >= this.#limits.concurrency || this.#well < this.#atOnce) return;
    this.#well = 0;
    const from = this.#atOnce;
    this.#atOnce += 1;
    onDecision({
      name: `requests at a time to ${this.#key}`,
      from,
      to: this.#atOnce,
      reason: `${from} answers in a row were good`,
    });
  }

  /** After the delay that was asked for, and with a token of the bucket. */
  async #turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (signal.aborted) return;
      if (now < this.#notBefore) {
        await waitAtMost(this.#notBefore - now, signal);
        continue;
      }
      const { perSecond } = this.#limits;
      if (perSecond === undefined) return;
      this.#tokens = Math.min(Math.max(1, perSecond), this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond);
      this.#filledAt = now;
      if (this.#tokens >= 1) {
        this.#tokens -= 1;
        return;
      }
      await waitAtMost(((1 - this.#tokens) / perSecond) * 1_000 + 1, signal);
    }
  }
}

export class Paces {
  readonly #paces = new Map<string, Pace>();

  of(key: string, limits: PaceLimits): Pace {
    const name = `${key} ${limits.concurrency} ${limits.perSecond ?? ''}`;
    const known = this.#paces.get(name);
    if (known !== undefined) return known;
    // Keys are hosts of endpoints that admins named; a thousand of them are forgotten together.
    if (this.#paces.size >= 1_000) this.#paces.clear();
    const pace = new Pace(key, limits);
    this.#paces.set(name, pace);
    return pace;
  }
}
