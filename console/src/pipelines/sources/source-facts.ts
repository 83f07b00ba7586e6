// What other pages ask about sources: whether there is one, and what their schedules mean.
import { call } from '../../app/api.ts';
import type { Asked, ScheduleWords } from '../kit.ts';

export const hasSources: Asked<boolean> = {
  queryKey: ['operate', 'sources', 'any'],
  queryFn: async ({ signal }) => (await call('sources.list', { query: { limit: 1 }, signal })).data.length > 0,
};

export const sourceSchedules: Asked<ReadonlyMap<string, ScheduleWords>> = {
  queryKey: ['operate', 'sources', 'schedules'],
  queryFn: async ({ signal }) => {
    const { data } = await call('sources.list', { query: { limit: 200 }, signal });
    return new Map(
      data.map((source) => [
        `source:${source.source_id}`,
        {
          title: source.name,
          to: `/operate/sources/${source.source_id}`,
          every: source.cron ?? 'only when asked',
          nextAt: source.next_sync_at,
        },
      ]),
    );
  },
  refetchInterval: 10_000,
};
