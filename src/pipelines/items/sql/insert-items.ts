// Rows of a file become items: one statement per batch. Copies of earlier rows are SKIPPED and unreadable lines ERROR at once, each with its record.
import type { Queryable } from '../../../platform/database.ts';

/** Short names: they are written for every row. */
export interface NewItem {
  /** Index and line. */
  readonly i: number;
  readonly l: number;
  /** Cells and fields. */
  readonly c: Readonly<Record<string, string>>;
  readonly n: Readonly<Record<string, string>> | null;
  /** Fingerprint; null where copies are processed like any other row. */
  readonly f: number | null;
  /** Code and sentence of a row that is ERROR from the start. */
  readonly e?: string;
  readonly m?: string;
  /** The earlier row of the same batch that it is a copy of. */
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

/** Fingerprints only find candidates: a copy has the same cells. */
export async function insertItems(db: Queryable, target: ItemsTarget, rows: readonly NewItem[]): Promise<Inserted> {
  const { rows: counted } = await db.query<Inserted>({
    name: 'items-insert-items',
    text: `
      with given as materialized (
        select g.*, case when g.e is null and g.f is not null then coalesce(g.t, (
                 select o.row_index from public.job_items o
                 where o.job_id = $1 and o.fingerprint = g.f and o.input_json = g.c
                 order by o.row_index limit 1)) end as twin
        from jsonb_to_recordset($6::jsonb) as g (i int, l int, c jsonb, n jsonb, f bigint, e text, m text, t int)
      ),
      inserted as (
        insert into public.job_items (job_id, tenant_id, user_id, job_type, row_index, line, input_json, normalized_json, fingerprint,
                                      status, error_code, last_error)
        select $1, $2, $4, $5, i, l, c, n, f,
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
      select count(*)::int as total, count(*) filter (where status = 'ERROR')::int as errors,
             count(*) filter (where status = 'SKIPPED')::int as skipped
      from inserted`,
    values: [target.jobId, target.tenantId, target.runId, target.userId, target.jobType, JSON.stringify(rows)],
  });
  return counted[0] as Inserted;
}
