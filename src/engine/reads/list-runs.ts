// Runs by a filter, for programs and for the operator, who may ask for all tenants at once. The API's pages, bounded in what they
// look at and under row-level security, are in page-runs.ts.
import type { Queryable } from '../../platform/database.ts';
import { ledgerColumns, type RunRow } from './run-columns.ts';
import { newest } from './ways-into-ledger.ts';

export interface RunFilter {
  /** Null: all tenants, for the operator only. */
  readonly tenantId: string | null;
  readonly pipeline?: string | undefined;
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Newest first: runs before this id. */
  readonly beforeId?: string | undefined;
}

/**
 * Newest first. Three ways in, so that every filter has an index that fits it: live runs from the narrow queue tables,
 * flagged ends (failed, dead, partial) from their side table, everything else along the ledger's own order.
 */
export async function listRuns(db: Queryable, filter: RunFilter, limit: number): Promise<RunRow[]> {
  const way = wayIn(filter);
  const { rows } = await db.query<RunRow>({
    name: `reads-list-runs-${way}`,
    text: `${candidates[way]}
      select ${ledgerColumns}
      from candidates c
      cross join lateral (select * from engine.all_runs x where x.id = c.id limit 1) r
      where ($1::uuid is null or r.tenant_id = $1)
        and ($2::text is null or r.pipeline = $2)
        and ($3::text is null or r.status = $3)
        and ($4::text is null or r.phase = $4)
        and ($5::text is null or r.source_id = $5)
        and ($6::timestamptz is null or r.created_at >= $6)
        and ($7::timestamptz is null or r.created_at < $7)
        and ($8::uuid is null or r.id < $8)
      order by c.id desc
      limit $9`,
    values: [
      filter.tenantId,
      filter.pipeline ?? null,
      filter.status ?? null,
      filter.phase ?? null,
      filter.sourceId ?? null,
      filter.since ?? null,
      filter.until ?? null,
      filter.beforeId ?? null,
      limit,
    ],
  });
  return rows;
}

type WayIn = 'live' | 'failed' | 'dead' | 'flagged' | 'flagged-or-live' | 'all' | 'tenant' | 'pipeline';

function wayIn(filter: RunFilter): WayIn {
  if (filter.phase === 'waiting' || filter.phase === 'active') return 'live';
  if (filter.phase === 'failed' || filter.phase === 'dead') return filter.tenantId === null ? 'flagged' : filter.phase;
  if (filter.status !== undefined && filter.phase === undefined && flaggedWords.has(filter.status))
    return 'flagged-or-live';
  if (filter.tenantId === null) return 'all';
  return filter.pipeline === undefined ? 'tenant' : 'pipeline';
}

// Terminal words other than plain success, over all machines. In some machines they are a stop on the way: a failed sync waits
// for its next try.
const flaggedWords = new Set(['failed', 'partial', 'dead_letter', 'dead', 'cancelled']);

const live = `
      select distinct l.run_id as id from engine.leases l
      union all
      select q.run_id from engine.ready q
      union all
      select s.run_id from engine.scheduled s
      union all
      select h.id from engine.runs h where h.held_at is not null and h.phase = 'waiting' and ($1::uuid is null or h.tenant_id = $1)`;

const flagged = `
      select f.run_id as id from engine.flagged_runs f
      where ($1::uuid is null or f.tenant_id = $1)
        and ($3::text is null or f.status = $3)
        and ($4::text is null or f.phase = $4)`;

/** In the order of the page, from an index of its own. */
const flaggedOfTenant = (phase: 'failed' | 'dead') => `
      select f.run_id as id from engine.flagged_runs f
      where f.tenant_id = $1 and f.phase = '${phase}' and ($3::text is null or f.status = $3) and f.run_id < coalesce($8, '${newest}'::uuid)`;

const candidates: Record<WayIn, string> = {
  failed: `with candidates as not materialized (${flaggedOfTenant('failed')})`,
  dead: `with candidates as not materialized (${flaggedOfTenant('dead')})`,
  live: `with candidates as (${live})`,
  flagged: `with candidates as (${flagged})`,
  'flagged-or-live': `with candidates as (${flagged} union all ${live})`,
  all: `
    with candidates as not materialized (
      select a.id from engine.all_runs a
      where $1::uuid is null and ($8::uuid is null or a.id < $8)
    )`,
  tenant: `
    with candidates as not materialized (
      select a.id from engine.all_runs a
      where a.tenant_id = $1 and ($8::uuid is null or a.id < $8)
    )`,
  pipeline: `
    with candidates as not materialized (
      select a.id from engine.all_runs a
      where a.tenant_id = $1 and a.pipeline = $2 and ($8::uuid is null or a.id < $8)
    )`,
};
