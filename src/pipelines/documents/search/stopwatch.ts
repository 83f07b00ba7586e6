// Milliseconds by stage, for `why`, the log line and the query log.

export class Stopwatch {
  readonly #stages = new Map<string, number>();
  readonly #startedAt = performance.now();

  async time<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + performance.now() - startedAt);
    }
  }

  /** All of them, and the whole. */
  stages(): Record<string, number> {
    const rounded = [...this.#stages].map(([stage, ms]): [string, number] => [stage, Math.round(ms * 10) / 10]);
    return { ...Object.fromEntries(rounded), total: Math.round((performance.now() - this.#startedAt) * 10) / 10 };
  }
}
