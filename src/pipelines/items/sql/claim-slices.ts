// Rows that were never tried are claimed in the order of the file: the job knows the next one, so that nothing is looked for. Of quick items the range alone is claimed
// (item_slices); the items change once, with their fate. "is not distinct from" is no way into an index: the rows are found by their numbers alone.
import type { Queryable } from '../../../platform/database.ts';
import { type Claim, type ClaimedItem, shown, taken } from './claim-items.ts';

export interface Look {
  readonly paused_by: string | null;
  readonly has_silent_slice: boolean;
  readonly has_silent_items: boolean;
  readonly has_due: boolean;
}

/** Whether there is anything before rows that were never tried: one look instead of three claims without result, each at the first entry of its index. */
export async function lookBeforeClaim(db: Queryable, jobId: string): Promise<Look> {
  const { rows } = await db.query<Look>({
    name: 'items-look-before-claim',
    text: `
      select (select coalesce(paused_by, '') from public.item_jobs where job_id = $1 and paused_at is not null) as paused_by,
             coalesce((select min(lock_expires_at) from public.item_slices where job_id = $1) <= engine.now(), false) as has_silent_slice,
             coalesce((select lock_expires_at from public.job_items
                       where job_id = $1 and status = 'PROCESSING' order by lock_expires_at limit 1) <= engine.now(), false) as has_silent_items,
             coalesce((select next_attempt_at from public.job_items
                       where job_id = $1 and status = 'PENDING' and next_attempt_at is not null
                       order by next_attempt_at limit 1) <= engine.now(), false) as has_due`,
    values: [jobId],
  });
  return rows[0] as Look;
}

export interface RowRange {
  readonly from_row: number;
  readonly to_row: number;
}

/** The next rows are this transaction's. Undefined: all have been claimed. */
export async function advanceJob(db: Queryable, jobId: string, limit: number): Promise<RowRange | undefined> {
  const { rows } = await db.query<RowRange>({
    name: 'items-advance-job',
    text: `
      with here as materialized (
        select next_row, least(total_items, next_row + $2) as to_row from public.item_jobs
        where job_id = $1 and next_row < total_items for no key update
      )
      update public.item_jobs j set next_row = h.to_row from here h where j.job_id = $1 returning h.next_row as from_row, h.to_row`,
    values: [jobId, limit],
  });
  return rows[0];
}

/** Item by item: whoever looks sees each at work, with the moment at which it was claimed. A statement of its own: it must see what advanceJob waited for. */
export async function claimRows(db: Queryable, claim: Claim, { from_row: from, to_row: to }: RowRange) {
  const { rows } = await db.query<ClaimedItem>({
    name: 'items-claim-rows',
    text: `
      update public.job_items i ${taken}
      where i.job_id = $1 and i.row_index >= $4 and i.row_index < $5 and i.status is not distinct from 'PENDING' and i.next_attempt_at is null
      returning ${shown}`,
    values: [claim.jobId, claim.worker, claim.lockMs, from, to],
  });
  return rows;
}

/** As a slice: the next rows are the claimant's from here on, and none of them changes. Undefined: all have been claimed. */
export async function claimSlice(db: Queryable, claim: Claim, tenantId: string): Promise<RowRange | undefined> {
  const { rows } = await db.query<RowRange>({
    name: 'items-claim-slice',
    text: `
      with here as materialized (
        select next_row, least(total_items, next_row + $5) as to_row from public.item_jobs
        where job_id = $1 and next_row < total_items for no key update
      ),
      moved as (update public.item_jobs j set next_row = h.to_row from here h where j.job_id = $1 returning h.next_row as from_row, h.to_row)
      insert into public.item_slices (tenant_id, job_id, from_row, to_row, locked_by, lock_expires_at)
      select $2, $1, from_row, to_row, $3, engine.now() + $4 * interval '1 millisecond' from moved
      returning from_row, to_row`,
    values: [claim.jobId, tenantId, claim.worker, claim.lockMs, claim.limit],
  });
  return rows[0];
}

/**
 * The items of a slice, which were never tried. A statement of its own: it must see what claimSlice waited for. Only what differs from item to item is sent: there are
 * thousands a second.
 */
export async function readSlice(
  db: Queryable,
  jobId: string,
  { from_row: from, to_row: to }: RowRange,
): Promise<ClaimedItem[]> {
  const { rows } = await db.query<Pick<ClaimedItem, 'id' | 'row_index' | 'input_json' | 'normalized_json' | 'claims'>>({
    name: 'items-read-slice',
    text: `
      select i.id::text, i.row_index, i.input_json, i.normalized_json, i.claims + 1 as claims
      from public.job_items i
      where i.job_id = $1 and i.row_index >= $2 and i.row_index < $3 and i.status is not distinct from 'PENDING' and i.next_attempt_at is null
      order by i.row_index`,
    values: [jobId, from, to],
  });
  return rows.map(({ id, row_index: row, input_json: input, normalized_json: fields, claims }) => ({
    id,
    row_index: row,
    input_json: input,
    normalized_json: fields,
    corrections: null,
    attempts: claims,
    errors: 0,
    not_founds: 0,
    refusals: 0,
    claims,
  }));
}

/**
 * A slice whose claimant has gone silent: what it has not decided is recorded as lost and due now, item by item. Whatever it still answers is fenced off, because its slice is
 * gone. How many slices.
 */
export async function breakUpSlice(db: Queryable, jobId: string, tenantId: string, runId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-break-up-slice',
    text: `
      with expired as materialized (
        select from_row, to_row, locked_by, locked_at from public.item_slices
        where job_id = $1 and lock_expires_at <= (select engine.now())
        order by from_row limit 1 for update skip locked
      ),
      returned as (
        update public.job_items i
        set attempts = i.attempts + 1, claims = i.claims + 1, next_attempt_at = engine.now(), updated_at = engine.now()
        where i.job_id = $1 and i.row_index >= (select from_row from expired) and i.row_index < (select to_row from expired)
          and i.status is not distinct from 'PENDING' and i.next_attempt_at is null
        returning i.id, i.claims, i.attempts
      ),
      lost as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, worker, outcome, is_final, started_at)
        select $2, $1, r.id, r.claims, $3, r.attempts, e.locked_by, 'LOST', false, e.locked_at from returned r cross join expired e
        on conflict do nothing
      ),
      gone as (delete from public.item_slices where job_id = $1 and from_row = (select from_row from expired))
      select count(*)::int as n from expired`,
    values: [jobId, tenantId, runId],
  });
  return rows[0]?.n ?? 0;
}

export async function renewSlice(db: Queryable, claim: Claim, fromRow: number): Promise<void> {
  await db.query({
    name: 'items-renew-slice',
    text: `
      update public.item_slices set lock_expires_at = engine.now() + $4 * interval '1 millisecond'
      where job_id = $1 and from_row = $2 and locked_by = $3`,
    values: [claim.jobId, fromRow, claim.worker, claim.lockMs],
  });
}

/** Given back untouched, at no cost: what is left of it is due now. */
export async function giveBackSlice(db: Queryable, jobId: string, worker: string, fromRow: number): Promise<void> {
  await db.query({
    name: 'items-give-back-slice',
    text: `
      with slice as (delete from public.item_slices where job_id = $1 and from_row = $2 and locked_by = $3 returning from_row, to_row)
      update public.job_items i set next_attempt_at = engine.now(), updated_at = engine.now()
      where i.job_id = $1 and i.row_index >= (select from_row from slice) and i.row_index < (select to_row from slice)
        and i.status is not distinct from 'PENDING' and i.next_attempt_at is null`,
    values: [jobId, fromRow, worker],
  });
}
