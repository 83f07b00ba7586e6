import type { Queryable } from '../../../platform/database.ts';

export interface ItemFigures {
  readonly queue_depth: number;
  readonly pending_count: number;
  readonly jobs_open: number;
  readonly error_rate: number | null;
  readonly not_found_rate: number | null;
}

/** Of one tenant: open items from their small index, shares from the counters of its jobs. */
export async function readItemFigures(db: Queryable, tenantId: string): Promise<ItemFigures> {
  const { rows } = await db.query<ItemFigures>({
    name: 'items-read-figures',
    text: `
      select o.queue_depth, o.pending_count, o.jobs_open,
             e.errors::float8 / nullif(e.ended, 0) as error_rate, e.not_found::float8 / nullif(e.ended, 0) as not_found_rate
      from (
        select count(*) filter (where status = 'PENDING')::int as queue_depth, count(*)::int as pending_count,
               count(distinct job_id)::int as jobs_open
        from public.job_items where tenant_id = $1 and status in ('PENDING', 'PROCESSING')
      ) o,
      (
        select sum(error_items) as errors, sum(not_found_items) as not_found,
               sum(done_items + not_found_items + error_items + skipped_items) as ended
        from public.item_jobs
        where tenant_id = $1 and deleted_at is null and created_at > engine.now() - interval '1 day'
      ) e`,
    values: [tenantId],
  });
  return rows[0] as ItemFigures;
}
