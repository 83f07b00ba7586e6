// Who is at work on an item. Slow items are claimed one by one, in their own row; of quick ones a range of rows is claimed at once (item_slices), and the rows do not change
// until they have their fate. Readers see both as PROCESSING.

/** Never tried. "is not distinct from" is no way into an index: such rows are found by their numbers. */
export const isFresh = (item: string) =>
  `${item}.status is not distinct from 'PENDING' and ${item}.next_attempt_at is null`;

/** What is in the index of statuses: ended, or to be tried again. */
export const isTried = `(i.status in ('DONE', 'ERROR', 'NOT_FOUND', 'SKIPPED') or i.next_attempt_at is not null)`;

/** `w` is the live slice that the item `i` is in, if any. */
export const withSlice = `
  left join lateral (
    select s.locked_by, s.locked_at from public.item_slices s
    where i.status = 'PENDING' and i.next_attempt_at is null
      and s.job_id = i.job_id and s.from_row <= i.row_index and s.to_row > i.row_index
    order by s.from_row desc limit 1
  ) w on true`;
export const shownStatus = `case when w.locked_by is null then i.status else 'PROCESSING' end`;
export const shownLock = `coalesce(i.locked_by, w.locked_by) as locked_by, coalesce(i.locked_at, w.locked_at) as locked_at`;

/** Items of the slices of the job `job`: slice by slice, which `offset 0` keeps so. */
export const itemsOfSlices = (job: string, columns: string) => `
  select ${columns} from public.item_slices s cross join lateral (
    select * from public.job_items r
    where r.job_id = s.job_id and r.row_index >= s.from_row and r.row_index < s.to_row and r.status is not distinct from 'PENDING' and r.next_attempt_at is null
    offset 0
  ) p
  where s.job_id = ${job}`;

/** Nobody is at work on the item `i`. Only under the lock of its job (holdClaims) does that stay so. */
export const isIdle = `
  i.status <> 'PROCESSING' and not (i.status = 'PENDING' and i.next_attempt_at is null and exists (
    select from public.item_slices s where s.job_id = i.job_id and s.from_row <= i.row_index and s.to_row > i.row_index))`;
