// What other pages ask about connectors: whether there is one, and what their schedules mean.
import { call } from '../../app/api.ts';
import type { Asked, ScheduleWords } from '../kit.ts';
import { everyOf } from './connector-interval.ts';

export const hasConnectors: Asked<boolean> = {
  queryKey: ['operate', 'connectors', 'any'],
  queryFn: async ({ signal }) => (await call('connectors.list', { query: { limit: 1 }, signal })).data.length > 0,
};

/** A connector's schedule has its name and its interval: its times are counted from its last good sync, not from a clock. */
export const connectorSchedules: Asked<ReadonlyMap<string, ScheduleWords>> = {
  queryKey: ['operate', 'connectors', 'schedules'],
  queryFn: async ({ signal }) => {
    const { data } = await call('connectors.list', { query: { limit: 200 }, signal });
    return new Map(
      data.map((connector) => [
        `sync:${connector.connector_id}`,
        {
          title: connector.name,
          to: '/operate/connectors',
          every: everyOf(connector.effective_interval_seconds),
          nextAt: connector.next_sync_at,
        },
      ]),
    );
  },
  refetchInterval: 5_000,
};
