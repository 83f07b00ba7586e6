// The first statement of a capped claim: which lanes of a pipeline have work, and which of them this transaction may count.
import type { Queryable } from '../../platform/database.ts';

// First key of the advisory locks that serialise claims of one lane.
const LANE_LOCKS = 7_001;

const isOpen = `
            not exists (select from engine.pauses x where x.pipeline = $1 and x.lane = q.lane)
            and (select count(*) from engine.leases l where l.capped and l.pipeline = $1 and l.lane = q.lane) < $4::int`;

export interface LookedAtLane {
  readonly lane: string;
  /** Whether this transaction may count and claim it; claimers skip each other's lanes instead of queueing for them. */
  readonly mine: boolean;
}

/**
 * Up to `count` lanes with work, in order from after `afterLane`. Locks end with the transaction. Lanes that are paused or
 * full are passed over and do not count, or they would hide the lanes behind them. "Full" is only a hint here: the leases are
 * counted again under the lock.
 */
export async function lockLanes(
  db: Queryable,
  request: { pipeline: string; afterLane: string; cap: number; count: number },
): Promise<LookedAtLane[]> {
  const { rows } = await db.query<LookedAtLane>({
    name: 'engine-lock-lanes',
    text: `
      with recursive lanes (lane, open, number) as (
        select head.lane, head.open, head.open::int
        from (
          select q.lane, ${isOpen} as open
          from engine.ready q
          where q.pipeline = $1 and q.lane > $2
          order by q.lane limit 1
        ) head
        where not exists (select from engine.pauses x where x.pipeline = $1 and x.lane = '')
        union all
        select following.lane, following.open, l.number + following.open::int
        from lanes l
        cross join lateral (
          select q.lane, ${isOpen} as open
          from engine.ready q
          where q.pipeline = $1 and q.lane > l.lane
          order by q.lane limit 1
        ) following
        where l.number < $3
      ),
      open_lanes as materialized (
        select lane from lanes where open order by lane
      )
      select lane, pg_try_advisory_xact_lock(${LANE_LOCKS}, hashtext($1 || ':' || lane)) as mine from open_lanes`,
    values: [request.pipeline, request.afterLane, request.count, request.cap],
  });
  return rows;
}
