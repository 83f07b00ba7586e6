// GET /v1/runs/:run_id/rows: what the segments of a receipt are made of.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { hasStagedRows, listFileRows as listAdsRows } from '../../../pipelines/ads/sql/list-file-rows.ts';
import {
  hasStagedRows as hasStagedCases,
  listFileRows as listCases,
} from '../../../pipelines/judgments/sql/list-file-rows.ts';
import type { Queryable } from '../../../platform/database.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { requireVisibleRun } from '../../runs/show-run.ts';
import type { RunRow } from '../../sql/run-columns.ts';
import { look } from '../change.ts';

type FileRow = AnswerOf<'runs.rows'>['data'][number];

interface Wanted {
  readonly outcomes: readonly string[] | null;
  readonly afterRow: number;
  readonly limit: number;
}

export const listFileRows = handle('runs.rows', async (call) => {
  const { limit, after, outcome } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const wanted = {
    outcomes: outcome === undefined ? null : outcome.split(','),
    // The cursor counts from one, the rows of a file from zero.
    afterRow: Number(cursor?.[0] ?? 0) - 1,
    limit: limit + 1,
  };
  const { rows, kept } = await look(call, async (db) => {
    const run = await requireVisibleRun(db, call.principal, call.params.run_id);
    return rowsOf(db, run, wanted);
  });
  return { ...pageOf(rows, limit, (row) => writeCursor(row.row)), kept } as AnswerOf<'runs.rows'>;
});

async function rowsOf(db: Queryable, run: RunRow, wanted: Wanted): Promise<{ rows: FileRow[]; kept: boolean }> {
  if (run.pipeline === 'ads') return adsRows(db, run, wanted);
  if (run.pipeline === 'judgments') return caseRows(db, run, wanted);
  return { rows: [], kept: false };
}

async function adsRows(db: Queryable, run: RunRow, wanted: Wanted) {
  const { platform, client_id: clientId } = run.input as { platform?: string; client_id?: string | null };
  const listed = await listAdsRows(db, {
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
}

async function caseRows(db: Queryable, run: RunRow, wanted: Wanted) {
  const listed = await listCases(db, { ...wanted, tenantId: run.tenant_id, runId: run.id });
  const rows = listed.map(({ row_index, line, outcome, judgment_id, ...cells }) => ({
    row: row_index + 1,
    line,
    outcome,
    cells,
    stored_id: judgment_id,
  }));
  // Of a batch whose every row was refused there is nothing to keep.
  const hadRows = Object.keys(run.receipt?.outcomes ?? {}).some((outcome) => outcome !== 'rejected');
  return { rows, kept: rows.length > 0 || !hadRows || (await hasStagedCases(db, run.tenant_id, run.id)) };
}
