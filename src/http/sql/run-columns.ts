// What the API shows of a run, and where it comes from: the ledger, its file, its progress, its successor.
import { progressOf } from '../../engine/sql/progress.ts';
import type { RunRow as LedgerRow } from '../../engine/sql/read-runs.ts';

export interface RunRow extends Omit<LedgerRow, 'active_key' | 'failures' | 'cancel_requested_at' | 'created_by'> {
  readonly stage: string | null;
  /** Where it came from, as it is shown. */
  readonly source: string | null;
  readonly original_name: string | null;
  readonly retried_as: string | null;
  /** For people: an address, or the id of what made it. */
  readonly created_by: string | null;
  /** Only while such a user exists: an API key makes runs too. */
  readonly created_by_user_id: string | null;
  readonly file_bytes: number | null;
  readonly file_sha256: string | null;
  readonly file_type: string | null;
  readonly progress_done: number | null;
  readonly progress_total: number | null;
  readonly progress_unit: string | null;
  readonly progress_at: Date | null;
  readonly claimed_at: Date | null;
}

/**
 * A replay of corrected rows comes from the run they were refused in, whatever brought that run in. Of a watched folder the last part
 * of its path: where it lies on the server is not for everybody.
 */
export const shownSource = `
  case when r.input ? 'replay_of' then 'replay'
       else regexp_replace(coalesce(r.source_id, r.input ->> 'source'), '^folder:.*/(?=.)', 'folder:') end`;

export const runColumns = `
  r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.unique_key, r.lane, r.priority, r.input, r.receipt, r.attempt,
  r.wait_reason, r.held_at, r.held_by, r.blob_id, r.source_id, r.retry_of, r.requeued_as, r.correlation_id, r.error_code,
  r.error_text, r.created_at, r.started_at, r.finished_at, r.updated_at,
  ${shownSource} as source, s.stage, b.original_name, n.id as retried_as, coalesce(u.email, r.created_by::text) as created_by, u.user_id as created_by_user_id,
  b.bytes as file_bytes, encode(b.sha256, 'hex') as file_sha256, b.media_type as file_type,
  g.done as progress_done, g.total as progress_total, g.unit as progress_unit, g.updated_at as progress_at, l.claimed_at`;

/** Each finds at most one row by a key; of progress, that of the run's parts together. Every table but engine.states is under row-level security itself. */
export const runJoins = `
  left join engine.states s on s.pipeline = r.pipeline and s.status = r.status
  left join engine.blobs b on b.blob_id = r.blob_id and b.tenant_id = r.tenant_id
  left join lateral (
    select x.run_id as id from engine.all_retries x where x.retry_of = r.id and x.tenant_id = r.tenant_id limit 1
  ) n on true
  left join public.users u on u.user_id = r.created_by and u.tenant_id = r.tenant_id
  left join lateral (
    select e.run_id, e.claimed_at from engine.leases e
    where e.run_id = r.id and e.tenant_id = r.tenant_id
    order by e.claimed_at limit 1
  ) l on true
  left join lateral (${progressOf('r.id', 'r.tenant_id')}) g on l.run_id is not null`;
