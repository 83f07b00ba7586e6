// The parse stage reads the file into staged rows. It commits every piece of rows together with its rejects and the file position behind it, so that the
// next attempt continues exactly there. It reads the next piece while it writes one.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import { accountedFor, isBalanced, type Receipt } from '../../engine/receipt.ts';
import { linkReturnedRejects } from '../../engine/sql/link-returned-rejects.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import {
  noteDoubts,
  onDoubtOf,
  refusal,
  saidOfDoubts,
  stopForDoubts,
  unsettled,
  unsettledLate,
} from '../../tabular/doubt-question.ts';
import { openRunFile } from '../../tabular/open-run-file.ts';
import { openTable, type Table } from '../../tabular/read-table.ts';
import type { ReadingDoubt } from '../../tabular/reading.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import type { ReturnedRow } from '../../tabular/returned-rows.ts';
import { doubtsOfFindings, nothingFound } from '../../tabular/set-aside-watch.ts';
import { stagePieces } from '../../tabular/stage-pieces.ts';
import { ControlTotals } from './control-totals.ts';
import { doubtsOf, totalDoubts } from './doubts.ts';
import type { AdsInput } from './input.ts';
import { KeyHasher } from './natural-key.ts';
import { Normalizer } from './normalize.ts';
import { freshState, type ParseCounts, type ParseState, type ParseStep, passesGate } from './parse-counts.ts';
import { type AppliedMapping, requireUsable } from './reading.ts';
import { gateBuckets, receiptOf, totalsAgree } from './receipt.ts';
import { rejectDuplicates } from './reject-duplicates.ts';
import { RowStager } from './row-stager.ts';
import { settleReading } from './settle-reading.ts';
import { foldDuplicates } from './sql/fold-duplicates.ts';
import { insertStagingRows } from './sql/insert-staging-rows.ts';
import { sumValidRows } from './sql/sum-valid-rows.ts';
import { tuneTransaction } from './sql/tune-transaction.ts';
import { updateUploadCounts } from './sql/upload-readings.ts';

export interface AdsDeps {
  readonly store: BlobStore;
  /** Bytes per batch of rows; small in tests, so that a small file has many checkpoints. */
  readonly batchBytes?: number;
  /** Rows per flush at the start. */
  readonly flushRows?: number;
  /** Rows per promotion batch at the start. */
  readonly promotionRows?: number;
}

type Context = StageContext<AdsInput>;

/** The largest flush bounds memory: two are held at a time, one being filled and one being written. 16,000 took 20 MB more and no less time. */
const FLUSH = { name: 'rows per flush', initial: 8_000, min: 1_000, max: 8_000, targetMs: 500 } as const;

export async function parseUpload(context: Context, deps: AdsDeps): Promise<StageOutcome> {
  // An undo has no file.
  if (context.input.undo_of !== undefined) return { on: 'pass' };
  const source = await openRunFile(context, deps);
  const said = saidOfDoubts(await context.answers());
  if (said.isRefused) return refusal();
  const { reading, mapping } = await settleReading(context, source, said);
  requireUsable({ reading, mapping }, context.input.platform);
  const doubts = unsettled(doubtsOf(reading, mapping), said);
  const table = context.input.replay_of === undefined ? openTable(source, reading, deps) : replayTable(source, reading);
  let state = (await context.checkpoint<ParseState>()) ?? freshState;
  const stop = state === freshState ? stopForDoubts(doubts, onDoubtOf(context.input), true) : null;
  if (stop !== null) return stop;
  if (state.step === 'rows') state = await stageRows(context, deps, source, table, mapping, state);
  if (state.step === 'fold') state = await fold(context, mapping, state);
  if (state.step === 'duplicates') state = await rejectDuplicates(context, table, state);
  const found = [...doubtsOfFindings(state.setAside ?? nothingFound), ...totalDoubts(state.counts)];
  return judge(context, state, [...doubts, ...unsettledLate(found, said)]);
}

async function stageRows(
  context: Context,
  deps: AdsDeps,
  source: ByteSource,
  table: Table,
  mapping: AppliedMapping,
  from: ParseState,
): Promise<ParseState> {
  const { run, input } = context;
  const keys = new KeyHasher({
    workspaceId: run.tenantId,
    clientId: input.client_id ?? null,
    platform: input.platform,
  });
  const stager = new RowStager(table.reading, mapping, keys, from, source.size);
  const target = { uploadId: run.id, workspaceId: run.tenantId, isResumed: run.attempt > 1 };
  const initial = deps.flushRows ?? FLUSH.initial;
  const size = new AdaptiveSize({ ...FLUSH, initial, min: Math.min(FLUSH.min, initial), onDecision: context.decide });
  let state = from;
  const write = async (isLast: boolean, lines: ReturnedRow[]) => {
    const piece = stager.take(isLast ? afterRows(stager) : 'rows');
    state = piece.state;
    const links = { tenantId: run.tenantId, original: input.corrects ?? '', runId: run.id, lines };
    await context.commit(
      async (tx) => {
        await insertStagingRows(tx, target, piece.flush);
        await linkReturnedRejects(tx, links);
      },
      { checkpoint: piece.state, rejects: piece.rejects },
    );
    return piece.flush.rows;
  };
  await stagePieces(context, {
    batches: table.batches(from.position),
    stager,
    size,
    totalBytes: source.size,
    returnedAs: input.corrects === undefined ? null : table.reading.header.value.names,
    write,
  });
  return state;
}

/** Lines that share a key are looked for only where there can be some: 263,000 keys take the database 0.3 s. */
function afterRows(stager: RowStager): ParseStep {
  return stager.mayRepeatKeys ? 'fold' : 'done';
}

async function fold(context: Context, mapping: AppliedMapping, state: ParseState): Promise<ParseState> {
  const { isSegmented } = new Normalizer(mapping.columns, {}, mapping);
  // The checkpoint depends on what the statement finds, so it is finished inside the transaction.
  const checkpoint = { ...state };
  await context.commit(
    async (tx) => {
      await tuneTransaction(tx);
      const folded = await foldDuplicates(tx, context.run.id, isSegmented);
      Object.assign(checkpoint, withFolded(state, folded));
    },
    { checkpoint },
  );
  return checkpoint;
}

function withFolded(state: ParseState, folded: Awaited<ReturnType<typeof foldDuplicates>>): ParseState {
  const bucketOf = (verdict: string) => {
    const found = folded.find((row) => row.verdict === verdict);
    if (found === undefined) return undefined;
    const { rows, spend, impressions, clicks } = found;
    return { rows, sums: { spend, impressions, clicks } };
  };
  const duplicates = bucketOf('duplicate');
  const counts: ParseCounts = {
    ...state.counts,
    superseded: bucketOf('superseded') ?? state.counts.superseded,
    merged: bucketOf('merged') ?? state.counts.merged,
  };
  return duplicates === undefined
    ? { ...state, counts, step: 'done' }
    : { ...state, counts: withRejected(counts, duplicates), step: 'duplicates' };
}

function withRejected(counts: ParseCounts, duplicates: { rows: number; sums: ParseCounts['file'] }): ParseCounts {
  const sums = new ControlTotals(counts.rejected.sums);
  sums.addSums(duplicates.sums);
  return {
    ...counts,
    valid: counts.valid - duplicates.rows,
    rejected: { rows: counts.rejected.rows + duplicates.rows, sums: sums.toJSON() },
  };
}

/**
 * The gate. What is in doubt stops before it. Below it the run passes through staging_complete to failed in one transaction: nobody can claim
 * it in between.
 */
async function judge(context: Context, state: ParseState, doubts: readonly ReadingDoubt[]): Promise<StageOutcome> {
  const { run, input } = context;
  const passes = passesGate(state.counts);
  const counts = { ...state.counts, isGateOverridden: !passes, ...noteDoubts(doubts) };
  await context.commit((tx) => updateUploadCounts(tx, { uploadId: run.id, counts, furniture: state.furniture }));
  const { read, valid } = counts;
  if (read === 0) throw new MillraceError('empty_file');
  if (passes || (input.force_partial === true && valid > 0)) {
    // A reading that began before doubts were kept ends as it began.
    const stop = state.setAside === undefined ? null : stopForDoubts(doubts, onDoubtOf(input), false);
    return stop === null ? { on: 'pass' } : { ...stop, receipt: await heldBack(context, counts) };
  }
  const percent = (Math.floor((valid * 10_000) / read) / 100).toFixed(2);
  const error =
    valid === 0
      ? new MillraceError('nothing_promoted', { total: read })
      : new MillraceError('below_threshold', { valid, total: read, percent });
  const receipt = await heldBack(context, counts);
  return { via: ['pass'], on: 'fail', error: { code: error.code, text: error.message }, receipt };
}

/** The receipt of an upload that stays in staging. */
async function heldBack({ run, commit }: Context, counts: ParseCounts): Promise<Receipt> {
  const buckets = gateBuckets(counts, await commit((tx) => sumValidRows(tx, run.id)));
  const receipt = receiptOf(counts, buckets, { promoted: 0 });
  if (!isBalanced(receipt) || !totalsAgree(counts, buckets))
    throw new MillraceError('receipt_unbalanced', { run: run.id, read: counts.read, accounted: accountedFor(receipt) });
  return receipt;
}
