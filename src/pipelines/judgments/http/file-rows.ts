// The rows of a file as GET /v1/runs/:run_id/rows shows them.
import type { ListFileRows } from '../../../http/pipeline-parts.ts';
import { hasStagedRows, listFileRows } from '../sql/list-file-rows.ts';

export const judgmentsFileRows: ListFileRows = async (db, run, wanted) => {
  const listed = await listFileRows(db, { ...wanted, tenantId: run.tenant_id, runId: run.id });
  const rows = listed.map(({ row_index, line, outcome, judgment_id, ...cells }) => ({
    row: row_index + 1,
    line,
    outcome,
    cells,
    stored_id: judgment_id,
  }));
  // Of a batch whose every row was refused there is nothing to keep.
  const hadRows = Object.keys(run.receipt?.outcomes ?? {}).some((outcome) => outcome !== 'rejected');
  return { rows, kept: rows.length > 0 || !hadRows || (await hasStagedRows(db, run.tenant_id, run.id)) };
};
