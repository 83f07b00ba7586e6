// The job: what belongs to it, how far its file is read, its counters, and whether it is paused. A deleted job is seen by nobody.
import type { Queryable } from '../../../platform/database.ts';
import type { DoubtsOnReceipt } from '../../../tabular/doubt-question.ts';
import type { Reading, ReadingOverrides } from '../../../tabular/reading.ts';
import type { IngestState } from '../ingest/ingest-state.ts';
import type { ProcessorColumn } from '../processors/processor.ts';
import type { JobMapping, JobReading } from '../reading.ts';
import { itemsOfSlices } from './at-work.ts';

export interface JobRow {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly user_id: number | null;
  readonly file_id: string | null;
  readonly file_name: string;
  readonly job_type: 'csv' | 'image';
  readonly processor: string;
  readonly processor_version: number;
  readonly options: Record<string, unknown>;
  readonly input_columns: string[];
  readonly output_columns: ProcessorColumn[];
  readonly latest_run_id: string;
  readonly ingested_at: Date | null;
  readonly ingest_ms: number | null;
  readonly total_items: number;
  readonly done_items: number;
  readonly not_found_items: number;
  readonly error_items: number;
  readonly skipped_items: number;
  readonly paused_at: Date | null;
  readonly paused_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const jobColumns = `job_id, tenant_id, user_id, file_id, file_name, job_type, processor, processor_version, options, input_columns,
  output_columns, latest_run_id, ingested_at, ingest_ms, total_items, done_items, not_found_items, error_items, skipped_items,
  paused_at, paused_by, created_at, updated_at`;

export interface NewJob {
  readonly jobId: string;
  readonly tenantId: string;
  readonly userId: number | null;
  readonly ip: string | null;
  readonly fileId: string;
  readonly fileName: string;
  readonly jobType: string;
  readonly processor: string;
  readonly processorVersion: number;
  readonly options: unknown;
  readonly outputColumns: readonly ProcessorColumn[];
}

export async function insertJob(db: Queryable, job: NewJob): Promise<void> {
  await db.query({
    name: 'items-insert-job',
    text: `
      insert into public.item_jobs (job_id, tenant_id, user_id, ip_address, file_id, file_name, job_type, processor, processor_version, options,
                                    output_columns, latest_run_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $1)`,
    values: [
      job.jobId,
      job.tenantId,
      job.userId,
      job.ip,
      job.fileId,
      job.fileName,
      job.jobType,
      job.processor,
      job.processorVersion,
      JSON.stringify(job.options),
      JSON.stringify(job.outputColumns),
    ],
  });
}

/** users.id of a person, who is known by a uuid elsewhere. */
export async function findUserId(db: Queryable, tenantId: string, userUuid: string): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>({
    name: 'items-find-user-id',
    text: `select id from public.users where user_id = $2 and tenant_id = $1`,
    values: [tenantId, userUuid],
  });
  return rows[0]?.id ?? null;
}

/** The other way round. */
export async function findUserUuid(db: Queryable, tenantId: string, userId: number): Promise<string | null> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'items-find-user-uuid',
    text: `select user_id from public.users where id = $2 and tenant_id = $1`,
    values: [tenantId, userId],
  });
  return rows[0]?.user_id ?? null;
}

/** `mapping`: which column is which field; null: by the names of the columns alone. `row_bytes`: of its file, on the average; null: not known. */
export type WholeJob = JobRow & { readonly mapping: JobMapping | null; readonly row_bytes: number | null };

export async function selectJob(db: Queryable, tenantId: string, jobId: string): Promise<WholeJob | undefined> {
  const { rows } = await db.query<WholeJob>({
    name: 'items-select-job',
    text: `
      select ${jobColumns}, mapping, (ingest #>> '{position,offset}')::float8 / greatest(total_items, 1) as row_bytes
      from public.item_jobs where job_id = $2 and tenant_id = $1 and deleted_at is null`,
    values: [tenantId, jobId],
  });
  return rows[0];
}

export interface IngestRow {
  readonly reading: Reading | null;
  readonly mapping: JobMapping | null;
  readonly overrides: ReadingOverrides | null;
  readonly ingest: IngestState | null;
  readonly ingested_at: Date | null;
  readonly total_items: number;
  readonly user_id: number | null;
  readonly job_type: string;
}

export async function selectIngest(db: Queryable, jobId: string): Promise<IngestRow | undefined> {
  const { rows } = await db.query<IngestRow>({
    name: 'items-select-ingest',
    text: `
      select reading, mapping, overrides, ingest, ingested_at, total_items, user_id, job_type
      from public.item_jobs where job_id = $1 and deleted_at is null`,
    values: [jobId],
  });
  return rows[0];
}

/** The run that works on the job is always the latest one. */
export async function setLatestRun(db: Queryable, jobId: string, runId: string): Promise<void> {
  await db.query({
    name: 'items-set-latest-run',
    text: `update public.item_jobs set latest_run_id = $2, updated_at = engine.now() where job_id = $1 and latest_run_id <> $2`,
    values: [jobId, runId],
  });
}

export async function storeReading(
  db: Queryable,
  jobId: string,
  { reading, mapping }: JobReading,
  columns: readonly string[],
): Promise<void> {
  await db.query({
    name: 'items-store-reading',
    text: `update public.item_jobs set reading = $2, mapping = $3, input_columns = $4, updated_at = engine.now() where job_id = $1`,
    values: [jobId, JSON.stringify(reading), JSON.stringify(mapping), JSON.stringify(columns)],
  });
}

/** For the next time the file is read. False: its rows are stored. */
export async function keepOverrides(db: Queryable, jobId: string, overrides: ReadingOverrides): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'items-keep-overrides',
    text: `
      update public.item_jobs set overrides = $2, updated_at = engine.now()
      where job_id = $1 and total_items = 0 and deleted_at is null`,
    values: [jobId, JSON.stringify(overrides)],
  });
  return rowCount === 1;
}

/** For stored rows that are processed again. A file without a stored row is read again, and finds the saved mapping by itself. */
export async function keepMapping(db: Queryable, jobId: string, mapping: JobMapping): Promise<void> {
  await db.query({
    name: 'items-keep-mapping',
    text: `
      update public.item_jobs set mapping = $2, updated_at = engine.now()
      where job_id = $1 and deleted_at is null`,
    values: [jobId, JSON.stringify({ ...mapping, isLater: true })],
  });
}

export async function storeColumns(db: Queryable, jobId: string, columns: readonly string[]): Promise<void> {
  await db.query({
    name: 'items-store-columns',
    text: `update public.item_jobs set input_columns = $2, updated_at = engine.now() where job_id = $1`,
    values: [jobId, JSON.stringify(columns)],
  });
}

export async function storeIngest(
  db: Queryable,
  jobId: string,
  state: IngestState,
  added: { readonly total: number; readonly errors: number; readonly skipped: number },
): Promise<void> {
  await db.query({
    name: 'items-store-ingest',
    text: `
      update public.item_jobs
      set ingest = $2, total_items = total_items + $3, error_items = error_items + $4, skipped_items = skipped_items + $5,
          updated_at = engine.now()
      where job_id = $1`,
    values: [jobId, JSON.stringify(state), added.total, added.errors, added.skipped],
  });
}

/**
 * For as long as the transaction takes nobody claims rows of the job that were never tried, so that what is idle stays idle. People's changes begin with it;
 * slices never wait for items while they hold it.
 */
export async function holdClaims(db: Queryable, jobId: string): Promise<void> {
  await db.query({
    name: 'items-hold-claims',
    text: `select from public.item_jobs where job_id = $1 for no key update`,
    values: [jobId],
  });
}

/** The moment, in microseconds since 1970; undefined: it was deleted. Beside it the counters may move, but the job does not go. */
export async function lockJob(db: Queryable, jobId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ at: string }>({
    name: 'items-lock-job',
    text: `
      select (extract(epoch from engine.now()) * 1000000)::bigint::text as at
      from public.item_jobs where job_id = $1 and deleted_at is null for key share`,
    values: [jobId],
  });
  return rows[0] === undefined ? undefined : Number(rows[0].at);
}

/** `noted`: what the receipt says of the file's doubts. */
export async function finishIngest(db: Queryable, jobId: string, noted: DoubtsOnReceipt): Promise<void> {
  await db.query({
    name: 'items-finish-ingest',
    text: `
      update public.item_jobs
      set ingested_at = engine.now(), ingest_ms = least(2147483647, extract(epoch from engine.now() - created_at) * 1000)::int,
          ingest = ingest || jsonb_build_object('noted', $2::jsonb), updated_at = engine.now()
      where job_id = $1 and ingested_at is null`,
    values: [jobId, JSON.stringify(noted)],
  });
}

/** Null: it is not paused. */
export async function readPause(db: Queryable, jobId: string): Promise<string | null> {
  const { rows } = await db.query<{ paused_by: string | null }>({
    name: 'items-read-pause',
    text: `select paused_by from public.item_jobs where job_id = $1 and paused_at is not null`,
    values: [jobId],
  });
  return rows[0]?.paused_by ?? null;
}

/** Undefined where nothing changes. */
export async function setPause(db: Queryable, jobId: string, by: string | null): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'items-set-pause',
    text: `
      update public.item_jobs
      set paused_at = case when $2::text is null then null else engine.now() end, paused_by = $2, updated_at = engine.now()
      where job_id = $1 and (paused_at is null) = ($2::text is not null)`,
    values: [jobId, by],
  });
  return rowCount === 1;
}

export interface Counts {
  readonly total: number;
  readonly pending: number;
  readonly processing: number;
  readonly done: number;
  readonly not_found: number;
  readonly error: number;
  readonly skipped: number;
}

/** From the items themselves. */
export async function countItems(db: Queryable, jobId: string): Promise<Counts> {
  const { rows } = await db.query<Counts>({
    name: 'items-count-items',
    text: `
      select coalesce(sum(n), 0)::int as total,
             coalesce(sum(n) filter (where status = 'PENDING'), 0)::int as pending,
             coalesce(sum(n) filter (where status = 'PROCESSING'), 0)::int as processing,
             coalesce(sum(n) filter (where status = 'DONE'), 0)::int as done,
             coalesce(sum(n) filter (where status = 'NOT_FOUND'), 0)::int as not_found,
             coalesce(sum(n) filter (where status = 'ERROR'), 0)::int as error,
             coalesce(sum(n) filter (where status = 'SKIPPED'), 0)::int as skipped
      from (select status, count(*) as n from public.job_items where job_id = $1 group by status) c`,
    values: [jobId],
  });
  return rows[0] as Counts;
}

/** What the job says of itself becomes what was counted. True: it had said something else. */
export async function storeCounts(db: Queryable, jobId: string, counts: Counts): Promise<boolean> {
  const { rows } = await db.query<{ differed: boolean }>({
    name: 'items-store-counts',
    text: `
      update public.item_jobs j
      set total_items = $2, done_items = $3, not_found_items = $4, error_items = $5, skipped_items = $6, recounted_at = engine.now()
      from (select job_id, total_items, done_items, not_found_items, error_items, skipped_items
            from public.item_jobs where job_id = $1 for update) before
      where j.job_id = before.job_id
      returning (before.total_items, before.done_items, before.not_found_items, before.error_items, before.skipped_items)
                is distinct from ($2::int, $3::int, $4::int, $5::int, $6::int) as differed`,
    values: [jobId, counts.total, counts.done, counts.not_found, counts.error, counts.skipped],
  });
  return rows[0]?.differed ?? false;
}

export interface Waiting {
  /** Items that nobody has decided yet. */
  readonly is_open: boolean;
  readonly is_fresh: boolean;
  readonly next_attempt_in_ms: number | null;
  readonly lock_expires_in_ms: number | null;
}

/** Claimed items: from their own small index, and those of slices. */
export async function countProcessing(db: Queryable, jobId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-count-processing',
    text: `
      select count(*)::int as n from (
        (select id from public.job_items where job_id = $1 and status = 'PROCESSING' order by lock_expires_at)
        union all ${itemsOfSlices('$1', 'p.id')}
      ) c`,
    values: [jobId],
  });
  return rows[0]?.n ?? 0;
}

/** Each answered from an index of open items alone, whatever the job's size. */
export async function readWaiting(db: Queryable, jobId: string): Promise<Waiting> {
  const { rows } = await db.query<Waiting>({
    name: 'items-read-waiting',
    text: `
      select w.*, w.is_fresh or w.next_attempt_in_ms is not null or w.lock_expires_in_ms is not null as is_open
      from (
        select coalesce((select next_row < total_items from public.item_jobs where job_id = $1), false) as is_fresh,
               (select extract(epoch from next_attempt_at - engine.now()) * 1000 from public.job_items
                where job_id = $1 and status = 'PENDING' and next_attempt_at is not null
                order by next_attempt_at limit 1)::float8 as next_attempt_in_ms,
               least(
                 (select extract(epoch from lock_expires_at - engine.now()) * 1000 from public.job_items
                  where job_id = $1 and status = 'PROCESSING' order by lock_expires_at limit 1),
                 (select extract(epoch from min(lock_expires_at) - engine.now()) * 1000 from public.item_slices
                  where job_id = $1))::float8 as lock_expires_in_ms
      ) w`,
    values: [jobId],
  });
  return rows[0] as Waiting;
}
