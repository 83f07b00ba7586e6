// The first statement of a capped claim: which lanes have work, and which of them this transaction may count.
import type { Queryable } from '../../platform/database.ts';

// First key of the advisory locks that serialise claims of one lane.
const LANE_LOCKS = 7_001;

const tryLane = (pipeline: string, lane: string) =>
  `pg_try_advisory_xact_lock(${LANE_LOCKS}, hashtext(${pipeline} || ':' || ${lane}))`;

const isOpen = `
            not exists (select from engine.pauses x where x.pipeline = $1 and x.lane = q.lane)
            and (select count(distinct l.run_id) from engine.leases l where l.capped and l.pipeline = $1 and l.lane = q.lane) < $4::int`;

export interface LookedAtLane {
  readonly lane: string;
  /** Whether this transaction may count and claim it; claimers skip each other's lanes instead of queueing for them. */
  readonly mine: boolean;
}

export interface LookedAt {
  readonly lanes: readonly LookedAtLane[];
  /** Where the look ended before it came to the last lane. */
  readonly stoppedAt: string | undefined;
  /** It ended there because it had passed as many lanes as it may, not because it had seen `count` open ones. */
  readonly isCut: boolean;
}

// So many lanes that are paused or full are passed in one look; the next one goes on behind them.
const MOST_PASSED = 500;

/**
 * Up to `count` lanes with work, in order from after `afterLane`, no further than just behind `upTo`. Locks end with the transaction.
 * Lanes that are paused or full are passed over and do not count, or they would hide the lanes behind them. "Full" is only a hint here:
 * the leases are counted again under the lock.
 */
export async function lockLanes(
  db: Queryable,
  request: { pipeline: string; afterLane: string; cap: number; count: number; upTo?: string | undefined },
): Promise<LookedAt> {
  const mostLanes = request.count + MOST_PASSED;
  const { rows } = await db.query<
    LookedAtLane & { readonly open: boolean; readonly number: number; readonly level: number }
  >({
    name: 'engine-lock-lanes',
    text: `
      with recursive lanes (lane, open, number, level) as (
        select head.lane, head.open, head.open::int, 1
        from (
          select q.lane, ${isOpen} as open
          from engine.ready q
          where q.pipeline = $1 and q.lane > $2
          order by q.lane limit 1
        ) head
        where not exists (select from engine.pauses x where x.pipeline = $1 and x.lane = '')
        union all
        select following.lane, following.open, l.number + following.open::int, l.level + 1
        from lanes l
        cross join lateral (
          select q.lane, ${isOpen} as open
          from engine.ready q
          where q.pipeline = $1 and q.lane > l.lane
          order by q.lane limit 1
        ) following
        where l.number < $3 and l.level < $5 and ($6::text is null or l.lane <= $6)
      ),
      -- The open ones, and the last one whatever it is: it says where the look ended.
      told as materialized (
        select lane, open, number, level from lanes where open or level = (select max(level) from lanes) order by level
      )
      select lane, open, number, level, case when open then ${tryLane('$1', 'lane')} else false end as mine from told`,
    values: [request.pipeline, request.afterLane, request.count, request.cap, mostLanes, request.upTo ?? null],
  });
  const last = rows.at(-1);
  const hasAll = last !== undefined && last.number >= request.count;
  const isCut = last !== undefined && !hasAll && last.level >= mostLanes;
  return { lanes: rows.filter(({ open }) => open), stoppedAt: hasAll || isCut ? last?.lane : undefined, isCut };
}

export interface SoloLane {
  readonly pipeline: string;
  readonly lane: string;
  readonly cap: number;
}

/** The lane of the first run that must be worked on alone, where its cap leaves room; undefined also when another claimer has the lane. */
export async function lockSoloLane(
  db: Queryable,
  capped: readonly { readonly name: string; readonly cap: number }[],
): Promise<SoloLane | undefined> {
  const { rows } = await db.query<SoloLane & { readonly mine: boolean }>({
    name: 'engine-lock-solo-lane',
    text: `
      with first as materialized (
        select q.pipeline, q.lane, c.cap
        from unnest($1::text[], $2::int[]) as c (pipeline, cap)
        join engine.ready q on q.pipeline = c.pipeline and q.solo
        where not exists (select from engine.pauses x where x.pipeline = q.pipeline and x.lane in ('', q.lane))
          and (select count(distinct l.run_id) from engine.leases l where l.capped and l.pipeline = q.pipeline and l.lane = q.lane) < c.cap
        order by q.run_id
        limit 1
      )
      select pipeline, lane, cap, ${tryLane('pipeline', 'lane')} as mine from first`,
    values: [capped.map(({ name }) => name), capped.map(({ cap }) => cap)],
  });
  const [first] = rows;
  return first?.mine ? first : undefined;
}
