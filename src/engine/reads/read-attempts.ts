// The executions of one run, and the names of the workers that ran them.
import type { Queryable } from '../../platform/database.ts';

export interface AttemptRow {
  readonly attempt: number;
  readonly stage: string;
  readonly worker_id: string | null;
  /** Null while it runs. */
  readonly outcome: string | null;
  readonly queued_at: Date;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly error_kind: string | null;
  readonly error_code: string | null;
  readonly error_text: string | null;
}

/** Oldest first; the one under way, if any, comes last. Without a page: all of them. */
export async function readAttempts(
  db: Queryable,
  tenantId: string,
  runId: string,
  page: { readonly after: number; readonly limit: number | null } = { after: 0, limit: null },
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'reads-attempts',
    text: `
      (select attempt, stage, worker_id, outcome, queued_at, started_at, ended_at, error_kind, error_code, error_text
       from engine.attempts
       where run_id = $2 and tenant_id = $1 and attempt > $3
       order by attempt
       limit $4)
      union all
      (select attempt, stage, worker_id, outcome, queued_at, started_at, ended_at, error_kind, error_code, error_text
       from engine.past_attempts
       where run_id = $2 and tenant_id = $1 and attempt > $3
       order by attempt
       limit $4)
      union all
      select attempt, stage, worker_id, null, queued_at, claimed_at, null, null, null, null
      from engine.leases
      where run_id = $2 and tenant_id = $1 and attempt > $3
      order by attempt
      limit $4`,
    values: [tenantId, runId, page.after, page.limit],
  });
  return rows;
}

/** As millrace_engine: workers belong to no tenant. */
export async function readWorkerNames(
  control: Queryable,
  workerIds: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> {
  const { rows } = await control.query<{ worker_id: string; name: string }>({
    name: 'reads-worker-names',
    text: `select worker_id, name from engine.workers where worker_id = any ($1::uuid[])`,
    values: [workerIds.filter((id) => id !== null)],
  });
  return new Map(rows.map((row) => [row.worker_id, row.name]));
}
