// Finds the jobs to delete, and jobs whose counters are old.
import { becomeRole } from '../../../engine/sql/become-role.ts';
import type { Queryable } from '../../../platform/database.ts';

/** Jobs that were deleted, or are older than so many days and have no live run. As millrace_engine, which becomes the cleanup for the look. */
export async function listExpiredJobs(db: Queryable, days: number, limit: number): Promise<string[]> {
  await becomeRole(db, 'items_cleanup');
  const { rows } = await db.query<{ job_id: string; latest_run_id: string; is_deleted: boolean }>({
    name: 'items-list-expired-jobs',
    text: `
      (select job_id, latest_run_id, true as is_deleted from public.item_jobs
       where deleted_at is not null order by deleted_at limit $2)
      union all
      (select job_id, latest_run_id, false from public.item_jobs
       where deleted_at is null and created_at < engine.now() - make_interval(days => $1) order by created_at limit $2)`,
    values: [days, limit],
  });
  await becomeRole(db, 'millrace_engine');
  const old = rows.filter((row) => !row.is_deleted);
  const { rows: live } = await db.query<{ id: string }>({
    name: 'items-list-live-runs',
    text: `select id from engine.runs where id = any ($1::uuid[]) and finished_at is null`,
    values: [old.map(({ latest_run_id: id }) => id)],
  });
  const isLive = new Set(live.map(({ id }) => id));
  return rows.filter((row) => row.is_deleted || !isLive.has(row.latest_run_id)).map(({ job_id: id }) => id);
}

/** Seen by nobody from here on. */
export async function markExpired(db: Queryable, jobId: string): Promise<void> {
  await db.query({
    name: 'items-mark-expired',
    text: `update public.item_jobs set deleted_at = engine.now() where job_id = $1 and deleted_at is null`,
    values: [jobId],
  });
}

export async function listUncounted(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ job_id: string }>({
    name: 'items-list-uncounted',
    text: `
      select job_id from public.item_jobs
      where (recounted_at is null or recounted_at < engine.now() - interval '1 day') and deleted_at is null
        and created_at < engine.now() - interval '1 day'
      order by recounted_at nulls first limit $1`,
    values: [limit],
  });
  return rows.map(({ job_id: id }) => id);
}

const OPEN_JOBS = 1_000;

/** Jobs with items that have no fate yet, those that changed last first. As millrace_engine, which becomes the cleanup for the look. */
export async function listOpenJobs(db: Queryable): Promise<{ tenant_id: string; latest_run_id: string }[]> {
  await becomeRole(db, 'items_cleanup');
  const { rows } = await db.query<{ tenant_id: string; latest_run_id: string }>({
    name: 'items-list-open-jobs',
    text: `
      select tenant_id, latest_run_id from public.item_jobs
      where deleted_at is null and done_items + not_found_items + error_items + skipped_items < total_items
      order by updated_at desc limit ${OPEN_JOBS}`,
  });
  return rows;
}
