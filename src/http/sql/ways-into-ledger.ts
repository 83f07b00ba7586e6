// The ways into the ledger: each takes a bounded number of candidates ($6), newest first, from an index that fits the filter. Shared
// by the statements that list runs and that count them, which therefore agree on what there is. Parameters $1 to $7 are
// those of `candidateValues`.

export interface CandidateFilter {
  readonly tenantId: string;
  /** Runs before this id; `newest` to begin with. */
  readonly beforeId: string;
  readonly pipelines: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly phases: readonly string[] | null;
  /** How many candidates may be looked at. */
  readonly scan: number;
}

/** After every uuid v7 there will ever be. */
export const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const waysIntoLedger = {
  ledger: `
    select a.id from engine.runs a
    where a.tenant_id = $1 and a.id < $2
    order by a.id desc limit $6`,
  pipelines: `
    select a.id from unnest($3::text[]) p (pipeline)
    cross join lateral (
      select r.id from engine.runs r
      where r.tenant_id = $1 and r.pipeline = p.pipeline and r.id < $2
      order by r.id desc limit $6
    ) a
    order by a.id desc limit $6`,
  flagged: `
    select a.run_id as id from (
      select distinct s.status from engine.states s
      where ($4::text[] is null or s.status = any ($4)) and ($5::text[] is null or s.phase = any ($5))
    ) wanted
    cross join lateral (
      select f.run_id from engine.flagged_runs f
      where f.tenant_id = $1 and f.status = wanted.status and f.run_id < $2
      order by f.run_id desc limit $6
    ) a
    order by a.run_id desc limit $6`,
  given: `
    select a.id from unnest($7::uuid[]) a (id)
    where a.id < $2
    order by a.id desc limit $6`,
} as const;

export type WayIn = keyof typeof waysIntoLedger;

/** `given`: the ids to look at, for the way of that name. */
export function candidateValues(filter: CandidateFilter, given: readonly string[]): unknown[] {
  const { tenantId, beforeId, pipelines, statuses, phases, scan } = filter;
  return [tenantId, beforeId, pipelines, statuses, phases, scan, given];
}
