import type { Queryable } from '../../../platform/database.ts';

/** Locks of earlier attempts at the same part of the run: their attempts can write nothing any more, so nobody waits for them. */
export async function expireOwnLocks(db: Queryable, jobId: string, prefix: string, worker: string): Promise<void> {
  await db.query({
    name: 'items-expire-own-slices',
    text: `
      update public.item_slices set lock_expires_at = engine.now()
      where job_id = $1 and lock_expires_at > engine.now() and starts_with(locked_by, $2) and locked_by <> $3`,
    values: [jobId, prefix, worker],
  });
  await db.query({
    name: 'items-expire-own-locks',
    text: `
      update public.job_items set lock_expires_at = engine.now()
      where job_id = $1 and status = 'PROCESSING' and lock_expires_at > engine.now() and starts_with(locked_by, $2) and locked_by <> $3`,
    values: [jobId, prefix, worker],
  });
}
