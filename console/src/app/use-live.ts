// Connects the live feed to the cache: an event marks the data that it concerns as stale, at most a few times a second.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { onLiveEvent, onLiveState, readLiveState, startLiveFeed } from './live-feed.ts';

const flushMs = 350;

export function useLiveState() {
  return useSyncExternalStore(onLiveState, readLiveState);
}

/** Mounted once by the shell. */
export function useLiveFeed(enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const stopRefreshing = refreshOnEvents(client);
    const stopFeed = startLiveFeed();
    return () => {
      stopRefreshing();
      stopFeed();
    };
  }, [client, enabled]);
}

function refreshOnEvents(client: QueryClient): () => void {
  const touched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBad = false;
  let before = readLiveState();
  const flush = () => {
    timer = undefined;
    void client.invalidateQueries({ queryKey: ['runs'] });
    void client.invalidateQueries({ queryKey: ['operate'] });
    if (isBad) void client.invalidateQueries({ queryKey: ['attention'] });
    isBad = false;
    for (const runId of touched) {
      void client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
      void client.invalidateQueries({ queryKey: ['run', runId, 'clusters'] });
    }
    touched.clear();
  };
  const stopEvents = onLiveEvent((event) => {
    if (event.run_id) touched.add(event.run_id);
    if (/failed|dead|requeued|alert/.test(event.type)) isBad = true;
    timer ??= setTimeout(flush, flushMs);
  });
  const stopState = onLiveState(() => {
    const now = readLiveState();
    if (now === 'live' && before === 'lost')
      void client.invalidateQueries({ predicate: (query) => query.queryKey[2] !== 'rows' });
    before = now;
  });
  return () => {
    clearTimeout(timer);
    stopEvents();
    stopState();
  };
}
