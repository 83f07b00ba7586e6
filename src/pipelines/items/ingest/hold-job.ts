// A stage stores rows only while their job is there: its deletion waits for this transaction, and then deletes its rows too.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../../platform/database.ts';
import { lockJob } from '../sql/jobs.ts';

/** The moment, in microseconds since 1970. */
export async function holdJob(tx: Queryable, jobId: string): Promise<number> {
  const at = await lockJob(tx, jobId);
  if (at === undefined) throw new MillraceError('job_not_found', { job: jobId });
  return at;
}
