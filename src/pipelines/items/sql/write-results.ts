// Results of a slice: one statement. An item takes a result only while the claim that it comes from is the latest one; what comes late changes nothing.
// The record of the attempts and the counters of the job move with the items. Lock order: items, then their job.
import type { Queryable } from '../../../platform/database.ts';

/** Short names: they are written for every item. */
export interface ItemResult {
  readonly id: string;
  readonly claim: number;
  readonly status: 'PENDING' | 'DONE' | 'NOT_FOUND' | 'ERROR' | 'SKIPPED';
  readonly outcome: 'FOUND' | 'NOT_FOUND' | 'SKIPPED' | 'ERROR' | 'RETRY';
  readonly result: unknown;
  readonly strategy: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly answer: unknown;
  /** Until the next attempt; null: there is none. */
  readonly delay_ms: number | null;
  readonly errors: number;
  readonly not_founds: number;
  readonly refusals: number;
  readonly ms: number;
}

export interface ResultsTarget {
  readonly jobId: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly worker: string;
  readonly userId: number | null;
}

export async function writeResults(
  db: Queryable,
  target: ResultsTarget,
  results: readonly ItemResult[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'items-write-results',
    text: `
      with given as materialized (
        select * from jsonb_to_recordset($5::jsonb) as g (
          id bigint, claim int, status text, outcome text, result jsonb, strategy text, code text, detail text, answer jsonb,
          delay_ms float8, errors int, not_founds int, refusals int, ms int)
      ),
      held as materialized (
        select i.id, i.claims, i.attempts, i.locked_at
        from public.job_items i
        where i.id in (select id from given) and i.job_id = $1 and i.locked_by = $4 and i.status = 'PROCESSING'
        order by i.id
        for update
      ),
      written as (
        update public.job_items i
        set status = g.status,
            result_json = case when g.status = 'PENDING' then i.result_json else g.result end,
            strategy = g.strategy,
            error_code = g.code,
            last_error = g.detail,
            errors = g.errors,
            not_founds = g.not_founds,
            refusals = g.refusals,
            locked_by = null, locked_at = null, lock_expires_at = null,
            next_attempt_at = case when g.status = 'PENDING' then engine.now() + coalesce(g.delay_ms, 0) * interval '1 millisecond' end,
            updated_at = engine.now()
        from given g, held h
        where i.id = g.id and h.id = g.id and h.claims = g.claim
        returning i.id, i.status, i.next_attempt_at, g.claim, g.outcome, g.strategy, g.code, g.detail, g.answer, g.ms, h.attempts, h.locked_at
      ),
      recorded as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, worker, strategy, outcome, is_final, error_code,
                                          detail, answer, request_ms, next_attempt_at, started_at)
        select $2, $1, id, claim, $3, attempts, $4, strategy, outcome, status <> 'PENDING', code, detail, answer, ms, next_attempt_at, locked_at
        from written
      ),
      counted as (
        update public.item_jobs j
        set done_items = j.done_items + c.done, not_found_items = j.not_found_items + c.not_found,
            error_items = j.error_items + c.error, skipped_items = j.skipped_items + c.skipped, updated_at = engine.now()
        from (
          select count(*) filter (where status = 'DONE')::int as done, count(*) filter (where status = 'NOT_FOUND')::int as not_found,
                 count(*) filter (where status = 'ERROR')::int as error, count(*) filter (where status = 'SKIPPED')::int as skipped
          from written
        ) c
        where j.job_id = $1
      )
      select id::text from written`,
    values: [target.jobId, target.tenantId, target.runId, target.worker, JSON.stringify(results)],
  });
  return rows.map(({ id }) => id);
}

export interface RequestRow {
  readonly item: string;
  readonly strategy: string;
  readonly provider: string;
  readonly ms: number;
  readonly outcome: string;
}

/** Requests are facts, also those of attempts whose result came too late. */
export async function insertRequests(
  db: Queryable,
  target: ResultsTarget,
  requests: readonly RequestRow[],
): Promise<void> {
  if (requests.length === 0) return;
  await db.query({
    name: 'items-insert-requests',
    text: `
      insert into public.search_events (tenant_id, job_id, item_id, user_id, strategy, provider, ms, outcome)
      select $1, $2, g.item, $3, g.strategy, g.provider, g.ms, g.outcome
      from jsonb_to_recordset($4::jsonb) as g (item bigint, strategy text, provider text, ms int, outcome text)`,
    values: [target.tenantId, target.jobId, target.userId, JSON.stringify(requests)],
  });
}
