// Handles a valid row that the database refuses: promotion takes it out of its batch and keeps it as a reject, together with the lines that were added
// to it.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { openRunFile } from '../../tabular/open-run-file.ts';
import { openTable } from '../../tabular/read-table.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import { startOfFile } from '../../tabular/row-batch.ts';
import { rowIssue } from '../../tabular/validation/row-issue.ts';
import { cellsOf, rejectOf } from '../../tabular/validation/row-reject.ts';
import type { AdsInput } from './input.ts';
import type { LaneState } from './lane-state.ts';
import type { AdsDeps } from './parse.ts';
import type { Bucket } from './parse-counts.ts';
import { addToBucket } from './receipt.ts';
import type { RowRange } from './sql/judge-metrics.ts';
import { type StagedRow, selectMergedLines, selectStagedRow } from './sql/select-staged-row.ts';
import type { UploadReadingRow } from './sql/upload-readings.ts';

type Cells = Readonly<Record<string, string | null>>;

export interface Refusal {
  readonly context: StageContext<AdsInput>;
  readonly deps: AdsDeps;
  readonly upload: UploadReadingRow;
}

export async function refuseRow(work: Refusal, range: RowRange, from: LaneState, cause: unknown): Promise<LaneState> {
  const { context } = work;
  const staged = await context.commit((tx) => selectStagedRow(tx, context.run.id, range.from));
  if (staged === undefined) throw cause;
  const bucket = bucketOf(staged);
  const rejected = addToBucket(from.buckets.rejected, bucket);
  const state: LaneState = { ...from, nextRow: range.to, buckets: { ...from.buckets, rejected } };
  const merged =
    staged.merged_rows === 0 ? [] : await context.commit((tx) => selectMergedLines(tx, context.run.id, range.from));
  const rejects = [];
  for (const { line, byte_offset: offset } of [staged, ...merged]) {
    const issue = rowIssue({ line, offset }, 'promotion_failed', null, null, 'error', { reason: reasonOf(cause) });
    rejects.push(rejectOf({ line, offset }, [issue], await cellsInFile(work, line, offset)));
  }
  await context.commit(async () => {}, { checkpoint: state, part: from.part, rejects });
  return state;
}

/** The row and the lines merged into it. */
function bucketOf(row: StagedRow): Bucket {
  const { spend, impressions, clicks } = row;
  const own = { rows: 1, sums: { spend: spend ?? '0', impressions: impressions ?? '0', clicks: clicks ?? '0' } };
  return addToBucket(own, {
    rows: row.merged_rows,
    sums: { spend: row.merged_spend, impressions: row.merged_impressions, clicks: row.merged_clicks },
  });
}

/** The row as the file has it: a person finds it there, and a replay reads it as the file was read. */
async function cellsInFile({ context, deps, upload }: Refusal, line: number, offset: number): Promise<Cells> {
  const { run, input } = context;
  const { reading } = upload;
  const source = await openRunFile(context, deps);
  const isReplay = input.replay_of !== undefined;
  const table = isReplay ? replayTable(source, reading) : openTable(source, reading);
  // Delimited text can be opened at any row; other files are read from their start.
  const canSeek = !isReplay && reading.format === 'csv';
  for await (const batch of table.batches(canSeek ? { offset, line, row: 0 } : startOfFile))
    for (let row = 0; row < batch.rowCount; row++)
      if (batch.offset(row) === offset && batch.line(row) === line)
        return cellsOf(batch, row, reading.header.value.names);
  throw new MillraceError('upload_file_gone', { run: run.id });
}

/** The server's first sentence names the constraint; its details could repeat the row. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.message.split('\n')[0] ?? ''}.` : 'no reason was given.';
}
