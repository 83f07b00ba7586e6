// A run as it is read: its row of the ledger, and beside it what people are shown: its file, its progress, its successor.
import type { Receipt } from '../receipt.ts';
import type { Failures } from '../retry-policy.ts';
import { progressOf } from '../sql/progress.ts';

/** A row of the ledger or of its history. */
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

/** A run with what the API shows of it. */
export interface ShownRun extends RunRow {
  readonly stage: string | null;
  /** Where it came from, as it is shown. */
  readonly source: string | null;
  readonly original_name: string | null;
  readonly retried_as: string | null;
  /** Failed, in a pipeline whose failed runs wait for a person. */
  readonly failed_waits: boolean;
  /** A dead letter that a person has seen; nothing more is to be done. */
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: string | null;
  readonly acknowledged_for: string | null;
  /** For people: an address, the name of an API key, or the id of what made it and is gone. */
  readonly created_by_name: string | null;
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

export const ledgerColumns = `
  r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.unique_key, r.active_key, r.lane, r.priority, r.input, r.receipt,
  r.attempt, r.failures, r.wait_reason, r.held_at, r.held_by, r.cancel_requested_at, r.blob_id, r.source_id, r.retry_of,
  r.requeued_as, r.correlation_id, r.created_by, r.error_code, r.error_text, r.created_at, r.started_at, r.finished_at, r.updated_at`;

/**
 * A replay of corrected rows comes from the run they were refused in, whatever brought that run in. Of a watched folder the last part
 * of its path: where it lies on the server is not for everybody.
 */
export const shownSource = `
  case when r.input ? 'replay_of' then 'replay'
       else regexp_replace(coalesce(r.source_id, r.input ->> 'source'), '^folder:.*/(?=.)', 'folder:') end`;

export const shownColumns = `
  ${ledgerColumns},
  ${shownSource} as source, s.stage, b.original_name, n.id as retried_as,
  coalesce(r.phase = 'failed' and p.failed_are_dead_letters, false) as failed_waits, f.acknowledged_at, f.acknowledged_by, f.acknowledged_for,
  coalesce(u.email, k.name, r.created_by::text) as created_by_name, u.user_id as created_by_user_id,
  b.bytes as file_bytes, encode(b.sha256, 'hex') as file_sha256, b.media_type as file_type,
  g.done as progress_done, g.total as progress_total, g.unit as progress_unit, g.updated_at as progress_at, l.claimed_at`;

/**
 * Each finds at most one row by a key; of progress, that of the run's parts together. Every table but engine.states and engine.pipelines is
 * under row-level security itself. The key leads to the row and the tenant is compared afterwards: named in both places, it would look so
 * rare to the server that an index of the tenant's rows seems as good as the key.
 */
export const shownJoins = `
  left join engine.states s on s.pipeline = r.pipeline and s.status = r.status
  left join engine.pipelines p on p.pipeline = r.pipeline
  left join lateral (
    select x.acknowledged_at, x.acknowledged_by, x.acknowledged_for from engine.flagged_runs x
    where x.tenant_id = r.tenant_id and x.status = r.status and x.run_id = r.id limit 1
  ) f on true
  left join lateral (select * from engine.blobs x where x.blob_id = r.blob_id limit 1) b on b.tenant_id = r.tenant_id
  left join lateral (
    select x.run_id as id, x.tenant_id from engine.all_retries x where x.retry_of = r.id limit 1
  ) n on n.tenant_id = r.tenant_id
  left join lateral (select * from public.users x where x.user_id = r.created_by limit 1) u on u.tenant_id = r.tenant_id
  left join lateral (select x.name, x.tenant_id from public.api_keys x where x.key_id = r.created_by limit 1) k on k.tenant_id = r.tenant_id
  left join lateral (
    select e.run_id, e.claimed_at from engine.leases e
    where e.run_id = r.id and e.tenant_id = r.tenant_id
    order by e.claimed_at limit 1
  ) l on true
  left join lateral (${progressOf('r.id', 'r.tenant_id')}) g on l.run_id is not null`;
