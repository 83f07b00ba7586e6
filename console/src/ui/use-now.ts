// A clock that ticks on screen. One timer per rate serves every reader.
import { useSyncExternalStore } from 'react';

interface Ticker {
  now: number;
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
}

const tickers = new Map<number, Ticker>();

export function useNow(everyMs = 5_000): number {
  const ticker = tickerFor(everyMs);
  return useSyncExternalStore(
    (listener) => subscribe(ticker, everyMs, listener),
    () => ticker.now,
  );
}

function tickerFor(everyMs: number): Ticker {
  let ticker = tickers.get(everyMs);
  if (!ticker) {
    ticker = { now: Date.now(), listeners: new Set(), timer: undefined };
    tickers.set(everyMs, ticker);
  }
  return ticker;
}

function subscribe(ticker: Ticker, everyMs: number, listener: () => void): () => void {
  ticker.listeners.add(listener);
  ticker.timer ??= setInterval(() => {
    ticker.now = Date.now();
    for (const each of ticker.listeners) each();
  }, everyMs);
  ticker.now = Date.now();
  return () => {
    ticker.listeners.delete(listener);
    if (ticker.listeners.size > 0) return;
    clearInterval(ticker.timer);
    ticker.timer = undefined;
  };
}
