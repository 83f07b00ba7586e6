// Rows of a file become items, a batch at a time. Most rows are plain: they travel as binary arrays, which cost the server a fraction of what a document of
// records does. Copies of earlier rows are SKIPPED and unreadable lines ERROR at once, each with its record.
import { int4Array, int8Array, jsonArray } from '../../../platform/binary-arrays.ts';
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

/** Rows of one statement, in the order of the file. `at`: the moment in microseconds since 1970, which no other piece of the job has. */
export interface Piece {
  readonly at: number;
  readonly rows: readonly NewItem[];
}

/** Plain rows as binary arrays, in the order of the file. */
export interface PackedRows {
  /** Indexes of the first row and behind the last. */
  readonly from: number;
  readonly to: number;
  readonly index: Buffer;
  readonly line: Buffer;
  readonly cells: Buffer;
  /** Null: no row has any. */
  readonly fields: Buffer | null;
  readonly fingerprints: Buffer | null;
}

/** Few rows, or rows of which nobody else stores any now. */
export async function insertItems(db: Queryable, target: ItemsTarget, { at, rows }: Piece): Promise<Inserted> {
  const plain = rows.filter((row) => !isOdd(row));
  const odd = rows.filter(isOdd);
  if (plain.length > 0) await insertPackedItems(db, target, at, packed(plain));
  const { errors, skipped } = odd.length > 0 ? await insertOddItems(db, target, odd) : nothingOdd;
  return { total: rows.length, errors, skipped };
}

export const nothingOdd = { errors: 0, skipped: 0 } as const;

const isOdd = ({ e, t }: NewItem) => e !== undefined || t !== undefined;

function packed(rows: readonly NewItem[]): PackedRows {
  const [cells, fields] = [rows.map(({ c }) => c), rows.map(({ n }) => n)];
  return {
    from: rows[0]?.i ?? 0,
    to: (rows.at(-1)?.i ?? 0) + 1,
    index: int4Array(rows.map(({ i }) => i)),
    line: int4Array(rows.map(({ l }) => l)),
    cells: jsonArray('json', cells),
    fields: fields.every((each) => each === null) ? null : jsonArray('jsonb', fields),
    fingerprints: int8Array(rows.map(({ f }) => f)),
  };
}

/**
 * Cells are checked to be JSON and stored as they came, and the arrays are unrolled side by side, not into tables first. Lists of what is pending find the rows by their piece.
 */
export async function insertPackedItems(
  db: Queryable,
  target: ItemsTarget,
  at: number,
  rows: PackedRows,
): Promise<void> {
  await db.query({
    name: 'items-insert-packed-items',
    text: `
      with moment as materialized (select timestamptz 'epoch' + $10::float8 * interval '1 microsecond' as at),
      piece as (
        insert into public.item_pieces (tenant_id, job_id, from_row, to_row, stored_at)
        select $2, $1, $11, $12, at from moment where $11::int < $12::int
      )
      insert into public.job_items (job_id, tenant_id, user_id, job_type, row_index, line, input_json, normalized_json, fingerprint,
                                    created_at, updated_at)
      select $1, $2, $3, $4, unnest($5::int[]), unnest($6::int[]), unnest($7::json[]), unnest($8::jsonb[]), unnest($9::bigint[]), at, at
      from moment`,
    values: [
      target.jobId,
      target.tenantId,
      target.userId,
      target.jobType,
      rows.index,
      rows.line,
      rows.cells,
      rows.fields,
      rows.fingerprints,
      at,
      rows.from,
      rows.to,
    ],
  });
}

const none: PackedRows = {
  from: 0,
  to: 0,
  index: int4Array([]),
  line: int4Array([]),
  cells: jsonArray('json', []),
  fields: null,
  fingerprints: null,
};

/** No row: what the connection's first statement takes longer than the others is behind it then. */
export const insertNothing = (db: Queryable, target: ItemsTarget) => insertPackedItems(db, target, 0, none);

/** Copies and unreadable lines, once every row before them is stored. Fingerprints only find candidates: a copy has the same cells. */
export async function insertOddItems(
  db: Queryable,
  target: ItemsTarget,
  rows: readonly NewItem[],
): Promise<Omit<Inserted, 'total'>> {
  const { rows: counted } = await db.query<Omit<Inserted, 'total'>>({
    name: 'items-insert-odd-items',
    text: `
      with given as materialized (
        select g.*, (select o.row_index from public.job_items o
                     where o.job_id = $1 and o.row_index = g.t and o.input_json::jsonb = g.c::jsonb limit 1) as twin
        from jsonb_to_recordset($6::jsonb) as g (i int, l int, c text, n text, f bigint, e text, m text, t int)
      ),
      inserted as (
        insert into public.job_items (job_id, tenant_id, user_id, job_type, row_index, line, input_json, normalized_json, fingerprint,
                                      status, error_code, last_error, next_attempt_at)
        select $1, $2, $4, $5, i, l, c::json, n::jsonb, f,
               case when e is not null then 'ERROR' when twin is not null then 'SKIPPED' else 'PENDING' end,
               coalesce(e, case when twin is not null then 'row_repeated' end),
               coalesce(m, case when twin is not null then 'Row ' || (twin + 1) || ' of the file is the same.' end),
               -- In no piece: due, like what comes back.
               case when e is null and twin is null then engine.now() end
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

/** First rows of their kind, for the attempt that continues to read the file. */
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
