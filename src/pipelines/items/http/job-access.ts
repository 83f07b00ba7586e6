// Who may see a job: the person who submitted it, admins, and programs of the tenant. To anybody else it is a job that does not exist.
import type { Principal } from '../../../access/principal.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../../platform/database.ts';
import { findUserId, selectJob, type WholeJob } from '../sql/jobs.ts';

/** `userId` null: nobody that is known by a number. */
export interface Viewer {
  readonly seesAll: boolean;
  readonly userId: number | null;
}

export async function viewerOf(db: Queryable, { tenantId, kind, actorId, role }: Principal): Promise<Viewer> {
  return { seesAll: role !== 'user', userId: kind === 'user' ? await findUserId(db, tenantId, actorId) : null };
}

export async function requireJob(db: Queryable, principal: Principal, jobId: string): Promise<WholeJob> {
  const job = await selectJob(db, principal.tenantId, jobId);
  if (job !== undefined) {
    const viewer = await viewerOf(db, principal);
    if (viewer.seesAll || (viewer.userId !== null && viewer.userId === job.user_id)) return job;
  }
  throw new MillraceError('job_not_found', { job: jobId });
}
