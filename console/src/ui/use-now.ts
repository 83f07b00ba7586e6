// A clock that ticks on screen. One timer per rate serves every reader, and all of them read the same moment: whoever begins to read while it ticks does not
// move it. A page of a hundred times would otherwise draw itself again for each of them, and each of those drawings again.
import { useSyncExternalStore } from 'react';

interface Ticker {
  readonly read: () => number;
  readonly subscribe: (listener: () => void) => () => void;
}

const tickers = new Map<number, Ticker>();

export function useNow(everyMs = 5_000): number {
  const { subscribe, read } = tickerFor(everyMs);
  return useSyncExternalStore(subscribe, read);
}

/** The same functions for everybody: with new ones React would subscribe again at each drawing. */
export function tickerFor(everyMs: number): Ticker {
  const known = tickers.get(everyMs);
  if (known !== undefined) return known;
  const ticker = makeTicker(everyMs);
  tickers.set(everyMs, ticker);
  return ticker;
}

function makeTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const each of listeners) each();
  };
  return {
    read: () => now,
    subscribe(listener) {
      listeners.add(listener);
      // Nobody has read it since it stood still.
      if (timer === undefined) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
