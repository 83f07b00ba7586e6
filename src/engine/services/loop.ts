// The skeleton of every background service: one action, repeated on a timer or when woken, safe to run in all processes at
// once because the action itself takes the locks it needs. A failing action is logged and tried again; it never ends the loop.
import type { Log } from '../../platform/log.ts';
import { Doorbell, waitAtMost } from '../../platform/wait.ts';

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
  /** However often it is woken. Spares a service that is woken by every finished batch a transaction for each. */
  readonly atMostEveryMs?: number;
  readonly log: Log;
  /** Returns how long to wait before the next tick, or nothing for `everyMs`. 0 means: there is more to do. */
  readonly tick: () => Promise<number | undefined>;
}

export function createLoop(options: LoopOptions): Service {
  const bell = new Doorbell();
  let stopping = false;
  let running: Promise<void> | undefined;

  async function loop(): Promise<void> {
    while (!stopping) {
      const startedAt = performance.now();
      const pauseMs = await tickSafely(options);
      if (pauseMs > 0 && !stopping) await bell.wait(pauseMs);
      const early = (options.atMostEveryMs ?? 0) - (performance.now() - startedAt);
      if (early > 0 && pauseMs > 0 && !stopping) await waitAtMost(early);
    }
  }

  return {
    name: options.name,
    start() {
      stopping = false;
      running ??= loop();
    },
    wake: () => bell.ring(),
    async stop() {
      stopping = true;
      bell.ring();
      await running;
      running = undefined;
    },
  };
}

async function tickSafely(options: LoopOptions): Promise<number> {
  try {
    return (await options.tick()) ?? options.everyMs;
  } catch (error) {
    options.log.warn({ service: options.name, err: error }, 'service could not do its work; it tries again');
    return Math.max(options.everyMs, 250);
  }
}
