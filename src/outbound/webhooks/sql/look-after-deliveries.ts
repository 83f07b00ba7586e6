// Deletes old deliveries and reads figures for the operator.
import type { Queryable } from '../../../platform/database.ts';

/** Ids are uuid v7: the oldest are the first of the primary key. Tries go with their delivery. */
export async function pruneDeliveries(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'webhooks-prune-deliveries',
    text: `
      delete from engine.deliveries
      where delivery_id = any (array(
        select delivery_id from engine.deliveries
        where delivery_id < (lpad(to_hex((extract(epoch from engine.now() - $1 * interval '1 day') * 1000)::bigint), 12, '0')
                             || repeat('0', 20))::uuid
          and status in ('delivered', 'failed')
        order by delivery_id
        limit $2
      ))`,
    values: [days, limit],
  });
  return rowCount ?? 0;
}

export interface DeliveryFigures {
  readonly status: string;
  readonly count: number;
}

/** What is under way now, and what ended in the last hour, over all tenants. */
export async function countDeliveries(db: Queryable): Promise<DeliveryFigures[]> {
  const { rows } = await db.query<DeliveryFigures>({
    name: 'webhooks-count-deliveries',
    text: `
      select status, count(*)::int as count from engine.deliveries where status = 'waiting' group by status
      union all
      select status, count(*)::int from engine.deliveries where status = 'sending' group by status
      union all
      select status, count(*)::int from engine.deliveries
      where status in ('delivered', 'failed')
        and delivery_id >= (lpad(to_hex((extract(epoch from engine.now() - interval '1 hour') * 1000)::bigint), 12, '0')
                            || repeat('0', 20))::uuid
      group by status`,
  });
  return rows;
}
