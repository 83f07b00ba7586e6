// The first statement of a capped claim: which lanes of a pipeline have work, and which of them this transaction may count.
import type { Queryable } from '../../platform/database.ts';

// First key of the advisory locks that serialise claims of one lane.
const LANE_LOCKS = 7_001;

/**
 * Lanes with work, in order from after `afterLane` and round again, whose lock was free. Claimers skip each other's lanes
 * instead of queueing for them; locks end with the transaction.
 */
export async function lockLanes(
  db: Queryable,
  request: { pipeline: string; afterLane: string; count: number },
): Promise<string[]> {
  const { rows } = await db.query<{ lane: string }>({
    name: 'engine-lock-lanes',
    text: `
      with recursive lanes (lane, number) as (
        (select q.lane, 1 from engine.ready q
         where q.pipeline = $1 and q.lane > $2
         order by q.lane limit 1)
        union all
        select following.lane, l.number + 1
        from lanes l
        cross join lateral (
          select q.lane from engine.ready q
          where q.pipeline = $1 and q.lane > l.lane
          order by q.lane limit 1
        ) following
        where l.number < $3
      ),
      open_lanes as materialized (
        select l.lane from lanes l
        where not exists (select from engine.pauses p where p.pipeline = $1 and p.lane in ('', l.lane))
        order by l.lane
      )
      select lane from open_lanes
      where pg_try_advisory_xact_lock(${LANE_LOCKS}, hashtext($1 || ':' || lane))`,
    values: [request.pipeline, request.afterLane, request.count],
  });
  return rows.map((row) => row.lane);
}
