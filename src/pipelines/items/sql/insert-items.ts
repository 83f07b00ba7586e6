// Rows of a file become items, a batch at a time. Most rows are plain: they travel as arrays and lines of JSON, which cost the server a third of what a document of
// records does. Copies of earlier rows are SKIPPED and unreadable lines ERROR at once, each with its record.
import type { Queryable } from '../../../platform/database.ts';

/** Short names: they are written for every row. */
export interface NewItem {
  /** Index and line. */
  readonly i: number;
  readonly l: number;
  /** Cells and fields, as JSON. */
  readonly c: string;
  readonly n: string | null;
  /** Fingerprint; null where copies are processed like any other row. */
  readonly f: number | null;
  /** Code and sentence of a row that is ERROR from the start. */
  readonly e?: string;
  readonly m?: string;
  /** The earlier row that has the same fingerprint. */
  readonly t?: number;
}

export interface ItemsTarget {
  readonly jobId: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly userId: number | null;
  readonly jobType: string;
}

export interface Inserted {
  readonly total: number;
  readonly errors: number;
  readonly skipped: number;
}

/** `before`: waits until earlier rows of the file are stored. Copies are compared with the row that came first, so they wait for it; all others do not. */
export async function insertItems(
  db: Queryable,
  target: ItemsTarget,
  rows: readonly NewItem[],
  before: () => Promise<unknown> = async () => undefined,
): Promise<Inserted> {
  const plain: NewItem[] = [];
  const odd: NewItem[] = [];
  for (const row of rows) (row.e === undefined && row.t === undefined ? plain : odd).push(row);
  if (plain.length > 0) await insertPlainItems(db, target, plain);
  await before();
  const { errors, skipped } = odd.length > 0 ? await insertOddItems(db, target, odd) : { errors: 0, skipped: 0 };
  return { total: rows.length, errors, skipped };
}

/** JSON has no line breaks of its own, so lines of it need no quotes. The clock is read once: row by row it cost as much as an index. */
async function insertPlainItems(db: Queryable, target: ItemsTarget, rows: readonly NewItem[]): Promise<void> {
  const hasFields = rows.some(({ n }) => n !== null);
  await db.query({
    name: 'items-insert-plain-items',
    text: `
      insert into public.job_items (job_id, tenant_id, user_id, job_type, row_index, line, input_json, normalized_json, fingerprint,
                                    created_at, updated_at)
      select $1, $2, $3, $4, i, l, c::jsonb, n::jsonb, f, (select engine.now()), (select engine.now())
      from unnest($5::int[], $6::int[], string_to_array($7, E'\\n'), string_to_array($8, E'\\n', ''), $9::bigint[]) as g (i, l, c, n, f)`,
    values: [
      target.jobId,
      target.tenantId,
      target.userId,
      target.jobType,
      `{${rows.map(({ i }) => i).join()}}`,
      `{${rows.map(({ l }) => l).join()}}`,
      rows.map(({ c }) => c).join('\n'),
      hasFields ? rows.map(({ n }) => n ?? '').join('\n') : null,
      `{${rows.map(({ f }) => f ?? 'null').join()}}`,
    ],
  });
}

/** Fingerprints only find candidates: a copy has the same cells. */
async function insertOddItems(
  db: Queryable,
  target: ItemsTarget,
  rows: readonly NewItem[],
): Promise<Omit<Inserted, 'total'>> {
  const { rows: counted } = await db.query<Omit<Inserted, 'total'>>({
    name: 'items-insert-odd-items',
    text: `
      with given as materialized (
        select g.*, (select o.row_index from public.job_items o
                     where o.job_id = $1 and o.row_index = g.t and o.input_json = g.c::jsonb limit 1) as twin
        from jsonb_to_recordset($6::jsonb) as g (i int, l int, c text, n text, f bigint, e text, m text, t int)
      ),
      inserted as (
        insert into public.job_items (job_id, tenant_id, user_id, job_type, row_index, line, input_json, normalized_json, fingerprint,
                                      status, error_code, last_error)
        select $1, $2, $4, $5, i, l, c::jsonb, n::jsonb, f,
               case when e is not null then 'ERROR' when twin is not null then 'SKIPPED' else 'PENDING' end,
               coalesce(e, case when twin is not null then 'row_repeated' end),
               coalesce(m, case when twin is not null then 'Row ' || (twin + 1) || ' of the file is the same.' end)
        from given order by i
        returning id, status, error_code, last_error
      ),
      recorded as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, outcome, is_final, error_code, detail, started_at)
        select $2, $1, id, 0, $3, 0, status, true, error_code, last_error, engine.now() from inserted where status <> 'PENDING'
      )
      select count(*) filter (where status = 'ERROR')::int as errors, count(*) filter (where status = 'SKIPPED')::int as skipped
      from inserted`,
    values: [target.jobId, target.tenantId, target.runId, target.userId, target.jobType, JSON.stringify(rows)],
  });
  return counted[0] as Omit<Inserted, 'total'>;
}

export interface KnownRow {
  readonly row_index: number;
  readonly fingerprint: number;
}

/** First rows of their kind, for whoever goes on reading the file. */
export async function listFingerprints(
  db: Queryable,
  jobId: string,
  afterRow: number,
  limit: number,
): Promise<readonly KnownRow[]> {
  const { rows } = await db.query<{ row_index: number; fingerprint: string }>({
    name: 'items-list-fingerprints',
    text: `
      select row_index, coalesce(fingerprint, -1)::text as fingerprint from public.job_items
      where job_id = $1 and row_index > $2
        and row_index < (select row_index from public.job_items where job_id = $1 and row_index > $2 order by row_index limit 1) + $3
      order by row_index`,
    values: [jobId, afterRow, limit],
  });
  return rows.map(({ row_index, fingerprint }) => ({ row_index, fingerprint: Number(fingerprint) }));
}
