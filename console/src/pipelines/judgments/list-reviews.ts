import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Review = AnswerOf<'plaintiff-reviews.list'>['data'][number];

export const reviewsQuery = queryOptions({
  queryKey: ['data', 'reviews'],
  queryFn: ({ signal }) => call('plaintiff-reviews.list', { query: { limit: 100 }, signal }),
});
