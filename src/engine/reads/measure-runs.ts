// How many runs a filter matches among a bounded number of candidates, and where a page by number begins. A count of a whole ledger
// reads the whole ledger; this reads as many rows as the bound, in index order, under the tenant's row-level security.
import type { Queryable } from '../../platform/database.ts';
import { type HiddenRuns, hiddenValues, isSeen } from './private-runs.ts';
import { type CandidateFilter, candidatesBy, candidateValues, type WayIn } from './ways-into-ledger.ts';

export interface RunsMeasured {
  readonly matches: number;
  /** Candidates that were looked at; as many as the bound, there may be more. */
  readonly scanned: number;
  /** The last match before the page; null when nothing is skipped or fewer match. */
  readonly boundary: string | null;
}

/** `skip`: how many matches come before the page. By status and phase only: what the filter says of the rest is not asked here. */
export async function measureRuns(
  db: Queryable,
  way: WayIn,
  filter: CandidateFilter & {
    readonly hidden?: HiddenRuns | undefined;
    readonly lastOf?: readonly string[] | undefined;
  },
  skip: number,
  given: readonly string[] = [],
): Promise<RunsMeasured> {
  const isFiltered = filter.statuses !== null || filter.phases !== null;
  // Whom a run belongs to is known to the ledger alone; who sees all runs asks for none of it.
  const isHiding = filter.hidden !== undefined;
  const isLast = filter.lastOf !== undefined;
  const { rows } = await db.query<RunsMeasured>({
    name: `reads-measure-runs-${way}-${isFiltered ? 'filtered' : 'all'}${isHiding ? '-seen' : ''}${isLast ? '-last' : ''}`,
    text: `
      with candidates as materialized (${candidatesBy(way, isFiltered || isLast)}),
      matching as materialized (
        select c.id from candidates c
        ${isHiding ? 'cross join lateral (select * from engine.all_runs x where x.id = c.id limit 1) r' : ''}
        where ${isFiltered ? '($4::text[] is null or c.status = any ($4)) and ($5::text[] is null or c.phase = any ($5))' : 'true'}
          ${isHiding ? `and ${isSeen('r', '$9', '$10')}` : ''}
          ${isLast ? `and (c.phase not in ('failed', 'dead') or not ${isRetried('c.id', isHiding ? '$11' : '$9')})` : ''}
      )
      select (select count(*)::int from matching) as matches,
             (select count(*)::int from candidates) as scanned,
             case when $8::int > 0 then (select id from matching order by id desc offset greatest($8::int - 1, 0) limit 1) end as boundary,
             $1::uuid is null or $2::uuid is null or $3::text[] is null or $4::text[] is null or $5::text[] is null
               or $7::uuid[] is null as unused`,
    values: [
      ...candidateValues(filter, given),
      skip,
      ...(isHiding ? hiddenValues(filter.hidden) : []),
      ...(isLast ? [filter.lastOf] : []),
    ],
  });
  return rows[0] ?? { matches: 0, scanned: 0, boundary: null };
}

/** Only runs that failed can be, and few of those are: the pipeline is asked for of these only. */
function isRetried(id: string, pipelines: string): string {
  return `exists (
            select from (select a.run_id from engine.all_retries a where a.retry_of = ${id} limit 1) n
            cross join lateral (select x.pipeline from engine.all_runs x where x.id = n.run_id limit 1) r
            where r.pipeline = any (${pipelines}::text[])
          )`;
}
