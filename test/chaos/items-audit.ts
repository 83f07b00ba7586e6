// What must hold of every item when the trouble is over, counted from the tables alone: one fate each and the right one, no result of an old attempt, counters and
// receipts equal to a recount.
import { fateOf } from '../support/items-provider.ts';
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
  readonly key: string | null;
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
): Promise<{ counts: Counts; findings: string[] }> {
  const counts: Record<keyof Counts, number> = { ...noCounts };
  const findings: string[] = [];
  const found = (count: keyof Counts, what: string) => {
    counts[count] += 1;
    if (findings.length < 20) findings.push(what);
  };
  const items = await ground.ask<ItemFacts>(
    `select i.job_id, i.id::text, i.row_index, i.status, i.claims, i.result_json ->> 'key' as key,
            a.outcome, a.is_final, a.claim as last_claim
     from job_items i
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
      if (item.status === 'DONE' && item.key !== `${jobId}/${item.id}/${item.claims}`)
        found('zombieWrites', `${name} has the result of ${item.key}, its claim is ${item.claims}`);
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
