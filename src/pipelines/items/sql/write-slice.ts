// Results of a range of rows. Its row in item_slices is the fence: whoever holds it is the only one who may give these items a fate, so the items themselves are not asked, and
// each changes once. Lock order: slice, items, then their job, whose counters others wait for.
import type { Queryable } from '../../../platform/database.ts';
import { columnsOf, type ItemResult, type ResultsTarget } from './write-results.ts';

export interface SlicePlace {
  readonly fromRow: number;
  /** The slice is done with. */
  readonly isLast: boolean;
}

/** Fewer of a strategy are not worth a record of their own. */
const TOGETHER_FROM = 16;

/** How many of them were taken. Undefined: the slice is no longer ours, and nothing was. */
export async function writeSlice(
  db: Queryable,
  target: ResultsTarget,
  { fromRow, isLast }: SlicePlace,
  results: readonly ItemResult[],
): Promise<number | undefined> {
  if (!(await lockSlice(db, target, fromRow))) return undefined;
  const { together, others } = sorted(results);
  let written = 0;
  for (const [strategy, plain] of together) written += await writeFound(db, target, fromRow, strategy, plain);
  if (others.length > 0) written += await writeOthers(db, target, fromRow, others);
  await closeSlice(db, target, { fromRow, isLast }, results);
  return written;
}

/** By strategy: what was found at the first attempt, with nothing more to say of it. */
function sorted(results: readonly ItemResult[]) {
  const together = new Map<string, ItemResult[]>();
  const others: ItemResult[] = [];
  for (const each of results) {
    const isPlain = each.outcome === 'FOUND' && each.attempt === 1 && each.claim === 1 && each.answer === null;
    if (!isPlain) others.push(each);
    else {
      const alike = together.get(each.strategy);
      if (alike === undefined) together.set(each.strategy, [each]);
      else alike.push(each);
    }
  }
  for (const [strategy, alike] of together)
    if (alike.length < TOGETHER_FROM) {
      others.push(...alike);
      together.delete(strategy);
    }
  return { together, others };
}

async function lockSlice(db: Queryable, { jobId, worker }: ResultsTarget, fromRow: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'items-lock-slice',
    text: `select from public.item_slices where job_id = $1 and from_row = $2 and locked_by = $3 for update`,
    values: [jobId, fromRow, worker],
  });
  return rowCount === 1;
}

/** One record of the attempts for all of them (item_slice_attempts). They were never tried before, so nothing of an earlier attempt is to be cleared. */
async function writeFound(
  db: Queryable,
  target: ResultsTarget,
  fromRow: number,
  strategy: string,
  results: readonly ItemResult[],
): Promise<number> {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { row } of results) {
    if (row < first) first = row;
    if (row > last) last = row;
  }
  const { rowCount } = await db.query({
    name: 'items-write-found',
    text: `
      with recorded as (
        insert into public.item_slice_attempts (tenant_id, job_id, from_row, to_row, run_id, worker, strategy, started_at, ended_at, item_ids, request_ms)
        select $2, $1, $6, $7, $3, $4, $8, s.locked_at, (select engine.now()), $9::bigint[], $10::int[]
        from public.item_slices s where s.job_id = $1 and s.from_row = $5
      )
      update public.job_items i
      set status = 'DONE', attempts = 1, claims = 1, result_json = g.result::jsonb, strategy = $8, updated_at = (select engine.now())
      from unnest($9::bigint[], string_to_array($11, E'\\n')) as g (id, result)
      where i.id = g.id`,
    values: [
      target.jobId,
      target.tenantId,
      target.runId,
      target.worker,
      fromRow,
      first,
      last + 1,
      strategy,
      `{${results.map(({ id }) => id).join()}}`,
      `{${results.map(({ ms }) => ms).join()}}`,
      results.map(({ result }) => JSON.stringify(result)).join('\n'),
    ],
  });
  return rowCount ?? 0;
}

async function writeOthers(
  db: Queryable,
  target: ResultsTarget,
  fromRow: number,
  results: readonly ItemResult[],
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'items-write-slice',
    text: `
      with given as materialized (
        select g.*, case when g.status = 'PENDING' then (select engine.now()) + coalesce(g.delay_ms, 0) * interval '1 millisecond' end as next_at
        from unnest($5::bigint[], $6::int[], $7::text[], $8::text[], string_to_array($9, E'\\n', ''), $10::text[], $11::text[], $12::text[],
                    string_to_array($13, E'\\n', ''), $14::float8[], $15::int[], $16::int[], $17::int[], $18::int[], $19::int[])
          as g (id, claim, status, outcome, result, strategy, code, detail, answer, delay_ms, errors, not_founds, refusals, ms, attempt)
      ),
      slice as (
        select locked_at from public.item_slices where job_id = $1 and from_row = $20
      ),
      recorded as (
        insert into public.item_attempts (tenant_id, job_id, item_id, claim, run_id, attempt, worker, strategy, outcome, is_final, error_code,
                                          detail, answer, request_ms, next_attempt_at, started_at, ended_at)
        select $2, $1, id, claim, $3, attempt, $4, strategy, outcome, status <> 'PENDING', code, detail, answer::jsonb, ms, next_at,
               (select locked_at from slice), (select engine.now())
        from given
      )
      update public.job_items i
      set status = g.status, attempts = g.attempt, claims = g.claim,
          result_json = case when g.status = 'PENDING' then i.result_json else g.result::jsonb end,
          strategy = g.strategy, error_code = g.code, last_error = g.detail, errors = g.errors, not_founds = g.not_founds, refusals = g.refusals,
          next_attempt_at = g.next_at, updated_at = (select engine.now())
      from given g
      where i.id = g.id`,
    values: [
      target.jobId,
      target.tenantId,
      target.runId,
      target.worker,
      ...columnsOf(results),
      `{${results.map(({ attempt }) => attempt).join()}}`,
      fromRow,
    ],
  });
  return rowCount ?? 0;
}

/** The counters move last: their row is the one that all workers of a job share. */
async function closeSlice(
  db: Queryable,
  { jobId }: ResultsTarget,
  { fromRow, isLast }: SlicePlace,
  results: readonly ItemResult[],
): Promise<void> {
  const many = (status: ItemResult['status']) => results.filter((each) => each.status === status).length;
  await db.query({
    name: 'items-close-slice',
    text: `
      with gone as (delete from public.item_slices where job_id = $1 and from_row = $2 and $3)
      update public.item_jobs j
      set done_items = j.done_items + $4, not_found_items = j.not_found_items + $5, error_items = j.error_items + $6,
          skipped_items = j.skipped_items + $7, updated_at = engine.now()
      where j.job_id = $1`,
    values: [jobId, fromRow, isLast, many('DONE'), many('NOT_FOUND'), many('ERROR'), many('SKIPPED')],
  });
}
