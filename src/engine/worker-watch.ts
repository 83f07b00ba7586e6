// Watches whether the parts of a worker make progress: its claim loop, its finisher, its heartbeat. Every statement has a time limit, so normally none
// of them hangs; the watch is the second line of defence. It logs a part that stands still once, and once more when the part moves again.
//
// If a worker cannot write the ends of its runs, its heartbeat stops renewing: the leases expire and other workers take the runs over. If the claim
// loop stands still, the watch starts a second one beside it, and the first ends when it returns.
import type { Log } from '../platform/log.ts';
import { answerLimitMs } from './engine-pools.ts';

/** Since when each part has been busy with the same thing, on the monotonic clock; undefined: it rests. */
export interface BusySince {
  readonly claimLoop: number | undefined;
  readonly finisher: number | undefined;
  /** Its last renewal. */
  readonly heartbeat: number | undefined;
}

type Part = keyof BusySince;

/** By then every statement of a part has ended or was given up. */
const STANDS_AFTER_LEASES = 1.5;
const parts: readonly Part[] = ['claimLoop', 'finisher', 'heartbeat'];

export class WorkerWatch {
  readonly #limitMs: number;
  readonly #log: Log;
  readonly #standing = new Set<Part>();

  constructor(leaseMs: number, log: Log) {
    this.#limitMs = answerLimitMs(leaseMs) * STANDS_AFTER_LEASES;
    this.#log = log;
  }

  /** Whether the heartbeat may vouch for the runs this worker holds. */
  get canEndRuns(): boolean {
    return !this.#standing.has('finisher');
  }

  /** Which parts came to a stand since the last look. */
  look(workerId: string, since: BusySince, now = performance.now()): Part[] {
    return parts.filter((part) => this.#hasStopped(part, workerId, now - (since[part] ?? now)));
  }

  #hasStopped(part: Part, workerId: string, busyMs: number): boolean {
    const stands = busyMs > this.#limitMs;
    if (stands === this.#standing.has(part)) return false;
    const fields = { worker: workerId, part, seconds: Math.round(busyMs / 1000) };
    if (stands) {
      this.#standing.add(part);
      this.#log.error(fields, 'a part of the worker makes no progress');
    } else {
      this.#standing.delete(part);
      this.#log.warn(fields, 'a part of the worker makes progress again');
    }
    return stands;
  }
}
