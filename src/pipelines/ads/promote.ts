// The promote stage: campaigns, ad sets and ads first, then the daily numbers in batches of staged rows. Each batch is one
// transaction with its checkpoint; counts come from what the statements returned and travel in the checkpoint.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { sqlStateOf } from '../../platform/database-errors.ts';
import { ingestionComplete } from './event.ts';
import type { AdsInput } from './input.ts';
import type { AdsDeps } from './parse.ts';
import type { Bucket } from './parse-counts.ts';
import { refuseRow } from './promotion-reject.ts';
import {
  addToBucket,
  allBuckets,
  type PromotionBuckets,
  type PromotionOutcome,
  promotedRows,
  receiptOf,
  totalsAgree,
} from './receipt.ts';
import {
  type Dimension,
  dimensions,
  type PromotionScope,
  resolveDimension,
  upsertDimension,
} from './sql/promote-dimensions.ts';
import { type PromotedRow, promoteMetrics, type RowRange } from './sql/promote-metrics.ts';
import { fixPlan, tuneTransaction } from './sql/tune-transaction.ts';
import { selectUploadReading, type UploadReadingRow } from './sql/upload-readings.ts';

export interface PromoteState {
  /** Dimensions written so far, with how many of their rows changed. */
  readonly upserted: Readonly<Partial<Record<Dimension, number>>>;
  /** The staged row promotion goes on with. */
  readonly nextRow: number;
  readonly buckets: PromotionBuckets;
  /** Days on which a number was inserted or changed. */
  readonly dates: readonly string[];
}

type Context = StageContext<AdsInput>;

const BATCH = { name: 'rows per promotion batch', initial: 1_000, min: 50, max: 100_000, targetMs: 1_500 } as const;
/** Data exceptions, violated constraints and exceeded limits are the row's fault; the batch is split until it is alone. */
const ROW_FAULTS = /^(?:22|23|54|P0)/;
const MAX_CONFLICTS = 8;

const freshState: PromoteState = { upserted: {}, nextRow: 0, buckets: {}, dates: [] };

export async function promoteUpload(context: Context, deps: AdsDeps): Promise<StageOutcome> {
  const upload = await context.commit((tx) => selectUploadReading(tx, context.run.id));
  if (upload === undefined) throw new MillraceError('upload_file_gone', { run: context.run.id });
  const scope = scopeOf(context);
  let state = (await context.checkpoint<PromoteState>()) ?? freshState;
  state = await promoteDimensions(context, scope, state);
  state = await promoteRows(context, deps, scope, upload, state);
  return finish(context, upload, state);
}

function scopeOf({ run, input }: Context): PromotionScope {
  return {
    uploadId: run.id,
    workspaceId: run.tenantId,
    clientId: input.client_id ?? null,
    platform: input.platform,
    reportedAt: input.reported_at,
  };
}

async function promoteDimensions(context: Context, scope: PromotionScope, from: PromoteState): Promise<PromoteState> {
  let state = from;
  for (const dimension of dimensions) {
    if (state.upserted[dimension] !== undefined) continue;
    const checkpoint = { ...state };
    await patiently(context, () =>
      context.commit(
        async (tx) => {
          await tuneTransaction(tx);
          const written = await upsertDimension(tx, dimension, scope);
          await resolveDimension(tx, dimension, scope);
          Object.assign(checkpoint, { upserted: { ...state.upserted, [dimension]: written } });
        },
        { checkpoint },
      ),
    );
    state = checkpoint;
  }
  return state;
}

async function promoteRows(
  context: Context,
  deps: AdsDeps,
  scope: PromotionScope,
  upload: UploadReadingRow,
  from: PromoteState,
): Promise<PromoteState> {
  const total = upload.counts.read;
  const initial = deps.promotionRows ?? BATCH.initial;
  const size = new AdaptiveSize({ ...BATCH, initial, min: Math.min(BATCH.min, initial), onDecision: context.decide });
  let state = from;
  while (state.nextRow < total) {
    const range = { from: state.nextRow, to: Math.min(total, state.nextRow + size.size) };
    const startedAt = performance.now();
    try {
      state = await promoteRange(context, scope, range, state);
      size.observe(range.to - range.from, performance.now() - startedAt);
    } catch (error) {
      if (isConflict(error)) {
        size.shrink('another upload wrote the same rows');
        state = await patiently(context, () =>
          promoteRange(context, scope, { ...range, to: Math.min(range.to, range.from + size.size) }, state),
        );
      } else if (isRowFault(error)) {
        state = await splitBatch(context, scope, upload, range, state, error);
      } else throw error;
    }
    context.progress({ done: state.nextRow, total, unit: 'rows' });
  }
  return state;
}

async function promoteRange(
  context: Context,
  scope: PromotionScope,
  range: RowRange,
  from: PromoteState,
): Promise<PromoteState> {
  const checkpoint = { ...from };
  await context.commit(
    async (tx) => {
      await tuneTransaction(tx);
      await fixPlan(tx);
      const outcomes = await promoteMetrics(tx, scope, range, context.input.reported_at_given === true);
      // Rolled back and judged again: by then the other upload's row is visible.
      if (outcomes.some(({ outcome }) => outcome === 'contended')) throw new MillraceError('transaction_conflict');
      Object.assign(checkpoint, withOutcomes(from, outcomes, range.to));
    },
    { checkpoint },
  );
  return checkpoint;
}

/** Halves the batch until the row that the database refuses is alone; everything else of it is promoted. */
async function splitBatch(
  context: Context,
  scope: PromotionScope,
  upload: UploadReadingRow,
  range: RowRange,
  from: PromoteState,
  cause: unknown,
): Promise<PromoteState> {
  if (range.to - range.from === 1) return refuseRow(context, upload, range, from, cause);
  const middle = range.from + Math.ceil((range.to - range.from) / 2);
  let state = from;
  for (const half of [
    { from: range.from, to: middle },
    { from: middle, to: range.to },
  ]) {
    try {
      state = await patiently(context, () => promoteRange(context, scope, half, state));
    } catch (error) {
      if (!isRowFault(error)) throw error;
      state = await splitBatch(context, scope, upload, half, state, error);
    }
  }
  return state;
}

export function withOutcomes(from: PromoteState, outcomes: readonly PromotedRow[], nextRow: number): PromoteState {
  const buckets: Partial<Record<PromotionOutcome, Bucket>> = { ...from.buckets };
  const add = (name: PromotionOutcome, bucket: Bucket) => {
    if (bucket.rows > 0) buckets[name] = addToBucket(buckets[name], bucket);
  };
  for (const row of outcomes) {
    if (row.outcome === 'contended') continue;
    const { rows, spend, impressions, clicks } = row;
    add(row.outcome, { rows, sums: { spend, impressions, clicks } });
    // Lines merged into a row that was not stored were not stored either.
    add(row.outcome === 'stale' ? 'stale' : 'merged', {
      rows: row.merged_rows,
      sums: { spend: row.merged_spend, impressions: row.merged_impressions, clicks: row.merged_clicks },
    });
  }
  const dates = [...new Set([...from.dates, ...outcomes.flatMap((row) => row.dates)])].sort();
  return { ...from, buckets, dates, nextRow };
}

function finish({ run, input }: Context, upload: UploadReadingRow, state: PromoteState): StageOutcome {
  const { counts } = upload;
  const buckets = allBuckets(counts, state.buckets);
  const promoted = promotedRows(buckets);
  const receipt = receiptOf(counts, buckets, { promoted, dimensions: state.upserted });
  if (!totalsAgree(counts, buckets))
    throw new MillraceError('receipt_unbalanced', { run: run.id, read: counts.read, accounted: 'other totals' });
  if (promoted === 0) {
    const isStale = (buckets.stale?.rows ?? 0) > 0;
    const error = new MillraceError(isStale ? 'nothing_newer' : 'nothing_promoted', { total: counts.read });
    return { on: 'fail', receipt, error: { code: error.code, text: error.message } };
  }
  const isPartial = counts.isGateOverridden || (state.buckets.rejected?.rows ?? 0) > 0;
  const metrics = {
    total_rows: counts.read,
    promoted_rows: promoted,
    failed_rows: buckets.rejected?.rows ?? 0,
    campaigns_upserted: state.upserted.campaign ?? 0,
    ad_sets_upserted: state.upserted.ad_set ?? 0,
    ads_upserted: state.upserted.ad ?? 0,
    daily_metrics_upserted: (buckets.inserted?.rows ?? 0) + (buckets.updated?.rows ?? 0),
  };
  const status = isPartial ? 'partial' : 'completed';
  return {
    on: isPartial ? 'part' : 'complete',
    receipt,
    emit: [ingestionComplete(run, input, status, metrics, state.dates)],
    ...(isPartial ? { error: partialError(counts.isGateOverridden, metrics) } : {}),
  };
}

function partialError(isOverridden: boolean, metrics: { total_rows: number; failed_rows: number }) {
  const why = isOverridden
    ? 'fewer than 90 % were valid and the valid rows were promoted as asked'
    : 'the database refused some of them';
  const error = new MillraceError('rows_failed', { failed: metrics.failed_rows, total: metrics.total_rows, why });
  return { code: error.code, text: error.message };
}

/** Repeats what lost against another transaction. A deadlock says nothing against the rows, so they are never counted as bad for it. */
async function patiently<T>(context: Context, attempt: () => Promise<T>): Promise<T> {
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
  return error instanceof MillraceError && error.code === 'transaction_conflict';
}

function isRowFault(error: unknown): boolean {
  return ROW_FAULTS.test(sqlStateOf(error) ?? '');
}
