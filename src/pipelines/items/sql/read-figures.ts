// Figures of items as the database has them: from the counters of jobs, whatever the number of items. What is at work is counted in its own small index.
import type { Queryable } from '../../../platform/database.ts';

export interface OpenFigures {
  readonly queue_depth: number;
  readonly pending_count: number;
  readonly jobs_open: number;
}

export interface DayFigures {
  readonly error_rate: number | null;
  readonly not_found_rate: number | null;
  /** Mean time until every row of a job was stored. */
  readonly ingest_ms: number | null;
}

const open = (jobs: string) => `
  select coalesce(sum(o.pending - o.processing), 0)::float8 as queue_depth, coalesce(sum(o.pending), 0)::float8 as pending_count,
         count(*)::int as jobs_open
  from (
    select j.total_items - (j.done_items + j.not_found_items + j.error_items + j.skipped_items) as pending,
           (select count(*) from public.job_items i where i.job_id = j.job_id and i.status = 'PROCESSING')
           + (select count(*) from public.item_slices s join public.job_items i on i.job_id = s.job_id
                and i.row_index >= s.from_row and i.row_index < s.to_row and i.status is not distinct from 'PENDING' and i.next_attempt_at is null
              where s.job_id = j.job_id) as processing
    from public.item_jobs j
    where ${jobs} and j.deleted_at is null and j.done_items + j.not_found_items + j.error_items + j.skipped_items < j.total_items
  ) o`;

export async function readOpenItems(db: Queryable, tenantId: string): Promise<OpenFigures> {
  const { rows } = await db.query<OpenFigures>({
    name: 'items-read-open',
    text: open('j.tenant_id = $1'),
    values: [tenantId],
  });
  return rows[0] as OpenFigures;
}

/** Of all tenants. As items_figures. */
export async function readAllOpenItems(db: Queryable): Promise<OpenFigures> {
  const { rows } = await db.query<OpenFigures>({ name: 'items-read-all-open', text: open('true') });
  return rows[0] as OpenFigures;
}

/** Of the tenant's jobs of the last day. */
export async function readDay(db: Queryable, tenantId: string): Promise<DayFigures> {
  const { rows } = await db.query<DayFigures>({
    name: 'items-read-day',
    text: `
      select sum(error_items)::float8 / nullif(sum(done_items + not_found_items + error_items + skipped_items), 0) as error_rate,
             sum(not_found_items)::float8 / nullif(sum(done_items + not_found_items + error_items + skipped_items), 0) as not_found_rate,
             avg(ingest_ms)::float8 as ingest_ms
      from public.item_jobs
      where tenant_id = $1 and deleted_at is null and created_at > (select engine.now()) - interval '1 day'`,
    values: [tenantId],
  });
  return rows[0] as DayFigures;
}
