// The collector: looks into one source on a timer, at once when the source hints, and with growing pauses while nothing can be taken
// (database down, disk full). Safe to run for one source in every process at once.
import { createLoop, type Service } from '../engine/services/loop.ts';
import { type CollectOptions, collectOnce } from './collect.ts';

const longestPauseMs = 60_000;

export interface CollectorOptions extends CollectOptions {
  readonly pollMs: number;
}

export function createCollector(options: CollectorOptions): Service {
  const { source, pollMs } = options;
  const stopping = new AbortController();
  let unwatch: (() => void) | undefined;
  let fruitless = 0;

  const loop = createLoop({
    name: `source ${source.name}`,
    everyMs: pollMs,
    log: options.log,
    tick: async () => {
      try {
        const { accepted, refused, postponed } = await collectOnce(options, stopping.signal);
        fruitless = postponed > 0 && accepted + refused === 0 ? fruitless + 1 : 0;
      } catch (error) {
        fruitless += 1;
        if (!stopping.signal.aborted) options.log.warn({ source: source.name, err: error }, 'source could not be read');
      }
      return Math.min(longestPauseMs, pollMs * 2 ** Math.min(fruitless, 10));
    },
  });

  return {
    name: loop.name,
    start() {
      unwatch = source.watch(() => {
        if (fruitless === 0) loop.wake();
      });
      loop.start();
    },
    wake: () => loop.wake(),
    async stop() {
      unwatch?.();
      stopping.abort();
      await loop.stop();
    },
  };
}
