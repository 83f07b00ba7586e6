// The rows of a job's file as GET /v1/runs/:run_id/rows shows them, with corrected cells in the place of those of the file.
import type { ListFileRows } from '../../../http/pipeline-parts.ts';
import { ItemsInput } from '../input.ts';
import { listItemsInOrder, listItemsOfStatuses } from '../sql/read-items.ts';

const unfiltered = { text: null, column: null, since: null };

export const itemsFileRows: ListFileRows = async (db, run, { outcomes, afterRow, limit }) => {
  const { job_id: jobId } = ItemsInput.parse(run.input);
  const page = { ...unfiltered, jobId, afterRow, limit };
  const items = await (outcomes === null
    ? listItemsInOrder(db, page)
    : listItemsOfStatuses(db, { ...page, statuses: outcomes }));
  const rows = items.map(({ id, row_index, line, status, input_json, corrections }) => ({
    row: row_index + 1,
    line: line ?? row_index + 1,
    outcome: status,
    cells: { ...input_json, ...corrections },
    stored_id: id,
  }));
  // A page may be empty because nothing fits the filter; a job without any row has been deleted.
  const isEmpty = run.receipt?.read === 0;
  const first = { ...unfiltered, jobId, afterRow: -1, limit: 1 };
  return { rows, kept: rows.length > 0 || isEmpty || (await listItemsInOrder(db, first)).length > 0 };
};
