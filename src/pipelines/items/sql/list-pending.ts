// Open items by their last change: of a job, of a person, of a tenant. Items that were tried have indexes in this order. Those that were not lie in pieces (item_pieces), whose rows
// were stored at one moment each: piece by piece, and in a piece row by row, is the same order. Times travel as text with microseconds, as in read-items.ts.
import type { Queryable } from '../../../platform/database.ts';
import { isFresh, shownLock, shownStatus, withSlice } from './at-work.ts';
import { type ItemRow, micros, shown } from './read-items.ts';

/** What opens the indexes of waiting items, and only those: of all statuses the whole job would be sorted. */
const isWaiting = (item: string) => `
  (${item}.status = 'PROCESSING' and ${item}.locked_by is not null or ${item}.status = 'PENDING' and ${item}.next_attempt_at is not null)`;

/** Rows before it are no fresh ones. */
const firstFresh = (job: string) => `
  (select least(f.next_row, (select min(s.from_row) from public.item_slices s where s.job_id = ${job}))
   from public.item_jobs f where f.job_id = ${job})`;

/** Places of the listing's values in the statement. */
interface Places {
  readonly job: string;
  readonly afterTime: string;
  readonly afterId: string;
  readonly asOf: string;
  readonly limit: string;
}

/** Fresh items of one job behind the cursor. The item of the cursor says how much of its piece was seen: without it a late page would read the piece from its beginning. */
const freshOf = (columns: string, wanted: string, { job, afterTime, afterId, asOf, limit }: Places) => `
  select q.* from public.item_pieces p cross join lateral (
    select ${columns}, i.updated_at as at, i.id as place from public.job_items i ${withSlice}
    where i.job_id = p.job_id and i.row_index < p.to_row
      and i.row_index >= greatest(p.from_row, ${firstFresh(job)}, (
        select c.row_index + 1 from public.job_items c
        where c.id = ${afterId}::bigint and c.job_id is not distinct from p.job_id and c.created_at = p.stored_at and p.stored_at = ${afterTime}::timestamptz))
      and ${isFresh('i')} and i.updated_at = p.stored_at and (i.updated_at, i.id) > (${afterTime}::timestamptz, ${afterId}::bigint) and ${wanted}
    order by i.row_index limit ${limit}
  ) q
  where p.job_id = ${job} and p.stored_at >= ${afterTime}::timestamptz and p.stored_at <= ${asOf}::timestamptz and p.to_row > ${firstFresh(job)}
  order by p.stored_at, q.place limit ${limit}`;

export interface ChangePage {
  readonly jobId: string;
  readonly statuses: readonly string[];
  readonly afterTime: string | null;
  readonly afterId: string;
  readonly asOf: string;
  readonly limit: number;
}

/** What has changed since the listing began is left to `since`, so that nothing comes twice. */
export async function listPendingOfJob(db: Queryable, page: ChangePage): Promise<ItemRow[]> {
  const wanted = `array_position($2::text[], ${shownStatus}) is not null`;
  const places = { job: '$1', afterTime: '$3', afterId: '$4', asOf: '$5', limit: '$6' };
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-pending-of-job',
    text: `
      (select ${shown}, i.updated_at as at, i.id as place from public.job_items i ${withSlice}
       where i.job_id = $1 and ${wanted} and ${isWaiting('i')}
         and (i.updated_at, i.id) > ($3::timestamptz, $4::bigint) and i.updated_at <= $5::timestamptz
       order by i.updated_at, i.id limit $6)
      union all (${freshOf(shown, wanted, places)})
      order by at, place limit $6`,
    values: [page.jobId, page.statuses, startOf(page), page.afterId, page.asOf, page.limit],
  });
  return rows;
}

export interface PendingRow {
  readonly id: string;
  readonly job_id: string;
  readonly user_id: number | null;
  readonly job_type: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly locked_by: string | null;
  readonly locked_at: Date | null;
  readonly updated_text: string;
  readonly title: string | null;
  readonly brand: string | null;
  readonly sku: string | null;
}

export interface PendingPage {
  readonly tenantId: string;
  /** Null: everybody's. */
  readonly userId: number | null;
  readonly statuses: readonly string[];
  readonly jobType: string | null;
  readonly jobId: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly afterTime: string | null;
  readonly afterId: string;
  readonly asOf: string;
  readonly limit: number;
}

const SUMMARY = 120;
const summary = `i.id::text, i.job_id, i.user_id, i.job_type, ${shownStatus} as status, i.attempts, ${shownLock}, ${micros('i.updated_at')} as updated_text,
  left(coalesce(i.corrections ->> 'title', i.normalized_json ->> 'title'), ${SUMMARY}) as title,
  left(i.normalized_json ->> 'brand', ${SUMMARY}) as brand, left(i.normalized_json ->> 'sku', ${SUMMARY}) as sku`;
const inTime = `array_position($2::text[], ${shownStatus}) is not null
        and ($5::timestamptz is null or i.updated_at >= $5) and ($6::timestamptz is null or i.updated_at < $6)`;
/** Only the indexes of waiting items by owner are opened by it: claims of one job say less, and do not go by them. */
const isOpen = (item: string) => `${isWaiting(item)} and ${item}.updated_at > '-infinity'`;
const wanted = `${isOpen('i')} and ${inTime}
        and ($3::text is null or i.job_type = $3) and ($4::uuid is null or i.job_id = $4)
        and (i.updated_at, i.id) > ($7::timestamptz, $8::bigint) and i.updated_at <= $9::timestamptz
        and (select j.deleted_at from public.item_jobs j where j.job_id = i.job_id limit 1) is null`;

const openJobs = `j.tenant_id = $1 and j.deleted_at is null and j.done_items + j.not_found_items + j.error_items + j.skipped_items < j.total_items`;
/** Fresh items of open jobs: of each as many as the page takes. */
const freshOfJobs = (more: string) => `
  select f.* from public.item_jobs j cross join lateral (
    ${freshOf(summary, inTime, { job: 'j.job_id', afterTime: '$7', afterId: '$8', asOf: '$9', limit: '$10' })}
  ) f
  where ${openJobs} and ($3::text is null or j.job_type = $3) and ($4::uuid is null or j.job_id = $4) and ${more}`;

export async function listPendingOfUser(
  db: Queryable,
  page: PendingPage & { readonly userId: number },
): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'items-list-pending-of-user',
    text: `
      (select ${summary}, i.updated_at as at, i.id as place from public.job_items i ${withSlice}
       where i.tenant_id = $1 and i.user_id = $11 and ${wanted}
       order by i.updated_at, i.id limit $10)
      union all (${freshOfJobs('j.user_id = $11')})
      order by at, place limit $10`,
    values: [...valuesOf(page), page.userId],
  });
  return rows;
}

/** User by user, as the index has them: of each as many as the page takes, then the first of all. The last of `owners` is null: what nobody uploaded. */
export async function listPendingOfAll(db: Queryable, page: PendingPage): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'items-list-pending-of-all',
    text: `
      with recursive owners as (
        (select n.user_id from public.job_items n where n.tenant_id = $1 and ${isOpen('n')} order by n.user_id limit 1)
        union all
        select (select n.user_id from public.job_items n
                where n.tenant_id = $1 and ${isOpen('n')} and n.user_id > o.user_id
                order by n.user_id limit 1)
        from owners o where o.user_id is not null
      )
      select p.* from owners o cross join lateral (
        (select ${summary}, i.updated_at as at, i.id as place from public.job_items i ${withSlice}
         where i.tenant_id = $1 and i.user_id = o.user_id and ${wanted} order by i.updated_at, i.id limit $10)
        union all
        (select ${summary}, i.updated_at, i.id from public.job_items i ${withSlice}
         where o.user_id is null and i.tenant_id = $1 and i.user_id is null and ${wanted} order by i.updated_at, i.id limit $10)
      ) p
      union all (${freshOfJobs('true')})
      order by at, place limit $10`,
    values: valuesOf(page),
  });
  return rows;
}

function valuesOf(page: PendingPage): unknown[] {
  const { tenantId, statuses, jobType, jobId, from, to, afterId, asOf, limit } = page;
  return [tenantId, statuses, jobType, jobId, from, to, startOf(page), afterId, asOf, limit];
}

/** A `coalesce` in the statement would be no place in the index, as row-level security sees it: a later page would read all pages before it. */
const startOf = ({ afterTime }: { readonly afterTime: string | null }) => afterTime ?? '-infinity';

/** From the counters of open jobs. */
export async function countPending(db: Queryable, tenantId: string, userId: number | null): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-count-pending',
    text: `
      select coalesce(sum(j.total_items - (j.done_items + j.not_found_items + j.error_items + j.skipped_items)), 0)::int as n
      from public.item_jobs j where ${openJobs} and ($2::bigint is null or j.user_id = $2)`,
    values: [tenantId, userId],
  });
  return rows[0]?.n ?? 0;
}
