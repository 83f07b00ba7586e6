// What the reporter says about batches, as the engine sees them: every tenant's, and nothing of their rows.
import type { Queryable } from '../../../platform/database.ts';

export interface ReportFacts {
  readonly run_id: string;
  readonly attempt: number;
  readonly source_batch_id: string;
  readonly file_hash: string | null;
  readonly receipt: { readonly read?: number; readonly outcomes?: Readonly<Record<string, number>> } | null;
  readonly error_code: string | null;
  readonly duration_ms: number | null;
  /** Of the given attempt. */
  readonly worker_id: string | null;
  readonly attempt_started_at: Date | null;
  readonly attempt_hours: number | null;
}

/** One row per asked (run, attempt); attempt 0 when the event names none. */
export async function readReportFacts(
  db: Queryable,
  asked: readonly { readonly runId: string; readonly attempt: number }[],
): Promise<ReportFacts[]> {
  const { rows } = await db.query<ReportFacts>({
    name: 'judgments-read-report-facts',
    text: `
      select r.id as run_id, q.attempt, r.unique_key as source_batch_id, r.input ->> 'file_hash' as file_hash, r.receipt, r.error_code,
             (extract(epoch from r.finished_at - r.started_at) * 1000)::float8 as duration_ms,
             coalesce(l.worker_id, a.worker_id) as worker_id,
             coalesce(l.claimed_at, a.started_at) as attempt_started_at,
             (extract(epoch from a.ended_at - a.started_at) / 3600)::float8 as attempt_hours
      from (select distinct * from unnest($1::uuid[], $2::int[]) as q (run_id, attempt)) q
      join engine.runs r on r.id = q.run_id
      left join engine.leases l on l.run_id = q.run_id and l.attempt = q.attempt
      left join engine.attempts a on a.run_id = q.run_id and a.attempt = q.attempt`,
    values: [asked.map(({ runId }) => runId), asked.map(({ attempt }) => attempt)],
  });
  return rows;
}

export interface QueueDepths {
  readonly dead_letters: number;
  readonly backlog: number;
}

export async function readQueueDepths(db: Queryable, tenantId: string): Promise<QueueDepths> {
  const { rows } = await db.query<QueueDepths>({
    name: 'judgments-read-queue-depths',
    text: `
      select (select count(*)::int from ingest.dead_letters d where d.tenant_id = $1) as dead_letters,
             ((select count(*) from engine.ready where pipeline = 'judgments' and lane = $1::text)
            + (select count(*) from engine.scheduled where pipeline = 'judgments' and lane = $1::text)
            + (select count(distinct run_id) from engine.leases where pipeline = 'judgments' and tenant_id = $1))::int as backlog`,
    values: [tenantId],
  });
  return rows[0] ?? { dead_letters: 0, backlog: 0 };
}
