// The skeleton of every background service: one action, repeated on a timer or when woken, safe to run in all processes at
// once because the action itself takes the locks it needs. The loop logs a failing action and tries it again; a failure never ends the loop.
//
// A loop that finds nothing looks less and less often, up to `idleMs`: wake-ups announce new work, and looking covers wake-ups that get lost. With an
// election only the elected process looks.
import type { Log } from '../../platform/log.ts';
import { Doorbell, waitAtMost } from '../../platform/wait.ts';
import type { Elected } from './election.ts';

export interface Service {
  readonly name: string;
  start(): void;
  /** Do it soon, not at the next tick. */
  wake(): void;
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  readonly everyMs: number;
  /** The longest pause of a loop that keeps finding nothing. Left out: `everyMs`. */
  readonly idleMs?: number;
  /** However often it is woken. Spares a service that is woken by every finished batch a transaction for each. */
  readonly atMostEveryMs?: number;
  /** Left out: every process does it. */
  readonly election?: Elected | undefined;
  /** A process that is woken does it, elected or not: for work that this process has just made itself. */
  readonly wakesAnywhere?: boolean;
  readonly log: Log;
  /** Returns how long to wait before the next tick, or nothing when there is nothing to do. 0 means: there is more to do. */
  readonly tick: () => Promise<number | undefined>;
}

/** A process that is not elected looks up only when something rings. */
const RESTING_MS = 3_600_000;

export function createLoop(options: LoopOptions): Service {
  const { everyMs, idleMs = everyMs, election } = options;
  const bell = new Doorbell();
  let stopping = false;
  let isWoken = false;
  /** The last tick said when there is more to do. */
  let isExpected = false;
  let running: Promise<void> | undefined;
  let unsubscribe = () => {};

  const mayTick = () =>
    election === undefined || election.isElected() || (options.wakesAnywhere === true && (isWoken || isExpected));

  async function loop(): Promise<void> {
    let quietMs = everyMs;
    while (!stopping) {
      const startedAt = performance.now();
      const ticks = mayTick();
      isWoken = false;
      const answer = ticks ? await tickSafely(options) : RESTING_MS;
      isExpected = ticks && answer !== undefined;
      const pauseMs = answer ?? quietMs;
      if (pauseMs > 0 && !stopping) await bell.wait(pauseMs);
      quietMs = isWoken || isExpected ? everyMs : Math.min(quietMs * 2, Math.max(idleMs, everyMs));
      const early = (options.atMostEveryMs ?? 0) - (performance.now() - startedAt);
      if (early > 0 && pauseMs > 0 && !stopping) await waitAtMost(early);
    }
  }

  function wake(): void {
    isWoken = true;
    bell.ring();
  }

  return {
    name: options.name,
    start() {
      stopping = false;
      unsubscribe = election?.onElected(wake) ?? unsubscribe;
      running ??= loop();
    },
    wake,
    async stop() {
      stopping = true;
      unsubscribe();
      bell.ring();
      await running;
      running = undefined;
    },
  };
}

async function tickSafely(options: LoopOptions): Promise<number | undefined> {
  try {
    return await options.tick();
  } catch (error) {
    options.log.warn({ service: options.name, err: error }, 'service could not do its work; it tries again');
    return Math.max(options.everyMs, 250);
  }
}
