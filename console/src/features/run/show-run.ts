import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

const activeMs = 1_000;
const waitingMs = 3_000;

/** A run in full. Events refresh it at once; while it is live it is also asked for regularly, because progress makes no events. */
export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'detail'],
    queryFn: ({ signal }) => call('runs.show', { params: { run_id: runId }, signal }),
    refetchInterval: (query) => {
      const phase = query.state.data?.phase;
      return phase === 'active' ? activeMs : phase === 'waiting' ? waitingMs : false;
    },
  });
}
