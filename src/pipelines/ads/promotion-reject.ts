// A valid row that the database refuses: taken out of its batch, counted and kept as a reject like any other.
import type { StageContext } from '../../engine/stage-context.ts';
import { rowIssue } from '../../tabular/validation/row-issue.ts';
import { ControlTotals, noSums } from './control-totals.ts';
import type { AdsInput } from './input.ts';
import type { LaneState } from './lane-state.ts';
import { addToBucket } from './receipt.ts';
import { rejectOf } from './row-stager.ts';
import type { RowRange } from './sql/promote-metrics.ts';
import { type StagedRow, selectStagedRow } from './sql/select-staged-row.ts';
import type { UploadReadingRow } from './sql/upload-readings.ts';

export async function refuseRow(
  context: StageContext<AdsInput>,
  upload: UploadReadingRow,
  range: RowRange,
  from: LaneState,
  cause: unknown,
): Promise<LaneState> {
  const staged = await context.commit((tx) => selectStagedRow(tx, context.run.id, range.from));
  if (staged === undefined) throw cause;
  const bucket = bucketOf(staged);
  const rejected = addToBucket(from.buckets.rejected, bucket);
  const state: LaneState = { ...from, nextRow: range.to, buckets: { ...from.buckets, rejected } };
  const place = { line: staged.line, offset: staged.byte_offset };
  const issue = rowIssue(place, 'promotion_failed', null, null);
  const message = issue.message.replace('{reason}', reasonOf(cause));
  const reject = rejectOf(place, [{ ...issue, message }], cellsFrom(staged, upload));
  await context.commit(async () => {}, { checkpoint: state, part: from.part, rejects: [reject] });
  return state;
}

/** The row and the lines merged into it. */
function bucketOf({ spend, impressions, clicks, merged }: StagedRow) {
  const sums = new ControlTotals(noSums);
  sums.addSums({ spend: spend ?? '0', impressions: impressions ?? '0', clicks: clicks ?? '0' });
  if (merged === null) return { rows: 1, sums: sums.toJSON() };
  sums.addSums({
    spend: String(merged.spend ?? 0),
    impressions: String(merged.impressions ?? 0),
    clicks: String(merged.clicks ?? 0),
  });
  return { rows: 1 + merged.rows, sums: sums.toJSON() };
}

/** Promotion knows the row by its fields; a person knows it by its columns. */
function cellsFrom(staged: StagedRow, upload: UploadReadingRow): Record<string, string> {
  const cells: Record<string, string> = {};
  for (const { header, field } of upload.mapping.columns) {
    const value = field === null ? undefined : staged.values[field];
    cells[header] ??= value == null ? '' : String(value);
  }
  return cells;
}

/** The server's first sentence names the constraint; its details could repeat the row. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.message.split('\n')[0] ?? ''}.` : 'no reason was given.';
}
