// Process items of a job again. Items that a person names, or all of some statuses, start again; the record of earlier attempts stays. A job that has ended
// gets a new run under the same job id; a job that is still active continues with them.
import type { Engine } from '../../engine/engine.ts';
import { hurryRun } from '../../engine/sql/act-on-runs.ts';
import { enterTenant, type Queryable, withTransaction } from '../../platform/database.ts';
import type { ItemsInput } from './input.ts';
import { reprocessByIds, reprocessByStatus } from './sql/change-items.ts';
import { findUserUuid, type JobRow, setLatestRun } from './sql/jobs.ts';

export interface Wanted {
  readonly itemIds: readonly string[] | null;
  readonly statuses: readonly string[] | null;
}

const ENDED = ['ERROR', 'NOT_FOUND'] as const;
/** Items per transaction: a job of millions is reset in pieces, each of which can be worked on at once. */
const PIECE = 10_000;

/** `inTenant`: a transaction as millrace_app. */
export async function resetItems(
  inTenant: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
  jobId: string,
  { itemIds, statuses }: Wanted,
): Promise<number> {
  if (itemIds !== null) return inTenant((tx) => reprocessByIds(tx, jobId, itemIds, statuses));
  let reset = 0;
  for (let after = -1; ; ) {
    const piece = await inTenant((tx) => reprocessByStatus(tx, jobId, statuses ?? ENDED, after, PIECE));
    reset += piece.reset;
    if (piece.reset < PIECE || piece.last_row === null) return reset;
    after = piece.last_row;
  }
}

/** The live run of the job, or a new one. A job has one live run at a time, whoever asks. */
export async function ensureRun(
  engine: Engine,
  job: Pick<JobRow, 'job_id' | 'tenant_id' | 'user_id' | 'file_id' | 'file_name' | 'job_type' | 'processor'>,
): Promise<string> {
  const input: ItemsInput = {
    job_id: job.job_id,
    filename: job.file_name,
    job_type: job.job_type,
    processor: job.processor,
    reprocess: true,
  };
  const runId = await withTransaction(engine.pools.control, async (tx) => {
    // A run of the job belongs to whom the job does, whoever asked for it.
    const owner = await ownerOf(tx, job);
    const [run] = await engine.enqueueIn(tx, [
      {
        pipeline: 'items',
        tenantId: job.tenant_id,
        input,
        ...(job.file_id === null ? {} : { blobId: job.file_id }),
        ...(owner === null ? {} : { createdBy: owner }),
      },
    ]);
    const id = run?.id ?? job.job_id;
    // It may wait for a retry of tomorrow; what a person starts again is not to wait with it.
    if (run?.created === false) await hurryRun(tx, job.tenant_id, id);
    await enterTenant(tx, { tenantId: job.tenant_id, role: 'items_worker' });
    await setLatestRun(tx, job.job_id, id);
    return id;
  });
  engine.wake();
  return runId;
}

async function ownerOf(tx: Queryable, job: Pick<JobRow, 'tenant_id' | 'user_id'>): Promise<string | null> {
  if (job.user_id === null) return null;
  await enterTenant(tx, { tenantId: job.tenant_id, role: 'millrace_app' });
  const owner = await findUserUuid(tx, job.tenant_id, job.user_id);
  await enterTenant(tx, { tenantId: '', role: 'millrace_engine' });
  return owner;
}
