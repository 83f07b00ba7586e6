// The rows of a file as GET /v1/runs/:run_id/rows shows them.
import type { ListFileRows } from '../../../http/pipeline-parts.ts';
import { hasStagedRows, listFileRows } from '../sql/list-file-rows.ts';

export const adsFileRows: ListFileRows = async (db, run, wanted) => {
  const { platform, client_id: clientId } = run.input as { platform?: string; client_id?: string | null };
  const listed = await listFileRows(db, {
    ...wanted,
    workspaceId: run.tenant_id,
    runId: run.id,
    platform: platform ?? '',
    clientId: clientId ?? null,
    isHeldBack: (run.receipt?.outcomes?.held_back ?? 0) > 0,
  });
  const rows = listed.map(({ row_index, line, outcome, metric_id, ...cells }) => ({
    row: row_index + 1,
    line,
    outcome,
    cells,
    stored_id: metric_id,
  }));
  return { rows, kept: rows.length > 0 || (await hasStagedRows(db, run.tenant_id, run.id)) };
};
