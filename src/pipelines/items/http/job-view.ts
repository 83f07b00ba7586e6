// A job in the words of the specification: its own row, and what its latest run is doing.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { QueueState } from '../../../contract/pipelines/items/item-statuses.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import type { Queryable } from '../../../platform/database.ts';
import { countProcessing, type JobRow, readWaiting, selectJob } from '../sql/jobs.ts';

export type JobView = AnswerOf<'jobs.show'>;
type ListedView = AnswerOf<'jobs.list'>['data'][number];

export async function viewJob(engine: Engine, db: Queryable, found: JobRow): Promise<JobView> {
  const run = await latestRun(engine, found);
  // It may have ended since its row was read: a job that has ended is shown with its last counters.
  const isOver = run !== undefined && run.finished_at !== null;
  const job = (isOver ? await selectJob(db, found.tenant_id, found.job_id) : undefined) ?? found;
  const waiting = await readWaiting(db, job.job_id);
  const next = waiting.next_attempt_in_ms;
  return {
    ...listedJob(job, run),
    processing_items: await countProcessing(db, job.job_id),
    why: run === undefined ? null : await whyOf(engine, job, run),
    next_attempt_at: next === null ? null : new Date(Date.now() + next).toISOString(),
  };
}

export function listedJob(job: JobRow, run: RunRow | undefined): ListedView {
  const processed = job.done_items + job.not_found_items + job.error_items + job.skipped_items;
  const time = (date: Date | null | undefined) => date?.toISOString() ?? null;
  return {
    jobId: job.job_id,
    run_id: job.latest_run_id,
    user_id: job.user_id,
    file_id: job.file_id,
    file_name: job.file_name,
    job_type: job.job_type,
    processor: job.processor,
    processor_version: job.processor_version,
    catalog: typeof job.options.catalog === 'string' ? job.options.catalog : null,
    queue_state: queueStateOf(job, run),
    status: run?.status ?? 'failed',
    total_items: job.total_items,
    processed_items: processed,
    failed_items: job.error_items,
    pending_items: Math.max(0, job.total_items - processed),
    done_items: job.done_items,
    not_found_items: job.not_found_items,
    error_items: job.error_items,
    skipped_items: job.skipped_items,
    input_columns: job.input_columns,
    output_columns: job.output_columns.map((column) => ({ ...column })),
    ingest_ms: job.ingest_ms,
    attempts: run?.attempt ?? 0,
    // What a run waited for is no error; `why` says it while it does.
    last_error: run?.error_code === 'work_later' ? null : (run?.error_text ?? null),
    last_heartbeat: time(job.updated_at),
    paused_by: job.paused_by,
    created_at: job.created_at.toISOString(),
    ingested_at: time(job.ingested_at),
    started_at: time(run?.started_at),
    finished_at: time(run?.finished_at),
  };
}

export function queueStateOf(job: Pick<JobRow, 'paused_at'>, run: RunRow | undefined): QueueState {
  if (run === undefined || run.phase === 'failed' || run.phase === 'dead') return 'FAILED';
  if (run.phase === 'done') return 'DONE';
  if (job.paused_at !== null || run.held_at !== null) return 'PAUSED';
  return run.phase === 'active' ? 'RUNNING' : 'QUEUED';
}

/** Undefined: the ledger has forgotten it. */
export async function latestRun(engine: Engine, job: JobRow): Promise<RunRow | undefined> {
  return engine.run(job.tenant_id, job.latest_run_id).catch((error: unknown) => {
    if (error instanceof MillraceError && error.code === 'run_not_found') return undefined;
    throw error;
  });
}

/** Every row is stored. What its run did not read before it failed comes no more by waiting. */
export function requireIngested(
  { job_id: job, ingested_at, total_items: rows }: JobRow,
  run: RunRow | undefined,
): void {
  if (ingested_at !== null) return;
  if (run === undefined || run.finished_at === null) throw new MillraceError('job_not_ingested', { job });
  throw new MillraceError('job_not_read', { job, rows, reason: run.error_text ?? 'its run was cancelled.' });
}

async function whyOf(engine: Engine, job: JobRow, run: RunRow): Promise<string | null> {
  if (run.phase !== 'waiting') return null;
  if (job.paused_by !== null) return `paused by ${job.paused_by}`;
  return (await engine.why(run))?.text ?? null;
}
