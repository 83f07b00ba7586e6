// Items as grid, pending views, export and single items read them. Keyset only; each listing's order is exactly its index. Times travel as text with
// microseconds: a Date would drop them, and rows of one millisecond would be missed or come twice.
import type { Queryable } from '../../../platform/database.ts';
import { isFresh, isTried, itemsOfSlices, shownLock, shownStatus, withSlice } from './at-work.ts';
import { inOrderOfIndex } from './in-order-of-index.ts';

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

export const micros = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const shown = `i.id::text, i.row_index, i.line, ${shownStatus} as status, i.attempts, i.strategy, i.error_code, i.last_error, ${shownLock},
  i.next_attempt_at, i.updated_at, ${micros('i.updated_at')} as updated_text, i.input_json, i.corrections, i.result_json`;
/** What the grid shows of the item: cells with the corrections over them, result and reason. Names of columns are no text; a first look at all of it at once passes over most rows. */
const matching = `
  ($3::text is null or case when $4::text is null
     then ($5::text is null or lower(concat_ws(' ', i.input_json::text, i.corrections::text, i.result_json::text, i.last_error)) like $5)
       and exists (
         select from (
           select value from jsonb_each_text(coalesce(i.input_json::jsonb, '{}') || coalesce(i.corrections, '{}'))
           union all select value from jsonb_each_text(coalesce(i.result_json, '{}'))
           union all select i.last_error
         ) shown_text where lower(value) like $3)
     else lower(coalesce(i.corrections ->> $4, i.input_json ->> $4, i.result_json ->> $4, '')) like $3 end)
  and ($6::timestamptz is null or i.updated_at > $6)`;

export interface GridPage {
  readonly jobId: string;
  readonly afterRow: number;
  /** Part of a cell, in lower case; null: whatever. */
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
      where i.job_id = $1 and i.row_index > $2 and ${matching}
      order by i.row_index limit $7`,
    values: valuesOf(page),
  });
  return rows;
}

/**
 * Of some statuses, in the order of the file; rare ones are found at once in a job of millions. Status by status, each in the order of its index: given as a span the status
 * stays in that order, which no other index has. Rows that were never tried lie behind the last one that was claimed, or in a live slice.
 */
export async function listItemsOfStatuses(
  db: Queryable,
  page: GridPage & { readonly statuses: readonly string[] },
): Promise<ItemRow[]> {
  await inOrderOfIndex(db);
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-of-statuses',
    text: `
      (select t.* from (select distinct unnest($8::text[]) as status) s cross join lateral (
         select ${shown} from public.job_items i ${withSlice}
         where i.job_id = $1 and (i.status, i.row_index) > (s.status, $2::int) and i.status <= s.status and ${isTried} and ${matching}
         order by i.status, i.row_index limit $7
       ) t order by t.row_index limit $7)
      union all
      (select ${shown} from public.job_items i ${withSlice}
       where 'PENDING' = any ($8) and i.job_id = $1 and ${isFresh('i')} and i.row_index > $2
         and i.row_index >= (select j.next_row from public.item_jobs j where j.job_id = $1) and ${matching}
       order by i.row_index limit $7)
      union all
      (select ${shown} from public.job_items i ${withSlice}
       where 'PROCESSING' = any ($8) and i.id = any (array(
           (select p.id from public.job_items p where p.job_id = $1 and p.status = 'PROCESSING' and p.row_index > $2 order by p.lock_expires_at)
           union all ${itemsOfSlices('$1', 'p.id')} and p.row_index > $2))
         and ${matching}
       order by i.row_index limit $7)
      order by row_index limit $7`,
    values: [...valuesOf(page), page.statuses],
  });
  return rows;
}

/** Those that are on somebody's screen. */
export async function listItemsByIds(db: Queryable, jobId: string, ids: readonly string[]): Promise<ItemRow[]> {
  const { rows } = await db.query<ItemRow>({
    name: 'items-list-by-ids',
    text: `
      select ${shown} from public.job_items i ${withSlice}
      where i.id = any ($2::bigint[]) and i.job_id is not distinct from $1 order by i.row_index`,
    values: [jobId, ids],
  });
  return rows;
}

function valuesOf({ jobId, afterRow, text, column, since, limit }: GridPage): unknown[] {
  const pattern = text === null ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  // In JSON some characters do not stand as they are.
  const isPlain = text !== null && JSON.stringify(text) === `"${text}"`;
  return [jobId, afterRow, pattern, column, isPlain ? pattern : null, since, limit];
}

/** The moment of a listing, with microseconds. */
export async function readMoment(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ now: string }>({
    name: 'items-read-moment',
    text: `select ${micros('engine.now()')} as now`,
  });
  return rows[0]?.now ?? '';
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
