// A batch and its revisions in the ledger. Every statement names the tenant.
import { runOfKey } from '../../../engine/sql/run-of-key.ts';
import type { Queryable } from '../../../platform/database.ts';

export interface BatchRevision {
  readonly id: string;
  readonly unique_key: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  readonly phase: string;
  readonly file_hash: string | null;
}

const MAX_REVISIONS = 1_000;

/** The newest revision of a batch: "june", "june#r2", "june#r3" … */
export async function findNewestRevision(
  db: Queryable,
  tenantId: string,
  batchId: string,
): Promise<BatchRevision | undefined> {
  const { rows } = await db.query<BatchRevision>({
    name: 'judgments-find-newest-revision',
    text: `
      with recursive revisions (number, id, unique_key, status, phase, file_hash) as (
        select 1, r.id, r.unique_key, r.status, r.phase, r.input ->> 'file_hash'
        from (${runOfKey('$1', "'judgments'", '$2::text')}) k
        cross join lateral (select * from engine.all_runs x where x.id = k.run_id limit 1) r
        union all
        select v.number + 1, r.id, r.unique_key, r.status, r.phase, r.input ->> 'file_hash'
        from revisions v
        cross join lateral (${runOfKey('$1', "'judgments'", "($2 || '#r' || (v.number + 1))")}) k
        cross join lateral (select * from engine.all_runs x where x.id = k.run_id limit 1) r
        where v.number < ${MAX_REVISIONS}
      )
      select id, unique_key, status, phase, file_hash from revisions order by number desc limit 1`,
    values: [tenantId, batchId],
  });
  return rows[0];
}

export async function findBatchOfRun(
  db: Queryable,
  tenantId: string,
  runId: string,
): Promise<{ readonly run_id: string; readonly source_batch_id: string | null } | undefined> {
  const { rows } = await db.query<{ run_id: string; source_batch_id: string | null }>({
    name: 'judgments-find-batch-of-run',
    text: `select id as run_id, unique_key as source_batch_id from engine.all_runs where tenant_id = $1 and id = $2`,
    values: [tenantId, runId],
  });
  return rows[0];
}

/** The batch's id as the ledger has it, with its revision. */
export async function readRevision(db: Queryable, runId: string): Promise<string | null> {
  const { rows } = await db.query<{ unique_key: string | null }>({
    name: 'judgments-read-revision',
    text: `select unique_key from engine.runs where id = $1`,
    values: [runId],
  });
  return rows[0]?.unique_key ?? null;
}
