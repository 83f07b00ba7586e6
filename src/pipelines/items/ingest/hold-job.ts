// Rows are stored only while their job is there: whoever deletes it waits for this transaction, and then takes its rows along.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../../platform/database.ts';
import { lockJob } from '../sql/jobs.ts';

export async function holdJob(tx: Queryable, jobId: string): Promise<void> {
  if (!(await lockJob(tx, jobId))) throw new MillraceError('job_not_found', { job: jobId });
}
