// One connection per tab to the tenant's event feed. It resumes after the last position it saw, so that it misses nothing, waits longer and longer
// while the server is away, and closes while the tab is hidden (browsers allow six connections per host).
import { call, hasCode, type RunEvent } from './api.ts';
import { noteFailure } from './reachability.ts';
import { createSseParser } from './sse-parser.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

const hiddenGraceMs = 20_000;
// The server sends a heartbeat every 15 s; a line without any for this long is dead, whatever the network says.
const silenceMs = 40_000;
const backoffMs = [300, 800, 2_000, 4_000, 8_000];

const eventListeners = new Set<(event: RunEvent) => void>();
const stateListeners = new Set<() => void>();
let state: LiveState = 'off';
let lastPosition: string | undefined;
let current: AbortController | undefined;

export function readLiveState(): LiveState {
  return state;
}

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

export function onLiveEvent(listener: (event: RunEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/** Keeps the line open until the answer is called. */
export function startLiveFeed(): () => void {
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(hangUp, hiddenGraceMs);
    else if (current === undefined) void keepOpen();
  };
  document.addEventListener('visibilitychange', onVisibility);
  void keepOpen();
  return () => {
    clearTimeout(hiddenTimer);
    document.removeEventListener('visibilitychange', onVisibility);
    hangUp();
    lastPosition = undefined;
  };
}

function hangUp(): void {
  current?.abort();
  current = undefined;
  setState('off');
}

async function keepOpen(): Promise<void> {
  const controller = new AbortController();
  current = controller;
  setState('connecting');
  for (let failures = 0; current === controller; failures += 1) {
    try {
      await follow(controller.signal, () => {
        failures = 0;
        setState('live');
      });
    } catch (error) {
      if (controller.signal.aborted) return;
      if (hasCode(error, 'unauthenticated', 'forbidden', 'password_change_required')) return hangUp();
      noteFailure(error);
    }
    if (current !== controller) return;
    setState('lost');
    await pause(backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 8_000, controller.signal);
  }
}

async function follow(signal: AbortSignal, onOpen: () => void): Promise<void> {
  const line = new AbortController();
  const cut = () => line.abort();
  let watchdog = setTimeout(cut, silenceMs);
  const stillAlive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(cut, silenceMs);
  };
  signal.addEventListener('abort', cut);
  window.addEventListener('offline', cut);
  try {
    await readEvents(line.signal, onOpen, stillAlive);
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', cut);
    window.removeEventListener('offline', cut);
  }
}

async function readEvents(signal: AbortSignal, onOpen: () => void, onChunk: () => void): Promise<void> {
  const query = lastPosition === undefined ? {} : { after: lastPosition };
  const response = await call('live.stream', { query, signal });
  onOpen();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createSseParser();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    for (const message of parse(value)) {
      if (message.id) lastPosition = message.id;
      const event = readEvent(message.data);
      if (event) for (const listener of eventListeners) listener(event);
    }
  }
}

function readEvent(data: string): RunEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of stateListeners) listener();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', go);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    signal.addEventListener('abort', go);
    window.addEventListener('online', go);
  });
}
