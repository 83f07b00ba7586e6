// The specification's troubleshooting queries, for support across tenants. Run as syncs_support, which sees syncs of every tenant and nothing
// else.
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { type Pool, type Queryable, withTransaction } from '../../../platform/database.ts';

export const SUPPORT_ROLE = 'syncs_support';

export function asSyncsSupport<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (tx) => {
    await becomeRole(tx, SUPPORT_ROLE);
    return work(tx);
  });
}

export interface StuckJob {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly connector_id: string;
  readonly started_at: Date;
  /** Its worker has gone silent: it is taken over as soon as a worker or scheduler runs. */
  readonly is_stale: boolean;
}

/** Running for more than two hours, oldest first. */
export async function listStuckJobs(db: Queryable): Promise<StuckJob[]> {
  const { rows } = await db.query<StuckJob>({
    name: 'syncs-list-stuck-jobs',
    text: `
      select job_id, tenant_id, connector_id, started_at,
             exists (select from public.v_stale_jobs s where s.job_id = i.job_id) as is_stale
      from public.ingestion_jobs i
      where status = 'running' and started_at < engine.now() - interval '2 hours'
      order by started_at
      limit 1000`,
  });
  return rows;
}

export interface ErrorCount {
  readonly error_code: string | null;
  readonly count: number;
}

/** Dead letters by error, most first: all that ever were, as the specification counts them. */
export async function countDeadLettersByError(db: Queryable): Promise<ErrorCount[]> {
  const { rows } = await db.query<ErrorCount>({
    name: 'syncs-count-dead-letters-by-error',
    text: `
      select error_code, count(*)::int as count
      from public.ingestion_jobs
      where status = 'dead_letter'
      group by error_code
      order by count desc, error_code`,
  });
  return rows;
}
