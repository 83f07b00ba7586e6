// Claims of items one by one, for workers and kick-offs alike: those whose retry is due and those whose claimant went silent. `for update skip locked`: claimants never
// wait for each other. Each claim raises `claims`, which is the fence of the results.
import type { Queryable } from '../../../platform/database.ts';

export interface ClaimedItem {
  readonly id: string;
  readonly row_index: number;
  readonly input_json: Record<string, string> | null;
  readonly normalized_json: Record<string, string> | null;
  readonly corrections: Record<string, string> | null;
  readonly attempts: number;
  readonly errors: number;
  readonly not_founds: number;
  /** How often it was asked to wait. */
  readonly refusals: number;
  readonly claims: number;
}

export interface Claim {
  readonly jobId: string;
  readonly worker: string;
  readonly lockMs: number;
  readonly limit: number;
}

export const taken = `
  set status = 'PROCESSING', attempts = i.attempts + 1, claims = i.claims + 1, locked_by = $2, locked_at = engine.now(),
      lock_expires_at = engine.now() + $3 * interval '1 millisecond', next_attempt_at = null, updated_at = engine.now()`;
export const shown = `i.id::text, i.row_index, i.input_json, i.normalized_json, i.corrections, i.attempts, i.errors, i.not_founds, i.refusals, i.claims`;

/** Rows whose retry is due. */
export async function claimDue(db: Queryable, claim: Claim): Promise<ClaimedItem[]> {
  const { rows } = await db.query<ClaimedItem>({
    name: 'items-claim-due',
    text: `
      with picked as materialized (
        select id from public.job_items
        where job_id = $1 and status = 'PENDING' and next_attempt_at <= (select engine.now())
        order by next_attempt_at limit $4 for update skip locked
      )
      update public.job_items i ${taken} where i.id = any (array(select id from picked)) returning ${shown}`,
    values: [claim.jobId, claim.worker, claim.lockMs, claim.limit],
  });
  return rows;
}

/** Rows whose claimant has gone silent. Its attempt is recorded as lost; whatever it still answers is fenced off. */
export async function claimExpired(
  db: Queryable,
  claim: Claim,
  tenantId: string,
  runId: string,
): Promise<ClaimedItem[]> {
  const { rows } = await db.query<ClaimedItem>({
    name: 'items-claim-expired',
    text: `
      with picked as materialized (
        select id, claims, attempts, locked_by, locked_at from public.job_items
        where job_id = $1 and status = 'PROCESSING' and lock_expires_at <= (select engine.now())
        order by lock_expires_at limit $4 for update skip locked
      ),
      lost as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, worker, outcome, is_final, started_at)
        select $5, $1, id, claims, $6, attempts, locked_by, 'LOST', false, locked_at from picked
        on conflict do nothing
      )
      update public.job_items i ${taken} where i.id = any (array(select id from picked)) returning ${shown}`,
    values: [claim.jobId, claim.worker, claim.lockMs, claim.limit, tenantId, runId],
  });
  return rows;
}

/** While they are worked on. Those that are no longer ours are left alone. */
export async function renewLocks(db: Queryable, claim: Claim, ids: readonly string[]): Promise<void> {
  await db.query({
    name: 'items-renew-locks',
    text: `
      update public.job_items set lock_expires_at = engine.now() + $3 * interval '1 millisecond'
      where id = any ($4::bigint[]) and job_id is not distinct from $1 and locked_by = $2 and status is not distinct from 'PROCESSING'`,
    values: [claim.jobId, claim.worker, claim.lockMs, ids],
  });
}

/** Given back without an answer: the slice was stopped. Some may have been asked about, so the claim stays an attempt (process/idempotency-key.ts); what counts against them does not move. */
export async function giveBack(db: Queryable, jobId: string, worker: string, ids: readonly string[]): Promise<void> {
  await db.query({
    name: 'items-give-back',
    text: `
      update public.job_items
      set status = 'PENDING', next_attempt_at = engine.now(), locked_by = null, locked_at = null, lock_expires_at = null,
          updated_at = engine.now()
      where id = any ($3::bigint[]) and job_id is not distinct from $1 and locked_by = $2 and status is not distinct from 'PROCESSING'`,
    values: [jobId, worker, ids],
  });
}
