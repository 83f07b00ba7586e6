// The one stage of a batch: read the file into staging, then store what is staged. Row errors are logged by number and code only.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import {
  type DoubtsOnReceipt,
  isReadSo,
  noteDoubts,
  onDoubtOf,
  refusal,
  type SaidOfDoubts,
  saidOfDoubts,
  stopForDoubts,
  unsettled,
  unsettledLate,
  withAnswers,
  withoutDisproved,
} from '../../tabular/doubt-question.ts';
import { selectMapping } from '../../tabular/mapping/sql/select-mapping.ts';
import { twinDoubts } from '../../tabular/mapping/twin-columns.ts';
import { openRunFile } from '../../tabular/open-run-file.ts';
import type { ReadingOverrides } from '../../tabular/reading.ts';
import { mapLike, readLike } from '../../tabular/returned-rows.ts';
import { doubtsOfFindings, nothingFound } from '../../tabular/set-aside-watch.ts';
import { judgmentFields } from './fields.ts';
import { freshState, type ImportState, receiptOf } from './import-state.ts';
import type { JudgmentsInput } from './input.ts';
import { loadRows } from './load-rows.ts';
import { type BatchReading, decideMapping, decideReading, fingerprintOf, requireUsable } from './reading.ts';
import type { RowError } from './row-stager.ts';
import { insertBatchReading, selectBatchReading, selectOverrides, upsertOverrides } from './sql/batch-readings.ts';
import { readRevision } from './sql/find-batch.ts';
import { stageFile } from './stage-rows.ts';

export interface JudgmentsDeps {
  readonly store: BlobStore;
  /** Bytes per batch of rows; small in tests, so that a small file has many checkpoints. */
  readonly batchBytes?: number;
  /** Rows per flush into staging at the start. */
  readonly flushRows?: number;
  /** Rows per transaction into production at the start. */
  readonly loadRows?: number;
  /** Rows per lane of storing. */
  readonly laneRows?: number;
}

type Context = StageContext<JudgmentsInput>;

/** All refused rows are kept and shown; this many of a batch are logged as well. */
const MAX_ROW_ERRORS_LOGGED = 1_000;
/** What a case is told by, and what it is about. */
const namingFields: ReadonlySet<string> = new Set([
  'case_number',
  'county',
  'plaintiff_name',
  'defendant_name',
  'judgment_amount',
  'filing_date',
]);

export async function importBatch(context: Context, deps: JudgmentsDeps): Promise<StageOutcome> {
  const source = await openRunFile(context, deps);
  const said = saidOfDoubts(await context.answers());
  if (said.isRefused) return refusal();
  const batch = await settleReading(context, source, said);
  requireUsable(batch.mapping);
  // Its names are known, so header and delimiter are right.
  const doubts = unsettled(withoutDisproved(batch.reading.doubts ?? []), said);
  let state = (await context.checkpoint<ImportState>()) ?? freshState;
  const stop = state === freshState ? stopForDoubts(doubts, onDoubtOf(context.input), true) : null;
  if (stop !== null) return stop;
  if (state.step === 'rows') {
    const batchId = await context.commit((tx) => readRevision(tx, context.run.id));
    const onErrors = rowErrorLog(context, batchId ?? context.input.source_batch_id);
    state = await stageFile(context, source, batch, state, { ...deps, onErrors });
  }
  const all = [...doubts, ...unsettledLate(doubtsOfFindings(state.counts.setAside ?? nothingFound), said)];
  const noted = noteDoubts(all);
  if (state.step === 'load') {
    // A reading that began before doubts were kept ends as it began.
    const late = state.counts.setAside === undefined ? null : stopForDoubts(all, onDoubtOf(context.input), false);
    if (late !== null) return { ...late, receipt: receiptOf(state, noted, state.counts.staged) };
    state = await loadRows(context, state, deps);
  }
  return judge(state, noted);
}

/** Decided at the first attempt and stored before a row is read; again when somebody wants it read otherwise. */
async function settleReading(context: Context, source: ByteSource, said: SaidOfDoubts): Promise<BatchReading> {
  const { run, input, commit } = context;
  const stored = await commit((tx) => selectBatchReading(tx, run.id));
  if (stored !== undefined && isReadSo(stored.reading, said)) return stored;
  const found =
    input.replay_of === undefined
      ? await sniff(context, source, said)
      : await readingOfOriginal(context, input.replay_of);
  const decided = { ...found, reading: withAnswers(found.reading, said) };
  const batch = { batchId: run.id, tenantId: run.tenantId };
  await commit(async (tx) => {
    await insertBatchReading(tx, { ...batch, ...decided });
    if (decided.reading.answered === undefined) return;
    const before = await selectOverrides(tx, run.id);
    await upsertOverrides(tx, { ...batch, overrides: { ...before, ...said.overrides } });
  });
  return decided;
}

async function sniff({ run, input, commit }: Context, source: ByteSource, said: SaidOfDoubts): Promise<BatchReading> {
  const { retryOf } = run;
  const inherited = retryOf === null ? null : await commit((tx) => selectOverrides(tx, retryOf));
  const { corrects } = input;
  const corrected = corrects === undefined ? undefined : await commit((tx) => selectBatchReading(tx, corrects));
  const asked: ReadingOverrides = {
    ...(corrected === undefined ? {} : readLike(corrected.reading)),
    ...inherited,
    ...(input.reading as ReadingOverrides | undefined),
    ...said.overrides,
  };
  const first = await decideReading(source, { fileName: input.filename, overrides: asked });
  if (corrected !== undefined)
    return { reading: first, mapping: { ...corrected.mapping, columns: mapLike(corrected.mapping, first) } };
  const version = input.mapping_version === undefined ? {} : { version: input.mapping_version };
  const saved = await commit((tx) =>
    selectMapping(tx, { pipeline: 'judgments', fingerprint: fingerprintOf(first), ...version }),
  );
  const isPlain = saved === null || Object.keys(saved.reading).length === 0;
  const reading = isPlain ? first : await decideReading(source, { overrides: { ...saved.reading, ...asked } });
  const mapping = decideMapping(reading, saved);
  const twins = twinDoubts(reading, mapping, judgmentFields, namingFields);
  return { reading: { ...reading, doubts: [...(reading.doubts ?? []), ...twins] }, mapping };
}

/** A replay reads its rows as the original run did, whatever has been saved since. */
async function readingOfOriginal({ commit }: Context, original: string): Promise<BatchReading> {
  const stored = await commit((tx) => selectBatchReading(tx, original));
  if (stored === undefined) throw new MillraceError('replay_rows_gone', { run: original });
  return stored;
}

/** Completed with refused rows is completed; nothing but refused rows is not. */
function judge(state: ImportState, doubts: DoubtsOnReceipt): StageOutcome {
  const { read, staged } = state.counts;
  if (read === 0) throw new MillraceError('empty_file');
  const receipt = receiptOf(state, doubts);
  if (staged > 0) return { on: 'complete', receipt };
  const error = new MillraceError('nothing_imported', { total: read });
  return { on: 'fail', receipt, error: { code: error.code, text: error.message } };
}

/** `batchId` with its revision: rows of a corrected file are not those of the first one. */
function rowErrorLog({ log }: Context, batchId: string): (errors: readonly RowError[]) => void {
  let logged = 0;
  return (errors) => {
    for (const { rowNumber, code } of errors) {
      if (logged++ >= MAX_ROW_ERRORS_LOGGED) return;
      log.warn({ source_batch_id: batchId, row_number: rowNumber, error_type: code }, 'Row-level error');
    }
  };
}
