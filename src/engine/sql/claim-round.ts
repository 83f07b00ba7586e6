// A claim from the lanes of all pipelines without a lane cap, in turn.
//
// Lanes that have work are found by a loose index scan: one probe per lane, whatever waits in it. Each pipeline's walk begins behind the
// lane that had the last turn and goes once round; the walks of all pipelines advance together, so that a short claim reaches
// every pipeline. What a group may take is divided equally among its lanes, and the odd runs go to those that come next, so a tenant with 20,000
// waiting runs never delays another's first, and no lane gets ahead of another by more than one turn. Within a lane: priority, then age.
//
// A look passes at most `MOST_PASSED` lanes that are paused, so that it takes its 20 ms however many there are; where it stopped, the next one
// goes on. What it found by then is dealt out as if there were no more: the lanes behind get their turn in the next look.
//
// While an old snapshot is open, rows that were claimed long ago stay in the index, and each look steps over all of them. Therefore
// the walk goes downwards, where a lane's newest row comes first, and `Known` may say where a lane's oldest row was last seen.
import type { Queryable } from '../../platform/database.ts';
import { type Claimant, type ClaimedRow, claimedRows, isAlive, leasePicked } from './claim-runs.ts';

/** A pipeline to take from. Pipelines with the same group share its limit. */
export interface Turn {
  readonly pipeline: string;
  /** The lane that had the last turn; empty for none. */
  readonly afterLane: string;
  readonly group: number;
  readonly limit: number;
  /** Where the last look stopped halfway round; left out: the walk begins. */
  readonly walk?: Walk | undefined;
}

/** A walk round the lanes of one pipeline that is not over. */
export interface Walk {
  readonly pipeline: string;
  readonly afterLane: string;
  /** The last lane that was passed. */
  readonly lane: string;
  readonly bottom: string;
  readonly mayWrap: boolean;
}

/** What need not be looked at again. Runs that come back with an old id are missed, so it must not be used for long. */
export interface Known {
  /** Runs with smaller ids are passed over. */
  readonly beginAt: string;
  /** By `markKey`: priority and id of the last run taken from the lane. */
  readonly marks: Readonly<Record<string, readonly [number, string]>>;
}

export const nothingKnown: Known = { beginAt: '00000000-0000-0000-0000-000000000000', marks: {} };

export const markKey = (pipeline: string, lane: string) => `${pipeline} ${lane}`;

export interface Round {
  readonly rows: ClaimedRow[];
  /** Where each pipeline's round goes on, in the order of the turns; pipelines that had none are missing. */
  readonly turns: readonly { readonly pipeline: string; readonly lane: string; readonly group: number }[];
  /** Pipelines whose lanes were not all looked at, because too many were paused. */
  readonly walks: readonly Walk[];
}

// So many lanes are looked at even for one run: the rows of the first ones may be locked by other claimers.
const LEAST_LOOK = 16;
/** So many paused lanes are passed in one look. */
const MOST_PASSED = 1_000;

const roundOf = (bound: string) => `
  with recursive lanes (pipeline, ordinal, level, after_lane, lane, bottom, may_wrap, is_open, found) as (
    select p.pipeline, p.ordinal, 0, p.after_lane, p.lane, p.bottom, p.may_wrap, false, 0::bigint
    from unnest($4::text[], $5::text[], $13::text[], $14::text[], $15::boolean[])
           with ordinality as p (pipeline, after_lane, lane, bottom, may_wrap, ordinal)
    where not exists (select from engine.pauses x where x.pipeline = p.pipeline and x.lane = '')
    union all
    select l.pipeline, l.ordinal, l.level + 1, l.after_lane, n.lane, n.bottom, n.may_wrap, o.is_open,
           l.found + sum(o.is_open::int) over ()
    from lanes l
    cross join lateral (
      (
        select q.lane, l.bottom, l.may_wrap
        from engine.ready q
        where q.pipeline = l.pipeline and q.lane < l.lane and q.lane >= l.bottom and not q.solo ${bound}
        order by q.lane desc, q.priority desc, q.run_id desc limit 1
      )
      union all
      -- Once round: from the top down to where the walk began.
      (
        select q.lane, l.after_lane, false
        from engine.ready q
        where l.may_wrap and q.pipeline = l.pipeline and q.lane >= l.after_lane and not q.solo ${bound}
        order by q.lane desc, q.priority desc, q.run_id desc limit 1
      )
      limit 1
    ) n
    -- Paused lanes do not count, or they would hide the lanes behind them.
    cross join lateral (
      select not exists (select from engine.pauses x where x.pipeline = l.pipeline and x.lane = n.lane) as is_open offset 0
    ) o
    where l.found < $9::int and l.level < $16::int
  ),
  open_lanes as (
    select l.pipeline, l.lane, g.group_id, g.group_limit,
           row_number() over (order by l.level, l.ordinal) as place,
           row_number() over (partition by g.group_id order by l.level, l.ordinal) as place_in_group,
           count(*) over (partition by g.group_id) as lanes_in_group,
           max(l.found) over () >= $9::int as has_more
    from lanes l
    join unnest($4::text[], $6::int[], $7::int[]) as g (pipeline, group_id, group_limit) using (pipeline)
    where l.is_open and ${isAlive}
  ),
  offered as materialized (
    select pipeline, lane, group_id, place, place_in_group,
           -- Where lanes were left out, nobody gets a second run before they had their first.
           case when has_more then 0 else group_limit / lanes_in_group end as everybodys,
           case when has_more then group_limit else group_limit % lanes_in_group end as odd,
           coalesce(($11::jsonb -> (pipeline || ' ' || lane) ->> 0)::smallint, -32768) as mark_priority,
           coalesce(($11::jsonb -> (pipeline || ' ' || lane) ->> 1)::uuid, $10::uuid) as mark_id
    from open_lanes
  ),
  chosen as materialized (
    select taken.at, l.place
    from (select * from offered order by place) l
    cross join lateral (
      (
        select urgent.at
        from (
          select q.ctid as at from engine.ready q
          where l.mark_priority > -32768 and q.pipeline = l.pipeline and q.lane = l.lane and q.priority < l.mark_priority and not q.solo
          order by q.priority, q.run_id
          for update skip locked
        ) urgent
      )
      union all
      (
        select next.at
        from (
          select q.ctid as at from engine.ready q
          where q.pipeline = l.pipeline and q.lane = l.lane and (q.priority, q.run_id) >= (l.mark_priority, l.mark_id)
            and not q.solo ${bound}
          order by q.priority, q.run_id
          for update skip locked
        ) next
      )
      -- With one group, those behind take what the first could not give.
      limit greatest(l.everybodys + (l.place_in_group <= l.odd)::int, $12::int)
    ) taken
    limit $8
  ),
  picked as (
    delete from engine.ready q
    where q.ctid = any (array(select at from chosen))
    returning q.run_id, q.pipeline, q.queued_at
  ),
  turns as (
    select distinct on (o.pipeline) o.pipeline, o.lane, o.group_id, o.place
    from offered o
    where o.place_in_group <= o.odd or (o.everybodys = 0 and o.place = any (array(select place from chosen)))
    order by o.pipeline, o.place desc
  ),
  ${leasePicked}
  select a.*, null::json as turns, null::json as walks from (${claimedRows}) a
  union all
  -- Comes last, whether anything was claimed or not.
  select null::uuid, null::uuid, null, null, null, null::smallint, null::int, null::uuid, null::jsonb, null::jsonb, null::uuid, null::uuid,
         null, null::uuid, null::float8, null::float8,
         (select json_agg(json_build_object('pipeline', t.pipeline, 'lane', t.lane, 'group', t.group_id) order by t.place) from turns t),
         (select json_agg(json_build_object('pipeline', l.pipeline, 'afterLane', l.after_lane, 'lane', l.lane, 'bottom', l.bottom, 'mayWrap', l.may_wrap))
          from lanes l where l.level = $16::int and l.found < $9::int)`;

const thorough = roundOf('');
// Not for every look: it costs 3 % of a claim with 1,000 lanes (15.4 to 15.9 µs of the server per run), and where a table has never been
// analysed the planner may read on for it (`plans.db.test.ts`).
const onwards = roundOf('and q.run_id >= $10::uuid');

/** No lock beyond the rows taken. */
export async function claimRound(
  db: Queryable,
  by: Claimant,
  pipelines: readonly Turn[],
  known: Known = nothingKnown,
): Promise<Round> {
  const limits = new Map(pipelines.map(({ group, limit }) => [group, limit]));
  const count = [...limits.values()].reduce((sum, limit) => sum + limit, 0);
  const wanted = Math.max(count, LEAST_LOOK);
  const walks = pipelines.map(
    ({ pipeline, afterLane, walk }) => walk ?? { pipeline, afterLane, lane: afterLane, bottom: '', mayWrap: true },
  );
  const { rows } = await db.query<ClaimedRow & { readonly [Key in 'turns' | 'walks']: Round[Key] | null }>({
    name: known === nothingKnown ? 'engine-claim-round' : 'engine-claim-round-on',
    text: known === nothingKnown ? thorough : onwards,
    values: [
      ...[by.workerId, by.capped, by.announced],
      pipelines.map(({ pipeline }) => pipeline),
      walks.map(({ afterLane }) => afterLane),
      pipelines.map(({ group }) => group),
      pipelines.map(({ limit }) => limit),
      ...[count, wanted, known.beginAt, JSON.stringify(known.marks), limits.size === 1 ? 1 : 0],
      walks.map(({ lane }) => lane),
      walks.map(({ bottom }) => bottom),
      walks.map(({ mayWrap }) => mayWrap),
      wanted + MOST_PASSED,
    ],
  });
  return { rows: rows.slice(0, -1), turns: rows.at(-1)?.turns ?? [], walks: rows.at(-1)?.walks ?? [] };
}
