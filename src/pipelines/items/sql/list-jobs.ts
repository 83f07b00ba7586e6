import type { Queryable } from '../../../platform/database.ts';
import { type JobRow, jobColumns } from './jobs.ts';

export interface JobsPage {
  readonly tenantId: string;
  readonly beforeTime: string | null;
  readonly beforeId: string;
  readonly limit: number;
}

export type ListedJob = JobRow & { readonly created_text: string };

const listed = `${jobColumns}, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_text`;

export async function listJobsOfUser(
  db: Queryable,
  page: JobsPage & { readonly userId: number },
): Promise<ListedJob[]> {
  const { rows } = await db.query<ListedJob>({
    name: 'items-list-jobs-of-user',
    text: `
      select ${listed} from public.item_jobs
      where tenant_id = $1 and user_id = $5 and deleted_at is null
        and (created_at, job_id) < ($2::timestamptz, $3::uuid)
      order by created_at desc, job_id desc limit $4`,
    values: [page.tenantId, page.beforeTime ?? 'infinity', page.beforeId, page.limit, page.userId],
  });
  return rows;
}

export async function listJobsOfTenant(db: Queryable, page: JobsPage): Promise<ListedJob[]> {
  const { rows } = await db.query<ListedJob>({
    name: 'items-list-jobs-of-tenant',
    text: `
      select ${listed} from public.item_jobs
      where tenant_id = $1 and deleted_at is null and (created_at, job_id) < ($2::timestamptz, $3::uuid)
      order by created_at desc, job_id desc limit $4`,
    values: [page.tenantId, page.beforeTime ?? 'infinity', page.beforeId, page.limit],
  });
  return rows;
}
