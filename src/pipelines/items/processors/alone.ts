// What becomes of rows whose process ended while others were in it, or had been before: nobody knows which of them did it, and nobody loses an attempt for a neighbour.
// Each is tried again as part of the same attempt, alone in a process that had no row before, one after the other.
import type { AnyProcessor } from './processor.ts';

export class UnknownCulprit extends Error {}

/** A processor whose work is done in other processes. */
export interface WorksElsewhere extends AnyProcessor {
  /** The process is there. Nobody's time begins before; its calls end when it is known whether the row itself or another one was late. */
  ready(jobId: string): Promise<void>;
  /** `attempt` is called with a processor that has a process for this row alone, when its turn has come. */
  alone?<T>(jobId: string, signal: AbortSignal, attempt: (processor: WorksElsewhere) => Promise<T>): Promise<T>;
}

export function worksElsewhere(processor: AnyProcessor): processor is WorksElsewhere {
  return 'ready' in processor;
}

/** One at a time of each name. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
