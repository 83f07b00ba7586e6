// What people do to items: process them again, correct their cells, delete them. Items at work are left alone. What starts again is due at once.
import type { Queryable } from '../../../platform/database.ts';
import { isIdle, isTried } from './at-work.ts';
import { inOrderOfIndex } from './in-order-of-index.ts';
import { holdClaims } from './jobs.ts';

const counted = `
  counted as (
    update public.item_jobs j
    set done_items = j.done_items - c.done, not_found_items = j.not_found_items - c.not_found,
        error_items = j.error_items - c.error, skipped_items = j.skipped_items - c.skipped, updated_at = engine.now()
    from (
      select count(*) filter (where status = 'DONE')::int as done, count(*) filter (where status = 'NOT_FOUND')::int as not_found,
             count(*) filter (where status = 'ERROR')::int as error, count(*) filter (where status = 'SKIPPED')::int as skipped
      from picked
    ) c
    where j.job_id = $1 and exists (select from picked)
  )`;
const restarted = `
  set status = 'PENDING', attempts = 0, errors = 0, not_founds = 0, refusals = 0, error_code = null, last_error = null, next_attempt_at = engine.now(),
      updated_at = engine.now()`;

/** Up to `limit` of them, from the row on; how many, and the last row. */
export async function reprocessByStatus(
  db: Queryable,
  jobId: string,
  statuses: readonly string[],
  afterRow: number,
  limit: number,
): Promise<{ readonly reset: number; readonly last_row: number | null }> {
  await holdClaims(db, jobId);
  await inOrderOfIndex(db);
  const { rows } = await db.query<{ reset: number; last_row: number | null }>({
    name: 'items-reprocess-by-status',
    text: `
      with picked as materialized (
        -- Status by status, in the order of their index: of several at once all of the job would be sorted for each piece.
        select p.* from (select distinct unnest($2::text[]) as status) s
        cross join lateral (
          select i.id, i.status, i.row_index from public.job_items i
          where i.job_id = $1 and (i.status, i.row_index) > (s.status, $3::int) and i.status <= s.status and ${isTried} and ${isIdle}
          order by i.status, i.row_index limit $4 for update
        ) p
        order by p.row_index limit $4
      ),
      ${counted},
      reset as (update public.job_items i ${restarted} where i.id = any (array(select id from picked)) returning i.row_index)
      select count(*)::int as reset, max(row_index) as last_row from reset`,
    values: [jobId, statuses, afterRow, limit],
  });
  return rows[0] as { reset: number; last_row: number | null };
}

export async function reprocessByIds(
  db: Queryable,
  jobId: string,
  ids: readonly string[],
  statuses: readonly string[] | null,
): Promise<number> {
  await holdClaims(db, jobId);
  const { rows } = await db.query<{ reset: number }>({
    name: 'items-reprocess-by-ids',
    text: `
      with picked as materialized (
        select i.id, i.status from public.job_items i
        where i.id = any ($2::bigint[]) and i.job_id is not distinct from $1 and ($3::text[] is null or i.status = any ($3)) and ${isIdle}
        order by i.row_index for update
      ),
      ${counted},
      reset as (update public.job_items i ${restarted} where i.id = any (array(select id from picked)) returning 1)
      select count(*)::int as reset from reset`,
    values: [jobId, ids, statuses],
  });
  return rows[0]?.reset ?? 0;
}

/** False: it is at work, or gone. */
export async function correctItem(
  db: Queryable,
  jobId: string,
  itemId: string,
  corrections: Readonly<Record<string, string>> | null,
): Promise<boolean> {
  await holdClaims(db, jobId);
  const { rows } = await db.query<{ reset: number }>({
    name: 'items-correct-item',
    text: `
      with picked as materialized (
        select i.id, i.status from public.job_items i where i.id = $2 and i.job_id is not distinct from $1 and ${isIdle} for update
      ),
      ${counted},
      reset as (update public.job_items i ${restarted}, corrections = $3 where i.id = any (array(select id from picked)) returning 1)
      select count(*)::int as reset from reset`,
    values: [jobId, itemId, corrections === null ? null : JSON.stringify(corrections)],
  });
  return (rows[0]?.reset ?? 0) === 1;
}

export async function markDeleted(db: Queryable, jobId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'items-mark-deleted',
    text: `update public.item_jobs set deleted_at = engine.now() where job_id = $1 and deleted_at is null`,
    values: [jobId],
  });
  return rowCount === 1;
}

/** Up to so many items with what they left; 0: there are no more. */
export async function deleteItems(db: Queryable, jobId: string, limit: number): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-delete-items',
    text: `
      with picked as materialized (
        select array(
          select id from public.job_items
          where job_id = $1
            and row_index >= (select row_index from public.job_items where job_id = $1 order by row_index limit 1)
            and row_index < (select row_index from public.job_items where job_id = $1 order by row_index limit 1) + $2) as ids
      ),
      attempts as (delete from public.item_attempts where job_id = $1 and item_id = any ((select ids from picked)::bigint[])),
      slices as (
        delete from public.item_slice_attempts
        where job_id = $1 and from_row < (select row_index from public.job_items where job_id = $1 order by row_index limit 1) + $2
      ),
      requests as (delete from public.search_events where job_id = $1 and item_id = any ((select ids from picked)::bigint[])),
      gone as (delete from public.job_items where id = any ((select ids from picked)::bigint[]) returning 1)
      select count(*)::int as n from gone`,
    values: [jobId, limit],
  });
  return rows[0]?.n ?? 0;
}

/** With what came in while its items went: whoever stored it held the job, so here it is seen. */
export async function deleteJob(db: Queryable, jobId: string): Promise<void> {
  await db.query({
    name: 'items-lock-job-to-delete',
    text: `select from public.item_jobs where job_id = $1 for update`,
    values: [jobId],
  });
  await db.query({
    name: 'items-delete-job',
    text: `
      with items as (delete from public.job_items where job_id = $1),
      attempts as (delete from public.item_attempts where job_id = $1),
      recorded as (delete from public.item_slice_attempts where job_id = $1),
      requests as (delete from public.search_events where job_id = $1),
      slices as (delete from public.item_slices where job_id = $1),
      pieces as (delete from public.item_pieces where job_id = $1)
      delete from public.item_jobs where job_id = $1`,
    values: [jobId],
  });
}
