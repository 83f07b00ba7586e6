// Lines refused because an earlier one has the same key are found only when all are staged. Their cells are read a second time from
// the file, in one pass, and written down as rejects in bounded pieces.
import type { RejectRecord } from '../../engine/sql/insert-rejects.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { Table } from '../../tabular/read-table.ts';
import { type RowIssue, rowIssue } from '../../tabular/validation/row-issue.ts';
import { cellsOf, rejectOf } from '../../tabular/validation/row-reject.ts';
import type { AdsInput } from './input.ts';
import type { ParseState } from './parse-counts.ts';
import { type DuplicateRow, selectDuplicates } from './sql/fold-duplicates.ts';

const REJECTS_PER_COMMIT = 2_000;
/** A column that tells the rows apart may be unknown to us; then they are parts of one number. */
const addThemUp = { fix: { kind: 'reread', add_repeated: true }, label: 'add up the rows with the same day and ids' };

export async function rejectDuplicates(
  context: StageContext<AdsInput>,
  table: Table,
  from: ParseState,
): Promise<ParseState> {
  const wanted = await context.commit((tx) => selectDuplicates(tx, context.run.id, from.duplicatesTo));
  const byOffset = new Map(wanted.map((row) => [row.byte_offset, row]));
  let state = from;
  let gathered: RejectRecord[] = [];
  let last = from.duplicatesTo;
  const write = async (step: ParseState['step']) => {
    state = { ...state, step, duplicatesTo: last };
    await context.commit(async () => {}, { checkpoint: state, rejects: gathered });
    gathered = [];
  };
  const names = table.reading.header.value.names;
  for await (const batch of table.batches()) {
    context.signal.throwIfAborted();
    for (let row = 0; row < batch.rowCount && byOffset.size > 0; row++) {
      const duplicate = byOffset.get(batch.offset(row));
      if (duplicate === undefined || batch.kinds[row] !== 0) continue;
      byOffset.delete(batch.offset(row));
      last = duplicate.row_index;
      const place = { line: duplicate.line, offset: duplicate.byte_offset };
      const reject = rejectOf(place, [duplicateIssue(duplicate)], cellsOf(batch, row, names));
      gathered.push({ ...reject, suggestion: addThemUp });
    }
    if (gathered.length >= REJECTS_PER_COMMIT) await write('duplicates');
    if (byOffset.size === 0) break;
  }
  await write('done');
  return state;
}

function duplicateIssue({ line, byte_offset, first_line }: DuplicateRow): RowIssue {
  return rowIssue({ line, offset: byte_offset }, 'duplicate_key', null, null, 'error', { line: first_line });
}
