// The promote stage: campaigns, ad sets and ads first, then the daily numbers (promote-rows.ts), then the receipt and the event. Counts
// come from what the statements returned and travel in the checkpoints.
import type { NotedDoubt } from '../../contract/doubts.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { announceDays, type ChosenGrain, chooseGrain } from './choose-grain.ts';
import { ingestionComplete } from './event.ts';
import { grainOf } from './grain.ts';
import type { AdsInput } from './input.ts';
import type { PromotedRows } from './lane-state.ts';
import { linkNames } from './link-names.ts';
import type { AdsDeps } from './parse.ts';
import type { ParseCounts } from './parse-counts.ts';
import { patiently, promoteRows } from './promote-rows.ts';
import { promotionScope } from './promotion-scope.ts';
import { allBuckets, promotedRows, receiptOf, totalsAgree } from './receipt.ts';
import {
  type Dimension,
  dimensions,
  type PromotionScope,
  resolveDimension,
  upsertDimension,
} from './sql/promote-dimensions.ts';
import { fixPlan, tuneTransaction } from './sql/tune-transaction.ts';
import { selectUploadReading, type UploadReadingRow } from './sql/upload-readings.ts';
import { type TakenBack, takeBack } from './take-back.ts';
import { undoUpload } from './undo.ts';

/** Dimensions written so far, with how many of their rows changed. */
type Upserted = Readonly<Partial<Record<Dimension, number>>>;
type Context = StageContext<AdsInput>;

export async function promoteUpload(context: Context, deps: AdsDeps): Promise<StageOutcome> {
  if (context.input.undo_of !== undefined) return undoUpload(context, context.input.undo_of);
  const upload = await context.commit((tx) => selectUploadReading(tx, context.run.id));
  if (upload === undefined) throw new MillraceError('upload_file_gone', { run: context.run.id });
  const grain = grainOf(upload);
  const scope = promotionScope(context, { part: grain.part, rereadOf: context.input.reread_of ?? null });
  const linked = await linkNames(context, scope, upload.mapping.namesApart === true);
  const upserted = await promoteDimensions(context, scope);
  const days = await announceDays(context, scope, grain);
  const promoted = await promoteRows({ context, deps, scope, upload, days });
  const taken = await takeBack(context, scope);
  const chosen = await chooseGrain(context, scope, grain, [...new Set([...days, ...taken.days, ...linked])]);
  const dates = [...new Set([...promoted.dates, ...taken.days])].sort();
  return finish(context, upload, { dimensions: upserted, ...chosen, ...taken.counts }, { ...promoted, dates });
}

async function promoteDimensions(context: Context, scope: PromotionScope): Promise<Upserted> {
  let state = (await context.checkpoint<{ upserted: Upserted }>()) ?? { upserted: {} };
  for (const dimension of dimensions) {
    if (state.upserted[dimension] !== undefined) continue;
    // The checkpoint depends on what the statement returns, so it is finished inside the transaction.
    const checkpoint = { ...state };
    await patiently(context, () =>
      context.commit(
        async (tx) => {
          await tuneTransaction(tx);
          await fixPlan(tx);
          const written = await upsertDimension(tx, dimension, scope);
          await resolveDimension(tx, dimension, scope);
          Object.assign(checkpoint, { upserted: { ...state.upserted, [dimension]: written } });
        },
        { checkpoint },
      ),
    );
    state = checkpoint;
  }
  return state.upserted;
}

function finish(
  { run, input }: Context,
  upload: UploadReadingRow,
  details: ChosenGrain & TakenBack['counts'] & { readonly dimensions: Upserted },
  rows: PromotedRows,
): StageOutcome {
  const counts = withEmptied(upload.counts, rows.emptied ?? 0);
  const buckets = allBuckets(counts, rows.buckets);
  const promoted = promotedRows(buckets);
  const receipt = receiptOf(counts, buckets, { promoted, ...details });
  const { dimensions: upserted } = details;
  if (!totalsAgree(counts, buckets))
    throw new MillraceError('receipt_unbalanced', { run: run.id, read: counts.read, accounted: 'other totals' });
  if (promoted === 0) {
    const stale = buckets.stale?.rows ?? 0;
    const error =
      stale > 0
        ? new MillraceError('nothing_newer', { total: stale })
        : new MillraceError('nothing_promoted', { total: counts.read });
    return { on: 'fail', receipt, error: { code: error.code, text: error.message } };
  }
  const isPartial = counts.isGateOverridden || (rows.buckets.rejected?.rows ?? 0) > 0;
  const metrics = {
    total_rows: counts.read,
    promoted_rows: promoted,
    failed_rows: buckets.rejected?.rows ?? 0,
    campaigns_upserted: upserted.campaign ?? 0,
    ad_sets_upserted: upserted.ad_set ?? 0,
    ads_upserted: upserted.ad ?? 0,
    daily_metrics_upserted: (buckets.inserted?.rows ?? 0) + (buckets.updated?.rows ?? 0),
  };
  const status = isPartial ? 'partial' : 'completed';
  return {
    on: isPartial ? 'part' : 'complete',
    receipt,
    emit: [ingestionComplete(run, input, status, metrics, rows.dates, counts.doubts)],
    ...(isPartial ? { error: partialError(counts.isGateOverridden, metrics) } : {}),
  };
}

/** Found only when the numbers were written: before them nobody knew which ones the file restates. */
function withEmptied(counts: ParseCounts, emptied: number): ParseCounts {
  if (emptied === 0) return counts;
  const doubt: NotedDoubt = {
    code: 'measure_missing',
    message: `${emptied} numbers that were stored before had values that this file does not have; they are unknown now. Undo the upload to have them back.`,
    rows_at_stake: emptied,
    lines: [],
  };
  return { ...counts, doubts: { ...counts.doubts, [doubt.code]: 1 }, in_doubt: [...(counts.in_doubt ?? []), doubt] };
}

function partialError(isOverridden: boolean, metrics: { total_rows: number; failed_rows: number }) {
  const why = isOverridden
    ? 'fewer than 90 % were valid and the valid rows were promoted as asked'
    : 'the database refused some of them';
  const error = new MillraceError('rows_failed', { failed: metrics.failed_rows, total: metrics.total_rows, why });
  return { code: error.code, text: error.message };
}
