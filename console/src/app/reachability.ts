// Whether the server answers. It counts as away from the first request without an answer until a request gets one; then the console loads everything on
// screen again, so that a page recovers by itself.
import { useSyncExternalStore } from 'react';
import { ApiError, call } from './api.ts';

const askAgainMs = [500, 1_000, 2_000, 4_000];
const gatewayStatuses = new Set([502, 503, 504]);

let isAway = false;
const stateListeners = new Set<() => void>();
const returnListeners = new Set<() => void>();

export function useServerAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => isAway,
  );
}

export function onServerBack(listener: () => void): () => void {
  returnListeners.add(listener);
  return () => returnListeners.delete(listener);
}

/** Resolves at once while the server answers. */
export function whenBack(): Promise<void> {
  if (!isAway) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = onServerBack(() => {
      stop();
      resolve();
    });
  });
}

/** To be told of every failure; those that are no answer of ours start the waiting. */
export function noteFailure(error: unknown): void {
  if (isAway || !isSilence(error)) return;
  isAway = true;
  tell(stateListeners);
  void waitForAnswer();
}

async function waitForAnswer(): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    await pause(askAgainMs[Math.min(asked, askAgainMs.length - 1)] ?? 4_000);
    if (!(await answers())) continue;
    isAway = false;
    tell(stateListeners);
    tell(returnListeners);
    return;
  }
}

async function answers(): Promise<boolean> {
  try {
    await call('system.health', { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch (error) {
    return error instanceof ApiError && !isSilence(error);
  }
}

/** No answer at all, or a proxy's that it got none. */
function isSilence(error: unknown): boolean {
  if (error instanceof ApiError) return gatewayStatuses.has(error.problem.status) && error.problem.code === 'internal';
  return error instanceof TypeError && /fetch|network|load|connection/i.test(error.message);
}

function tell(listeners: ReadonlySet<() => void>): void {
  for (const listener of listeners) listener();
}

/** The browser often knows sooner than a clock. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    window.addEventListener('online', go);
  });
}
