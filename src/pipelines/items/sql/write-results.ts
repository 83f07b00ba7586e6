// Results of items that were claimed one by one: one statement. An item takes a result only while the claim that it comes from is the latest one; what comes late changes nothing.
// The record of the attempts and the counters of the job move with the items. Lock order: items, then their job. Each item
// is looked up by its id alone, whatever the statistics say: "is not distinct from" is no way into an index.
import type { Queryable } from '../../../platform/database.ts';

/** Short names: they are written for every item. */
export interface ItemResult {
  readonly id: string;
  readonly row: number;
  readonly claim: number;
  /** Its number since a person last reprocessed the item. */
  readonly attempt: number;
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

/** How many of them were taken. `agoMs`: since the items were claimed. */
export async function writeResults(
  db: Queryable,
  target: ResultsTarget,
  results: readonly ItemResult[],
  agoMs = 0,
): Promise<number> {
  const { rows } = await db.query<{ n: number }>({
    name: 'items-write-results',
    text: `
      with clock as materialized (select engine.now() as at),
      given as materialized (
        select * from unnest($5::bigint[], $6::int[], $7::text[], $8::text[], string_to_array($9, E'\\n', ''), $10::text[], $11::text[], $12::text[],
                             string_to_array($13, E'\\n', ''), $14::float8[], $15::int[], $16::int[], $17::int[], $18::int[])
          as g (id, claim, status, outcome, result, strategy, code, detail, answer, delay_ms, errors, not_founds, refusals, ms)
      ),
      held as materialized (
        select g.*, h.attempts from given g cross join lateral (
          select i.attempts from public.job_items i
          where i.id = g.id and i.job_id is not distinct from $1 and i.locked_by = $4 and i.status is not distinct from 'PROCESSING'
            and i.claims = g.claim
          limit 1 for update
        ) h
      ),
      written as (
        update public.job_items i
        set status = g.status,
            result_json = case when g.status = 'PENDING' then i.result_json else g.result::jsonb end,
            strategy = g.strategy,
            error_code = g.code,
            last_error = g.detail,
            errors = g.errors,
            not_founds = g.not_founds,
            refusals = g.refusals,
            locked_by = null, locked_at = null, lock_expires_at = null,
            next_attempt_at = case when g.status = 'PENDING' then (select at from clock) + coalesce(g.delay_ms, 0) * interval '1 millisecond' end,
            updated_at = engine.now()
        from held g
        where i.id = g.id
        returning i.id, i.status, i.next_attempt_at, i.attempts, g.claim, g.outcome, g.strategy, g.code, g.detail, g.answer, g.ms
      ),
      recorded as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, worker, strategy, outcome, is_final, error_code,
                                          detail, answer, request_ms, next_attempt_at, started_at)
        select $2, $1, id, claim, $3, attempts, $4, strategy, outcome, status <> 'PENDING', code, detail, answer::jsonb, ms, next_attempt_at,
               (select at from clock) - $19::float8 * interval '1 millisecond'
        from written
      ),
      tally as (
        select count(*)::int as n,
               count(*) filter (where status = 'DONE')::int as done, count(*) filter (where status = 'NOT_FOUND')::int as not_found,
               count(*) filter (where status = 'ERROR')::int as error, count(*) filter (where status = 'SKIPPED')::int as skipped
        from written
      ),
      counted as (
        update public.item_jobs j
        set done_items = j.done_items + c.done, not_found_items = j.not_found_items + c.not_found,
            error_items = j.error_items + c.error, skipped_items = j.skipped_items + c.skipped, updated_at = engine.now()
        from tally c
        where j.job_id = $1
      )
      select n from tally`,
    values: [target.jobId, target.tenantId, target.runId, target.worker, ...columnsOf(results), agoMs],
  });
  return rows[0]?.n ?? 0;
}

/** A column per array, in the order of the statement. JSON has no line breaks of its own, so lines of it need no quotes. */
export function columnsOf(results: readonly ItemResult[]): unknown[] {
  const numbers = (of: (result: ItemResult) => number | string | null) =>
    `{${results.map((each) => of(each) ?? 'null').join()}}`;
  const lines = (of: (result: ItemResult) => unknown) => {
    if (results.every((each) => of(each) === null || of(each) === undefined)) return null;
    return results
      .map((each) => (of(each) === null || of(each) === undefined ? '' : JSON.stringify(of(each))))
      .join('\n');
  };
  return [
    numbers(({ id }) => id),
    numbers(({ claim }) => claim),
    // Words of ours.
    numbers(({ status }) => status),
    numbers(({ outcome }) => outcome),
    lines(({ result }) => result),
    results.map(({ strategy }) => strategy),
    results.map(({ code }) => code),
    results.map(({ detail }) => detail),
    lines(({ answer }) => answer),
    numbers(({ delay_ms: ms }) => ms),
    numbers(({ errors }) => errors),
    numbers(({ not_founds: n }) => n),
    numbers(({ refusals }) => refusals),
    numbers(({ ms }) => ms),
  ];
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
      from jsonb_to_recordset($4::jsonb) as g (item bigint, strategy text, provider text, ms int, outcome text)
      where (select i.id from public.job_items i where i.id = g.item limit 1) is not null`,
    values: [target.tenantId, target.jobId, target.userId, JSON.stringify(requests)],
  });
}
