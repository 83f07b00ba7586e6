// What must hold of every item when the trouble is over, counted from the tables alone: one fate each and the right one, no result of an old attempt, counters and
// receipts equal to a recount; and from what the provider saw, that a try that was lost was repeated under its key.
import { type Asked, fateOf } from '../support/items-provider.ts';
import type { Counts } from './auditor.ts';
import type { Ground } from './ground.ts';
import { noCounts } from './suites/suite.ts';

export interface AcknowledgedJob {
  readonly jobId: string;
  readonly rows: number;
}

interface ItemFacts {
  readonly job_id: string;
  readonly id: string;
  readonly row_index: number;
  readonly status: string;
  readonly claims: number;
  readonly attempts: number;
  /** Of the result: the try it belongs to, and the attempt at which it was asked for. */
  readonly key: string | null;
  readonly key_attempt: number | null;
  /** The key that the try has now. */
  readonly last_key: string;
  /** How often an answer of the provider was stored. */
  readonly answers: number;
  /** Of the last attempt, and whether it gave the fate. */
  readonly outcome: string | null;
  readonly is_final: boolean | null;
  readonly last_claim: number | null;
}

const fates: Readonly<Record<string, string>> = {
  FOUND: 'DONE',
  NOT_FOUND: 'NOT_FOUND',
  ERROR: 'ERROR',
  SKIPPED: 'SKIPPED',
};

export async function auditItems(
  ground: Pick<Ground, 'ask'>,
  jobs: readonly AcknowledgedJob[],
  asked: readonly Asked[],
): Promise<{ counts: Counts; findings: string[] }> {
  const counts: Record<keyof Counts, number> = { ...noCounts };
  const findings: string[] = [];
  const found = (count: keyof Counts, what: string) => {
    counts[count] += 1;
    if (findings.length < 20) findings.push(what);
  };
  const items = await ground.ask<ItemFacts>(
    `select i.job_id, i.id::text, i.row_index, i.status, i.claims, i.attempts, i.result_json ->> 'key' as key, (i.result_json ->> 'attempt')::int as key_attempt,
            i.job_id || '/' || i.id || '/' || i.claims - i.attempts || '.' || i.errors + i.not_founds + i.refusals as last_key,
            coalesce(n.answers, 0) as answers, a.outcome, a.is_final, a.claim as last_claim
     from job_items i
     left join (
       select job_id, item_id, count(*)::int as answers from all_item_attempts
       where outcome <> 'LOST' and coalesce(detail, '') not like 'Not asked yet%' group by job_id, item_id
     ) n on n.job_id = i.job_id and n.item_id = i.id
     left join (
       select distinct on (job_id, item_id) job_id, item_id, outcome, is_final, claim from all_item_attempts order by job_id, item_id, claim desc
     ) a on a.job_id = i.job_id and a.item_id = i.id
     order by i.job_id, i.row_index`,
  );
  const byJob = new Map<string, ItemFacts[]>();
  for (const item of items) {
    const known = byJob.get(item.job_id);
    if (known === undefined) byJob.set(item.job_id, [item]);
    else known.push(item);
  }
  const keysOf = new Map<string, Set<string>>();
  for (const { jobId, itemId, key } of asked) {
    const item = `${jobId}/${itemId}`;
    keysOf.set(item, (keysOf.get(item) ?? new Set()).add(key));
  }
  for (const { jobId, rows } of jobs) {
    const own = byJob.get(jobId) ?? [];
    if (own.length < rows) found('lost', `job ${jobId}: ${own.length} of ${rows} items are there`);
    if (own.length > rows) found('duplicated', `job ${jobId}: ${own.length} items for ${rows} rows`);
    own.forEach((item, at) => {
      const name = `item ${item.id} (row ${item.row_index})`;
      if (item.row_index !== at) found('wrong', `${name} is at place ${at}`);
      if (item.status === 'PENDING' || item.status === 'PROCESSING') found('stuck', `${name} is ${item.status}`);
      else if (item.status !== fateOf(item.row_index) && !isGivenUp(item))
        found('wrong', `${name} is ${item.status}, not ${fateOf(item.row_index)}`);
      else if (fates[item.outcome ?? ''] !== item.status || item.is_final !== true || item.last_claim !== item.claims)
        found(
          'wrong',
          `${name} is ${item.status}, its last attempt ${item.last_claim} of ${item.claims} says ${item.outcome}`,
        );
      if (item.status === 'DONE' && (item.key !== item.last_key || item.key_attempt !== item.attempts))
        found(
          'zombieWrites',
          `${name} has the result of ${item.key} at attempt ${item.key_attempt}, and is at ${item.last_key}, attempt ${item.attempts}`,
        );
      // A try whose answer was lost is repeated under its key; only a stored answer begins another.
      const keys = keysOf.get(`${jobId}/${item.id}`)?.size ?? 0;
      if (item.status !== 'PENDING' && item.status !== 'PROCESSING' && keys !== item.answers)
        found('duplicated', `${name} was asked for under ${keys} keys and answered ${item.answers} times`);
    });
  }
  const wrongCounters = await ground.ask<{ job_id: string }>(
    `select j.job_id from item_jobs j
     left join lateral (
       select count(*)::int as total, count(*) filter (where status = 'DONE')::int as done,
              count(*) filter (where status = 'NOT_FOUND')::int as not_found, count(*) filter (where status = 'ERROR')::int as error,
              count(*) filter (where status = 'SKIPPED')::int as skipped
       from job_items i where i.job_id = j.job_id
     ) c on true
     where (j.total_items, j.done_items, j.not_found_items, j.error_items, j.skipped_items)
           is distinct from (c.total, c.done, c.not_found, c.error, c.skipped)`,
  );
  for (const { job_id: job } of wrongCounters) found('wrong', `the counters of job ${job} are not a recount`);
  const unended = await ground.ask<{ id: string; status: string }>(
    `select r.id, r.status from item_jobs j join engine.runs r on r.id = j.latest_run_id where r.finished_at is null`,
  );
  for (const { id, status } of unended) found('stuck', `run ${id} is ${status}`);
  const wrongReceipts = await ground.ask<{ job_id: string }>(
    `select j.job_id from item_jobs j join engine.runs r on r.id = j.latest_run_id
     where r.phase = 'done' and (r.receipt ->> 'read')::int <> j.total_items`,
  );
  for (const { job_id: job } of wrongReceipts) found('wrong', `the receipt of job ${job} is not its items`);
  return { counts, findings };
}

/** The provider failed it too often: that is a fate as well. */
function isGivenUp({ status, outcome, is_final: isFinal }: ItemFacts): boolean {
  return status === 'ERROR' && outcome === 'ERROR' && isFinal === true;
}
