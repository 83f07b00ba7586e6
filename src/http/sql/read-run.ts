// One run with everything the API shows of it, under the tenant's row-level security.
import type { Queryable } from '../../platform/database.ts';
import { type RunRow, runColumns, runJoins } from './run-columns.ts';

export async function readRun(db: Queryable, tenantId: string, runId: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>({
    name: 'http-read-run',
    text: `select ${runColumns} from engine.all_runs r ${runJoins} where r.tenant_id = $1 and r.id = $2`,
    values: [tenantId, runId],
  });
  return rows[0];
}

export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

export async function readFileFacts(db: Queryable, tenantId: string, blobId: string): Promise<FileFacts | undefined> {
  const { rows } = await db.query<FileFacts>({
    name: 'http-read-file-facts',
    text: `select bytes::float8 as bytes, encode(sha256, 'hex') as sha256 from engine.blobs where tenant_id = $1 and blob_id = $2`,
    values: [tenantId, blobId],
  });
  return rows[0];
}

export interface AttemptRow {
  readonly attempt: number;
  readonly stage: string;
  readonly worker_id: string | null;
  readonly outcome: string | null;
  readonly queued_at: Date;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
}

/** Oldest first; the one under way, if any, comes last. */
export async function readAttempts(
  db: Queryable,
  tenantId: string,
  runId: string,
  after: number,
  limit: number,
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'http-read-attempts',
    text: `
      select attempt, stage, worker_id, outcome, queued_at, started_at, ended_at, error_code, error_text
      from engine.all_attempts
      where run_id = $2 and tenant_id = $1 and attempt > $3
      union all
      select attempt, stage, worker_id, null, queued_at, claimed_at, null, null, null
      from engine.leases
      where run_id = $2 and tenant_id = $1 and attempt > $3
      order by attempt
      limit $4`,
    values: [tenantId, runId, after, limit],
  });
  return rows;
}

export interface DecisionRow {
  readonly decided_at: Date;
  readonly stage: string;
  readonly size_name: string;
  readonly from_size: number;
  readonly to_size: number;
  readonly reason: string;
}

/** The newest ones, oldest first. */
export async function readDecisions(
  db: Queryable,
  tenantId: string,
  runId: string,
  limit: number,
): Promise<DecisionRow[]> {
  const { rows } = await db.query<DecisionRow>({
    name: 'http-read-decisions',
    text: `
      select decided_at, stage, size_name, from_size, to_size, reason
      from engine.decisions
      where run_id = $2 and tenant_id = $1
      order by decided_at desc
      limit $3`,
    values: [tenantId, runId, limit],
  });
  return rows.reverse();
}

export interface SampleRow {
  readonly sampled_at: Date;
  readonly attempt: number;
  readonly stage: string;
  readonly done: number;
  readonly unit: string | null;
}

/** The newest ones, oldest first. */
export async function readSamples(db: Queryable, tenantId: string, runId: string, limit: number): Promise<SampleRow[]> {
  const { rows } = await db.query<SampleRow>({
    name: 'http-read-progress-samples',
    text: `
      select sampled_at, attempt, stage, done, unit
      from engine.progress_samples
      where run_id = $2 and tenant_id = $1
      order by sampled_at desc
      limit $3`,
    values: [tenantId, runId, limit],
  });
  return rows.reverse();
}

export interface RejectCounts {
  readonly open: number;
  readonly corrected: number;
  readonly total: number;
}

export async function countRejects(db: Queryable, tenantId: string, runId: string): Promise<RejectCounts> {
  const { rows } = await db.query<RejectCounts>({
    name: 'http-count-rejects',
    text: `
      select count(*) filter (where status = 'open')::int as open,
             count(*) filter (where status = 'corrected')::int as corrected,
             count(*)::int as total
      from engine.rejects
      where run_id = $2 and tenant_id = $1`,
    values: [tenantId, runId],
  });
  return rows[0] ?? { open: 0, corrected: 0, total: 0 };
}
