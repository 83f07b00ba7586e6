// Exports: the snapshot they are read from, page by page, and where they are kept.
import type { Queryable } from '../../../platform/database.ts';
import type { SheetRow } from '../export/sheet.ts';
import { shownStatus, withSlice } from './at-work.ts';

export interface ExportRow {
  readonly export_id: string;
  readonly format: 'csv' | 'xlsx';
  readonly as_of: Date;
  readonly blob_id: string;
  readonly bytes: number;
  readonly rows: number;
}

const columns = 'export_id, format, as_of, blob_id, bytes, rows';

/** Up to so many from the next row on; none: there are no more. The rows are named by their numbers, so that there is nothing to sort. */
export async function pageForExport(
  db: Queryable,
  jobId: string,
  afterRow: number,
  limit: number,
): Promise<SheetRow[]> {
  const { rows } = await db.query<SheetRow>({
    name: 'items-page-for-export',
    text: `
      select i.row_index, ${shownStatus} as status, i.last_error, i.input_json, i.corrections, i.result_json
      from public.job_items i ${withSlice}
      where i.job_id = $1 and i.row_index > $2
        and i.row_index < (select row_index from public.job_items where job_id = $1 and row_index > $2 order by row_index limit 1) + $3
      order by i.row_index`,
    values: [jobId, afterRow, limit],
  });
  return rows;
}

export async function insertExport(
  db: Queryable,
  made: {
    readonly exportId: string;
    readonly tenantId: string;
    readonly jobId: string;
    readonly format: string;
    readonly asOf: string;
    readonly blobId: string;
    readonly bytes: number;
    readonly rows: number;
    readonly by: string;
  },
): Promise<ExportRow> {
  const { rows } = await db.query<ExportRow>({
    name: 'items-insert-export',
    text: `
      insert into public.item_exports (export_id, tenant_id, job_id, format, as_of, blob_id, bytes, rows, created_by)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
    values: [
      made.exportId,
      made.tenantId,
      made.jobId,
      made.format,
      made.asOf,
      made.blobId,
      made.bytes,
      made.rows,
      made.by,
    ],
  });
  return rows[0] as ExportRow;
}

export async function selectExport(db: Queryable, jobId: string, exportId: string): Promise<ExportRow | undefined> {
  const { rows } = await db.query<ExportRow>({
    name: 'items-select-export',
    text: `select ${columns} from public.item_exports where job_id = $1 and export_id = $2`,
    values: [jobId, exportId],
  });
  return rows[0];
}
