// Pages of the ledger, newest first, under the tenant's row-level security. Each way in takes a bounded number of candidates from
// an index that fits the filter, then filters and cuts the page; where the bound was reached before the page was full, the
// caller goes on from `edge`. So no filter, however rare its matches, makes one request read the whole ledger.
import type { Queryable } from '../../platform/database.ts';
import { type RunRow, runColumns, runJoins } from './run-columns.ts';

export interface ListFilter {
  readonly tenantId: string;
  /** Runs before this id; `newest` to begin with. */
  readonly beforeId: string;
  readonly pipelines: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly phases: readonly string[] | null;
  readonly sources: readonly string[] | null;
  readonly since: string | null;
  readonly until: string | null;
  /** Lower case; part of the title. */
  readonly titlePart: string | null;
  readonly limit: number;
  /** How many candidates may be looked at. */
  readonly scan: number;
}

/** After every uuid v7 there will ever be. */
export const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface RunsFound {
  readonly rows: readonly RunRow[];
  /** The last candidate looked at, when the bound was reached. */
  readonly edge: string | null;
}

type FoundRow = RunRow & { edge: string | null; scanned: number };

const ways = {
  ledger: `
    select a.id from engine.runs a
    where a.tenant_id = $1 and a.id < $2
    order by a.id desc limit $10`,
  pipelines: `
    select a.id from unnest($3::text[]) p (pipeline)
    cross join lateral (
      select r.id from engine.runs r
      where r.tenant_id = $1 and r.pipeline = p.pipeline and r.id < $2
      order by r.id desc limit $10
    ) a
    order by a.id desc limit $10`,
  flagged: `
    select a.run_id as id from (
      select distinct s.status from engine.states s
      where ($4::text[] is null or s.status = any ($4)) and ($5::text[] is null or s.phase = any ($5))
    ) wanted
    cross join lateral (
      select f.run_id from engine.flagged_runs f
      where f.tenant_id = $1 and f.status = wanted.status and f.run_id < $2
      order by f.run_id desc limit $10
    ) a
    order by a.run_id desc limit $10`,
  given: `
    select a.id from unnest($11::uuid[]) a (id)
    where a.id < $2
    order by a.id desc limit $10`,
} as const;

export type WayIn = keyof typeof ways;

export async function listRuns(
  db: Queryable,
  way: WayIn,
  filter: ListFilter,
  given: readonly string[] = [],
): Promise<RunsFound> {
  // Planning this statement takes longer than running it (7 ms against 1 ms on a busy machine), and its one good plan does not
  // depend on the values: it is planned once per connection.
  await db.query({
    name: 'http-plan-once',
    text: `select set_config('plan_cache_mode', 'force_generic_plan', true)`,
  });
  const { rows } = await db.query<FoundRow>({
    name: `http-list-runs-${way}`,
    text: `
      with candidates as materialized (${ways[way]})
      select page.*, e.edge, e.scanned
      from (
        select (select id from candidates order by id limit 1) as edge, (select count(*)::int from candidates) as scanned,
               $11::uuid[] is null as unused
      ) e
      left join lateral (
        select ${runColumns}
        from candidates c
        join engine.runs r on r.id = c.id
        ${runJoins}
        where r.tenant_id = $1
          and ($3::text[] is null or r.pipeline = any ($3))
          and ($4::text[] is null or r.status = any ($4))
          and ($5::text[] is null or r.phase = any ($5))
          and ($6::text[] is null or coalesce(r.source_id, r.input ->> 'source') = any ($6))
          and ($7::timestamptz is null or r.created_at >= $7)
          and ($8::timestamptz is null or r.created_at < $8)
          and ($9::text is null or position($9 in lower(coalesce(b.original_name, r.input ->> 'title', r.unique_key, ''))) > 0)
        order by c.id desc
        limit $12
      ) page on true`,
    values: [
      filter.tenantId,
      filter.beforeId,
      filter.pipelines,
      filter.statuses,
      filter.phases,
      filter.sources,
      filter.since,
      filter.until,
      filter.titlePart,
      filter.scan,
      given,
      filter.limit,
    ],
  });
  const first = rows[0];
  const reachedBound = first !== undefined && first.scanned >= filter.scan;
  return { rows: rows.filter((row) => row.id !== null), edge: reachedBound ? first.edge : null };
}
