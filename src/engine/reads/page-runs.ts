// Pages of the ledger, newest first, under the tenant's row-level security. Each way in takes a bounded number of candidates from
// an index that fits the filter, then filters and cuts the page; where the bound was reached before the page was full, the
// caller goes on from `edge`. So no filter, however rare its matches, makes one request read the whole ledger.
import type { Queryable } from '../../platform/database.ts';
import { type HiddenRuns, hiddenValues, isSeen } from './private-runs.ts';
import { type ShownRun, shownColumns, shownJoins, shownSource } from './run-columns.ts';
import { type CandidateFilter, candidatesBy, candidateValues, type WayIn } from './ways-into-ledger.ts';

export interface PageFilter extends CandidateFilter {
  readonly sources: readonly string[] | null;
  readonly since: string | null;
  readonly until: string | null;
  /** Lower case; part of the title. */
  readonly titlePart: string | null;
  readonly limit: number;
  readonly hidden?: HiddenRuns | undefined;
  /** Of these pipelines only runs that were not retried: the last of each line. */
  readonly lastOf?: readonly string[] | undefined;
}

export interface RunsFound {
  readonly rows: readonly ShownRun[];
  /** The last candidate looked at, when the bound was reached. */
  readonly edge: string | null;
}

type FoundRow = ShownRun & { edge: string | null; scanned: number };

export async function pageRuns(
  db: Queryable,
  way: WayIn,
  filter: PageFilter,
  given: readonly string[] = [],
): Promise<RunsFound> {
  // Planning this statement takes longer than running it (7 ms against 1 ms on a busy machine), and its one good plan does not
  // depend on the values: it is planned once per connection. A month of the history that was empty then is not read row by row later.
  await db.query({
    name: 'reads-plan-once',
    text: `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`,
  });
  const { rows } = await db.query<FoundRow>({
    name: `reads-page-runs-${way}`,
    text: `
      with candidates as materialized (${candidatesBy(way)})
      select page.*, e.edge, e.scanned
      from (
        select (select id from candidates order by id limit 1) as edge, (select count(*)::int from candidates) as scanned,
               $7::uuid[] is null as unused
      ) e
      left join lateral (
        select ${shownColumns}
        from candidates c
        cross join lateral (select * from engine.all_runs x where x.id = c.id limit 1) r
        ${shownJoins}
        where r.tenant_id = $1
          and ($3::text[] is null or r.pipeline = any ($3))
          and ($4::text[] is null or r.status = any ($4))
          and ($5::text[] is null or r.phase = any ($5))
          and ($8::text[] is null or ${shownSource} = any ($8) or split_part(${shownSource}, ':', 1) = any ($8))
          and ($9::timestamptz is null or r.created_at >= $9)
          and ($10::timestamptz is null or r.created_at < $10)
          and ($11::text is null or position($11 in lower(coalesce(b.original_name, r.input ->> 'title', r.unique_key, ''))) > 0)
          and ${isSeen('r', '$13', '$14')}
          and ($15::text[] is null or n.id is null or not r.pipeline = any ($15))
        order by c.id desc
        limit $12
      ) page on true`,
    values: [
      ...candidateValues(filter, given),
      filter.sources,
      filter.since,
      filter.until,
      filter.titlePart,
      filter.limit,
      ...hiddenValues(filter.hidden),
      filter.lastOf ?? null,
    ],
  });
  const first = rows[0];
  const reachedBound = first !== undefined && first.scanned >= filter.scan;
  return { rows: rows.filter((row) => row.id !== null), edge: reachedBound ? first.edge : null };
}
