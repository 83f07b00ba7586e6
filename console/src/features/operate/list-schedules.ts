import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

const PAGE = 500;

/** All of them: a tenant has one for each connector. */
export const schedulesQuery = queryOptions({
  queryKey: ['operate', 'schedules'],
  queryFn: async ({ signal }) => {
    const data: AnswerOf<'operate.schedules'>['data'] = [];
    let after: string | null = null;
    do {
      const query: { limit: number; after?: string } = { limit: PAGE, ...(after === null ? {} : { after }) };
      const page: AnswerOf<'operate.schedules'> = await call('operate.schedules', { query, signal });
      data.push(...page.data);
      after = page.next;
    } while (after !== null);
    return { data: data.sort((one, other) => one.name.localeCompare(other.name)) };
  },
  refetchInterval: 5_000,
});
