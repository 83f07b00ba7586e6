// Reading the ledger and its history. Every statement names the tenant: RLS holds as well, but each layer must hold alone.
import type { Queryable } from '../../platform/database.ts';
import type { Receipt } from '../receipt.ts';
import type { Failures } from '../retry-policy.ts';

export interface RunRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly pipeline: string;
  readonly status: string;
  readonly phase: 'waiting' | 'active' | 'done' | 'failed' | 'dead';
  readonly unique_key: string | null;
  readonly active_key: string | null;
  readonly lane: string;
  readonly priority: number;
  readonly input: Record<string, unknown>;
  readonly receipt: Receipt | null;
  readonly attempt: number;
  readonly failures: Failures;
  readonly wait_reason: Record<string, unknown> | null;
  readonly held_at: Date | null;
  readonly held_by: string | null;
  readonly cancel_requested_at: Date | null;
  readonly blob_id: string | null;
  readonly source_id: string | null;
  readonly retry_of: string | null;
  readonly requeued_as: string | null;
  readonly correlation_id: string | null;
  readonly created_by: string | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly updated_at: Date;
}

const columns = `
  r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.unique_key, r.active_key, r.lane, r.priority, r.input, r.receipt,
  r.attempt, r.failures, r.wait_reason, r.held_at, r.held_by, r.cancel_requested_at, r.blob_id, r.source_id, r.retry_of,
  r.requeued_as, r.correlation_id, r.created_by, r.error_code, r.error_text, r.created_at, r.started_at, r.finished_at, r.updated_at`;

export async function readRun(db: Queryable, tenantId: string, runId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'engine-read-run',
    text: `select ${columns} from engine.all_runs r where r.id = $2 and r.tenant_id = $1`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** For the operator's tools, which know no tenant. */
export async function findRun(db: Queryable, runId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'engine-find-run',
    text: `select ${columns} from engine.all_runs r where r.id = $1`,
    values: [runId],
  });
  return rows[0];
}

/** The run that retried this one, if any. */
export async function readSuccessor(db: Queryable, runId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-read-successor',
    text: `select run_id as id from engine.all_retries where retry_of = $1`,
    values: [runId],
  });
  return rows[0]?.id;
}

/** Which of these runs have a successor: a retry or a requeued dead letter. */
export async function findRetried(db: Queryable, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ retry_of: string }>({
    name: 'engine-find-retried',
    text: `select retry_of from engine.all_retries where retry_of = any ($1::uuid[])`,
    values: [runIds],
  });
  return new Set(rows.map((row) => row.retry_of));
}

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
    name: `engine-list-runs-${way}`,
    text: `${candidates[way]}
      select ${columns}
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

type WayIn = 'live' | 'flagged' | 'flagged-or-live' | 'all' | 'pipeline';

function wayIn(filter: RunFilter): WayIn {
  if (filter.phase === 'waiting' || filter.phase === 'active') return 'live';
  if (filter.phase === 'failed' || filter.phase === 'dead') return 'flagged';
  if (filter.status !== undefined && filter.phase === undefined && flaggedWords.has(filter.status))
    return 'flagged-or-live';
  return filter.pipeline !== undefined && filter.tenantId !== null ? 'pipeline' : 'all';
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

const candidates: Record<WayIn, string> = {
  live: `with candidates as (${live})`,
  flagged: `with candidates as (${flagged})`,
  'flagged-or-live': `with candidates as (${flagged} union all ${live})`,
  all: `
    with candidates as not materialized (
      select a.id from engine.all_runs a
      where ($1::uuid is null or a.tenant_id = $1) and ($8::uuid is null or a.id < $8)
    )`,
  pipeline: `
    with candidates as not materialized (
      select a.id from engine.all_runs a
      where a.tenant_id = $1 and a.pipeline = $2 and ($8::uuid is null or a.id < $8)
    )`,
};
