// The ways into the ledger and its history: each takes a bounded number of candidates ($6), newest first, from an index that fits the filter. Shared
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

export type WayIn = 'ledger' | 'pipelines' | 'flagged' | 'given';

/** Their ids; asked for, with the status and phase each stands in, from the row the way comes by rather than from a look-up per run. */
export function candidatesBy(way: WayIn, withState = false): string {
  const and = (alias: string) => (withState ? `, ${alias}.status, ${alias}.phase` : '');
  switch (way) {
    case 'ledger':
      return `
        select a.id${and('a')} from engine.all_runs a
        where a.tenant_id = $1 and a.id < $2
        order by a.id desc limit $6`;
    case 'pipelines':
      return `
        select a.id${and('a')} from unnest($3::text[]) p (pipeline)
        cross join lateral (
          select r.id${and('r')} from engine.all_runs r
          where r.tenant_id = $1 and r.pipeline = p.pipeline and r.id < $2
          order by r.id desc limit $6
        ) a
        order by a.id desc limit $6`;
    case 'flagged':
      return `
        select a.run_id as id${and('a')} from (
          select distinct s.status from engine.states s
          where ($4::text[] is null or s.status = any ($4)) and ($5::text[] is null or s.phase = any ($5))
        ) wanted
        cross join lateral (
          select f.run_id${and('f')} from engine.flagged_runs f
          where f.tenant_id = $1 and f.status = wanted.status and f.run_id < $2
          order by f.run_id desc limit $6
        ) a
        order by a.run_id desc limit $6`;
    case 'given':
      return `
        select a.id${and('r')} from unnest($7::uuid[]) a (id)
        ${withState ? 'cross join lateral (select * from engine.all_runs x where x.id = a.id and x.tenant_id = $1 limit 1) r' : ''}
        where a.id < $2
        order by a.id desc limit $6`;
  }
}

/** `given`: the ids to look at, for the way of that name. */
export function candidateValues(filter: CandidateFilter, given: readonly string[]): unknown[] {
  const { tenantId, beforeId, pipelines, statuses, phases, scan } = filter;
  return [tenantId, beforeId, pipelines, statuses, phases, scan, given];
}
