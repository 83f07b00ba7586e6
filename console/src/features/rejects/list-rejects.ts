import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import type { RejectSearch } from './reject-search.ts';

type Answer = AnswerOf<'rejects.list'>;
export type Reject = Answer['data'][number];

/** Rows asked for at once. */
export const pieceSize = 500;

/**
 * One piece of the refused rows, in file order, by its place: whoever jumps to the end asks for the end. Kept as it was read, since a
 * file may hold a hundred thousand rows; what changes is patched or asked for again.
 */
export function rejectsQuery(runId: string, { cluster, show }: RejectSearch, piece: number) {
  return queryOptions({
    queryKey: ['run', runId, 'rows', { cluster, show }, piece],
    queryFn: ({ signal }) =>
      call('rejects.list', {
        params: { run_id: runId },
        query: { limit: pieceSize, skip: piece * pieceSize, cluster, status: show },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
}

/** Puts one changed row in its place in every list that holds it. */
export function patchReject(client: QueryClient, runId: string, changed: Reject): void {
  client.setQueriesData<Answer>({ queryKey: ['run', runId, 'rows'] }, (before) => {
    const index = before?.data.findIndex((reject) => reject.id === changed.id) ?? -1;
    return before && index >= 0 ? { ...before, data: before.data.with(index, changed) } : before;
  });
}

/** After many rows have changed: what is in sight is read again now, the rest when somebody looks at it. */
export async function refreshRejects(client: QueryClient, runId: string): Promise<void> {
  await client.invalidateQueries({ queryKey: ['run', runId, 'rows'] });
  await client.invalidateQueries({ queryKey: ['run', runId, 'clusters'] });
  await client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
}
