import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import type { RejectSearch } from './reject-search.ts';

type Answer = AnswerOf<'rejects.list'>;
export type Reject = Answer['data'][number];

const firstSize = 500;
const laterSize = 2_000;
const pagesUntilLater = 3;
const refreshedPages = 6;

/** The refused rows in file order, page by page. Never refetched as a whole: a file may hold a hundred thousand of them. */
export function rejectsQuery(runId: string, { cluster, show }: RejectSearch) {
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'rows', { cluster, show }],
    queryFn: ({ pageParam, signal }) =>
      call('rejects.list', {
        params: { run_id: runId },
        query: {
          limit: pageParam.limit,
          cluster,
          status: show,
          ...(pageParam.after ? { after: pageParam.after } : {}),
        },
        signal,
      }),
    initialPageParam: { after: '', limit: firstSize },
    // Who goes on for long wants to get far: the pages grow.
    getNextPageParam: (page, pages) =>
      page.next === null
        ? undefined
        : { after: page.next, limit: pages.length < pagesUntilLater ? firstSize : laterSize },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
}

/** Puts one changed row in its place in every list that holds it. */
export function patchReject(client: QueryClient, runId: string, changed: Reject): void {
  client.setQueriesData<InfiniteData<Answer, unknown>>({ queryKey: ['run', runId, 'rows'] }, (before) => {
    if (!before) return before;
    const pages = before.pages.map((page) => {
      const index = page.data.findIndex((reject) => reject.id === changed.id);
      return index < 0 ? page : { ...page, data: page.data.with(index, changed) };
    });
    return { ...before, pages };
  });
}

/** Reads the rows again after many have changed; a long list starts over from its top. */
export async function refreshRejects(client: QueryClient, runId: string): Promise<void> {
  const queryKey = ['run', runId, 'rows'];
  for (const query of client.getQueryCache().findAll({ queryKey })) {
    const data = query.state.data as InfiniteData<Answer, unknown> | undefined;
    if ((data?.pages.length ?? 0) > refreshedPages)
      await client.resetQueries({ queryKey: query.queryKey, exact: true });
    else await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
  await client.invalidateQueries({ queryKey: ['run', runId, 'clusters'] });
  await client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
}
