import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, type RunEvent } from '../../app/api.ts';

const pageSize = 500;
const maxPages = 4;

/** The events of a run from its start; the live feed appends to them. */
export function runEventsQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'events'],
    queryFn: async ({ signal }) => {
      const events: RunEvent[] = [];
      let after: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await call('runs.events', {
          params: { run_id: runId },
          query: { limit: pageSize, ...(after ? { after } : {}) },
          signal,
        });
        events.push(...answer.data);
        if (answer.next === null) break;
        after = answer.next;
      }
      return events;
    },
    staleTime: 10_000,
  });
}

/** Adds an event that came over the live line, once. */
export function appendRunEvent(client: QueryClient, runId: string, event: RunEvent): void {
  client.setQueryData(runEventsQuery(runId).queryKey, (before) => {
    if (!before) return before;
    return before.some((each) => each.position === event.position) ? before : [...before, event];
  });
}
