// The daily numbers of an upload, batch by batch. Each batch is one transaction with its checkpoint. A large upload is promoted in two
// lanes at once, each over its half of the rows with a checkpoint of its own: the keys of one upload are distinct by now, so the lanes
// never wait for each other.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { isTooLong, sqlStateOf } from '../../platform/database-errors.ts';
import type { AdsInput } from './input.ts';
import type { LaneState, PromotedRows } from './lane-state.ts';
import type { AdsDeps } from './parse.ts';
import type { Bucket } from './parse-counts.ts';
import { refuseRow } from './promotion-reject.ts';
import { addToBucket, type PromotionOutcome, promotionOutcomes } from './receipt.ts';
import { listContestedDays, shareGrains } from './sql/daily-grains.ts';
import type { LookUp, Promotion, RowRange } from './sql/judge-metrics.ts';
import type { PromotionScope } from './sql/promote-dimensions.ts';
import { isKeyTaken, promoteMetrics } from './sql/promote-metrics.ts';
import { surveyMetrics } from './sql/survey-metrics.ts';
import { fixPlan, tuneTransaction } from './sql/tune-transaction.ts';
import type { UploadReadingRow } from './sql/upload-readings.ts';

interface Work {
  readonly context: StageContext<AdsInput>;
  readonly deps: AdsDeps;
  readonly scope: PromotionScope;
  readonly upload: UploadReadingRow;
  /** The days the upload tells, all of them announced. */
  readonly days: readonly string[];
}

const BATCH = { name: 'rows per promotion batch', initial: 1_000, min: 50, max: 100_000, targetMs: 1_500 } as const;
/** Data exceptions, violated constraints and exceeded limits are the row's fault; the batch is split until it is alone. */
const ROW_FAULTS = /^(?:22|23|54|P0)/;
const MAX_CONFLICTS = 8;
/** Below this a second connection costs more than it brings. */
const TWO_LANES_FROM = 20_000;

export async function promoteRows(work: Work): Promise<PromotedRows> {
  const { context, upload } = work;
  const lanes = await Promise.all(
    lanesOver(upload.counts.read).map(async (lane) => (await context.checkpoint<LaneState>(lane.part)) ?? lane),
  );
  const left = new Map(lanes.map(({ part, nextRow, to }) => [part, to - nextRow]));
  const note = ({ part, nextRow, to }: LaneState) => {
    left.set(part, to - nextRow);
    const total = upload.counts.read;
    context.progress({ done: total - [...left.values()].reduce((sum, rows) => sum + rows, 0), total, unit: 'rows' });
  };
  // Both are awaited to their end, also when one fails: no transaction of this attempt outlives it.
  const ended = await Promise.allSettled(lanes.map((lane) => promoteLane(work, lane, note)));
  const finished = ended.map((lane) => {
    if (lane.status === 'rejected') throw lane.reason;
    return lane.value;
  });
  return together(finished);
}

/** Depends on the number of rows alone, so that a resumed attempt finds the same lanes. */
function lanesOver(total: number): LaneState[] {
  const middle = total < TWO_LANES_FROM ? total : Math.ceil(total / 2);
  const first: LaneState = { part: 'rows', nextRow: 0, to: middle, buckets: {}, dates: [] };
  return middle === total ? [first] : [first, { ...first, part: 'rows-2', nextRow: middle, to: total }];
}

async function promoteLane(work: Work, from: LaneState, note: (lane: LaneState) => void): Promise<LaneState> {
  const { context, deps } = work;
  const initial = deps.promotionRows ?? BATCH.initial;
  const size = new AdaptiveSize({ ...BATCH, initial, min: Math.min(BATCH.min, initial), onDecision: context.decide });
  let lane = from;
  let expectsNothing = false;
  let trustsHints = true;
  while (lane.nextRow < lane.to) {
    const range = { from: lane.nextRow, to: Math.min(lane.to, lane.nextRow + size.size) };
    const startedAt = performance.now();
    try {
      const before = rowsWritten(lane);
      lane = await promoteRange(work, range, lane, { trustsHints, expectsNothing });
      expectsNothing = rowsWritten(lane) === before;
      size.observe(range.to - range.from, performance.now() - startedAt);
    } catch (error) {
      if (isConflict(error)) {
        // Another upload got ahead with numbers of what this one brought: trusted further, every batch would be done twice.
        trustsHints = false;
        size.shrink('another upload wrote the same rows');
        const smaller = { ...range, to: Math.min(range.to, range.from + size.size) };
        lane = await patiently(context, () => promoteRange(work, smaller, lane));
      } else if (isTooLong(error)) {
        if (!size.shrink('a statement ran into its limit')) throw error;
      } else if (isRowFault(error)) {
        lane = await splitBatch(work, range, lane, error);
      } else throw error;
    }
    note(lane);
  }
  return lane;
}

interface Expectations {
  readonly trustsHints: boolean;
  /** The batch before had nothing to write. */
  readonly expectsNothing: boolean;
}

async function promoteRange(
  { context, scope, upload, days }: Work,
  range: RowRange,
  from: LaneState,
  { trustsHints, expectsNothing }: Expectations = { trustsHints: false, expectsNothing: false },
): Promise<LaneState> {
  const checkpoint = { ...from };
  const confirms = context.input.reported_at_given === true;
  await context.commit(
    async (tx) => {
      await tuneTransaction(tx);
      await fixPlan(tx);
      const lookUp = trustsHints ? lookUpOf(scope, upload) : 'any';
      await shareGrains(tx, scope);
      const contested = await listContestedDays(tx, scope, days);
      const survey = expectsNothing && !confirms ? await surveyMetrics(tx, scope, range, lookUp) : undefined;
      const promotion =
        survey ?? (await promoteMetrics(tx, scope, range, { confirms, trustsHints, lookUp, contested }));
      // Rolled back and judged again: by then the other upload's row is visible.
      if (promotion.isContended) throw new MillraceError('transaction_conflict');
      Object.assign(checkpoint, withOutcomes(from, promotion, range.to));
    },
    { checkpoint, part: from.part },
  );
  return checkpoint;
}

/** In a file that has campaigns, ad sets and ads a row without one is refused, so every staged key is whole. Trusted like a hint. */
function lookUpOf({ clientId, part }: PromotionScope, { mapping }: UploadReadingRow): LookUp {
  const isMapped = (...fields: readonly string[]) => mapping.columns.some(({ field }) => fields.includes(field ?? ''));
  const hasAll =
    isMapped('campaign_id', 'campaign_name') && isMapped('ad_set_id', 'ad_set_name') && isMapped('ad_id', 'ad_name');
  if (!hasAll || part !== null || mapping.period === true) return 'any';
  return clientId === null ? 'of-none' : 'of-client';
}

function rowsWritten({ buckets }: LaneState): number {
  return (buckets.inserted?.rows ?? 0) + (buckets.updated?.rows ?? 0);
}

/** Halves the batch until the row that the database refuses is alone; everything else of it is promoted. */
async function splitBatch(work: Work, range: RowRange, from: LaneState, cause: unknown): Promise<LaneState> {
  const { context } = work;
  if (range.to - range.from === 1) return refuseRow(work, range, from, cause);
  const middle = range.from + Math.ceil((range.to - range.from) / 2);
  let lane = from;
  for (const half of [
    { from: range.from, to: middle },
    { from: middle, to: range.to },
  ]) {
    try {
      lane = await patiently(context, () => promoteRange(work, half, lane));
    } catch (error) {
      if (!isRowFault(error)) throw error;
      lane = await splitBatch(work, half, lane, error);
    }
  }
  return lane;
}

function withOutcomes(from: LaneState, { outcomes, dates: written }: Promotion, nextRow: number): LaneState {
  const buckets: Partial<Record<PromotionOutcome, Bucket>> = { ...from.buckets };
  const add = (name: PromotionOutcome, bucket: Bucket) => {
    if (bucket.rows > 0) buckets[name] = addToBucket(buckets[name], bucket);
  };
  for (const row of outcomes) {
    const { rows, spend, impressions, clicks } = row;
    add(row.outcome, { rows, sums: { spend, impressions, clicks } });
    // Lines merged into a row that was not stored were not stored either.
    add(row.outcome === 'stale' ? 'stale' : 'merged', {
      rows: row.merged_rows,
      sums: { spend: row.merged_spend, impressions: row.merged_impressions, clicks: row.merged_clicks },
    });
  }
  const dates = [...new Set([...from.dates, ...written])].sort();
  const emptied = outcomes.reduce((sum, row) => sum + (row.emptied ?? 0), from.emptied ?? 0);
  return { ...from, buckets, dates, emptied, nextRow };
}

function together(lanes: readonly LaneState[]): PromotedRows {
  const buckets: Partial<Record<PromotionOutcome, Bucket>> = {};
  for (const name of promotionOutcomes)
    for (const lane of lanes) {
      const bucket = lane.buckets[name];
      if (bucket !== undefined) buckets[name] = addToBucket(buckets[name], bucket);
    }
  const emptied = lanes.reduce((sum, lane) => sum + (lane.emptied ?? 0), 0);
  return { buckets, dates: [...new Set(lanes.flatMap(({ dates }) => dates))].sort(), emptied };
}

/** Repeats what lost against another transaction. A deadlock says nothing against the rows, so they are never counted as bad for it. */
export async function patiently<T>(context: StageContext<AdsInput>, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || tries >= MAX_CONFLICTS) throw error;
      context.signal.throwIfAborted();
    }
  }
}

function isConflict(error: unknown): boolean {
  return isKeyTaken(error) || (error instanceof MillraceError && error.code === 'transaction_conflict');
}

function isRowFault(error: unknown): boolean {
  return ROW_FAULTS.test(sqlStateOf(error) ?? '');
}
