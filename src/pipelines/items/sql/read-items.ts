// Items as grid, pending views, export and single items read them. Keyset only; each listing's order is exactly its index. Times travel as text with
// microseconds: a Date would drop them, and rows of one millisecond would be missed or come twice.
import type { Queryable } from '../../../platform/database.ts';
import { itemsOfSlices, shownLock, shownStatus, withSlice } from './at-work.ts';

export interface ItemRow {
  readonly id: string;
  readonly row_index: number;
  readonly line: number | null;
  readonly status: string;
  readonly attempts: number;
  readonly strategy: string | null;
  readonly error_code: string | null;
  readonly last_error: string | null;
  readonly locked_by: string | null;
  readonly locked_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly updated_at: Date | null;
  readonly updated_text: string | null;
  readonly input_json: Record<string, string> | null;
  readonly corrections: Record<string, string> | null;
  readonly result_json: Record<string, unknown> | null;
}

const micros = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const shown = `i.id::text, i.row_index, i.line, ${shownStatus} as status, i.attempts, i.strategy, i.error_code, i.last_error, ${shownLock},
  i.next_attempt_at, i.updated_at, ${micros('i.updated_at')} as updated_text, i.input_json, i.corrections, i.result_json`;
const matching = `
  ($4::text is null or case when $5::text is null
     then lower(concat_ws(' ', i.input_json::text, i.corrections::text, i.result_json::text)) like $4
     else lower(coalesce(i.corrections ->> $5, i.input_json ->> $5, i.result_json ->> $5, '')) like $4 end)
  and ($6::timestamptz is null or i.updated_at > $6)`;

export interface GridPage {
  readonly jobId: string;
  /** Null: every one. */
  readonly statuses: readonly string[] | null;
  readonly afterRow: number;
  /** Part of a cell, in lower case, as a LIKE pattern; null: whatever. */
  readonly text: string | null;
  readonly column: string | null;
  readonly since: string | null;
  readonly limit: number;
}

/** In the order of the file. A filter by text reads on until the page is full. */
export async function listItemsInOrder(db: Queryable, page: GridPage): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-in-order',
    text: `
      select ${shown} from public.job_items i ${withSlice}
      where i.job_id = $1 and i.row_index > $3 and ($2::text[] is null or ${shownStatus} = any ($2)) and ${matching}
      order by i.row_index limit $7`,
    values: [page.jobId, page.statuses, page.afterRow, page.text, page.column, page.since, page.limit],
  });
  return rows;
}

/** One status alone has an index of its own: rare ones are found at once in a job of millions. */
export async function listItemsOfStatus(
  db: Queryable,
  page: GridPage & { readonly status: string },
): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-of-status',
    text: `
      select ${shown} from public.job_items i ${withSlice}
      where i.job_id = $1 and i.status = $2 and i.row_index > $3 and w.locked_by is null and ${matching}
      order by i.row_index limit $7`,
    values: [page.jobId, page.status, page.afterRow, page.text, page.column, page.since, page.limit],
  });
  return rows;
}

/** PROCESSING alone: as many as there are workers' slices, wherever they are in the job. */
export async function listItemsAtWork(db: Queryable, page: GridPage): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-at-work',
    text: `
      select ${shown} from public.job_items i ${withSlice}
      where i.id = any (array(
          select p.id from public.job_items p where p.job_id = $1 and p.status = 'PROCESSING' and p.row_index > $2
          union all ${itemsOfSlices('$1', 'p.id')} and p.row_index > $2))
        and $3::text is null and ${matching}
      order by i.row_index limit $7`,
    values: [page.jobId, page.afterRow, null, page.text, page.column, page.since, page.limit],
  });
  return rows;
}

/** The moment of a listing, with microseconds. */
export async function readMoment(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ now: string }>({
    name: 'items-read-moment',
    text: `select ${micros('engine.now()')} as now`,
  });
  return rows[0]?.now ?? '';
}

export interface ChangePage {
  readonly jobId: string;
  readonly statuses: readonly string[];
  readonly afterTime: string | null;
  readonly afterId: string;
  readonly asOf: string;
  readonly limit: number;
}

/**
 * Open items by their last change. `i.id`: a plain id would be the text of the answer, and sorted as such. What has changed since the listing began is left to `since`, so that nothing comes twice.
 */
export async function listPendingOfJob(db: Queryable, page: ChangePage): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-pending-of-job',
    text: `
      select ${shown} from public.job_items i ${withSlice}
      where i.job_id = $1 and array_position($2::text[], ${shownStatus}) is not null
        -- Says the same as status in ('PENDING', 'PROCESSING'), but opens only the index of pending items: by that of all statuses the whole job would be sorted.
        and (i.status = 'PENDING' and i.updated_at > '-infinity' or i.status = 'PROCESSING' and i.locked_by is not null)
        and (i.updated_at, i.id) > ($3::timestamptz, $4::bigint)
        and i.updated_at <= $5::timestamptz
      order by i.updated_at, i.id limit $6`,
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

/** What opens the index of open items by owner, and only that: claims of one job say less, and do not go by it. */
const isOpen = (item: string) => `${item}.status in ('PENDING', 'PROCESSING') and ${item}.updated_at > '-infinity'`;

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
const wanted = `i.status in ('PENDING', 'PROCESSING') and array_position($2::text[], ${shownStatus}) is not null
        and ($3::text is null or i.job_type = $3) and ($4::uuid is null or i.job_id = $4)
        and i.updated_at > '-infinity' and ($5::timestamptz is null or i.updated_at >= $5) and ($6::timestamptz is null or i.updated_at < $6)
        and (i.updated_at, i.id) > ($7::timestamptz, $8::bigint) and i.updated_at <= $9::timestamptz
        and (select j.deleted_at from public.item_jobs j where j.job_id = i.job_id limit 1) is null`;

export async function listPendingOfUser(
  db: Queryable,
  page: PendingPage & { readonly userId: number },
): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>({
    name: 'items-list-pending-of-user',
    text: `
      select ${summary} from public.job_items i ${withSlice}
      where i.tenant_id = $1 and i.user_id = $11 and ${wanted}
      order by i.updated_at, i.id limit $10`,
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
      order by p.at, p.place limit $10`,
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

/** From the small index of open items. */
export async function countPending(db: Queryable, tenantId: string, userId: number | null): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-count-pending',
    text: `
      select count(*)::int as n from public.job_items i
      where i.tenant_id = $1 and ${isOpen('i')} and ($2::bigint is null or i.user_id = $2)`,
    values: [tenantId, userId],
  });
  return rows[0]?.n ?? 0;
}

/** With what was recognised in it. */
export type SingleItem = ItemRow & { readonly normalized_json: Record<string, string> | null };

export async function selectItem(db: Queryable, jobId: string, itemId: string): Promise<SingleItem | undefined> {
  const { rows } = await db.query<SingleItem>({
    name: 'items-select-item',
    text: `select ${shown}, i.normalized_json from public.job_items i ${withSlice} where i.id = $2 and i.job_id is not distinct from $1`,
    values: [jobId, itemId],
  });
  return rows[0];
}

export interface AttemptRow {
  readonly attempt: number;
  readonly run_id: string;
  readonly worker: string | null;
  readonly strategy: string | null;
  readonly outcome: string;
  readonly is_final: boolean;
  readonly error_code: string | null;
  readonly detail: string | null;
  readonly answer: unknown;
  readonly request_ms: number | null;
  readonly next_attempt_at: Date | null;
  readonly started_at: Date;
  readonly ended_at: Date;
}

const MOST_SHOWN = 500;
/** The most that CLAIM_MAX may be. */
const WIDEST_SLICE = 100_000;

export async function listAttempts(db: Queryable, jobId: string, itemId: string): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'items-list-attempts',
    text: `
      select attempt, run_id, worker, strategy, outcome, is_final, error_code, detail, answer, request_ms, next_attempt_at, started_at, ended_at
      from (
        select claim, attempt, run_id, worker, strategy, outcome, is_final, error_code, detail, answer, request_ms, next_attempt_at, started_at, ended_at
        from public.item_attempts where job_id = $1 and item_id = $2::bigint
        union all
        select 1, 1, s.run_id, s.worker, s.strategy, 'FOUND', true, null, null, null, s.request_ms[array_position(s.item_ids, $2::bigint)], null, s.started_at, s.ended_at
        from public.item_slice_attempts s
        where s.job_id = $1 and s.from_row <= (select row_index from public.job_items where id = $2 limit 1)
          and s.from_row > (select row_index from public.job_items where id = $2 limit 1) - ${WIDEST_SLICE}
          and s.to_row > (select row_index from public.job_items where id = $2 limit 1) and array_position(s.item_ids, $2::bigint) is not null
      ) a
      order by claim desc limit ${MOST_SHOWN}`,
    values: [jobId, itemId],
  });
  return rows;
}

export interface RequestShown {
  readonly strategy: string;
  readonly provider: string;
  readonly ms: number;
  readonly outcome: string;
  readonly created_at: Date;
}

export async function listRequests(db: Queryable, jobId: string, itemId: string): Promise<RequestShown[]> {
  const { rows } = await db.query<RequestShown>({
    name: 'items-list-requests',
    text: `
      select strategy, provider, ms, outcome, created_at from public.search_events
      where job_id = $1 and item_id = $2 order by id desc limit ${MOST_SHOWN}`,
    values: [jobId, itemId],
  });
  return rows;
}
