// Writes every item of a job into a file of one moment: one snapshot, read by keyset pages, streamed into the blob store. Memory does not grow with the job.
import { recordBlob } from '../../../engine/blobs/blobs.ts';
import { blobKey } from '../../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { type Pool, type Queryable, withTenant } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { csvHeader, csvRow } from '../../../tabular/csv/write-csv.ts';
import { writeXlsx } from '../../../tabular/xlsx/write-xlsx.ts';
import { type ExportRow, insertExport, pageForExport } from '../sql/exports.ts';
import type { JobRow } from '../sql/jobs.ts';
import { readMoment } from '../sql/read-items.ts';
import { cellText, cellValue, type SheetColumn, type SheetRow, sheetColumns } from './sheet.ts';

export interface ExportOrder {
  readonly format: 'csv' | 'xlsx';
  readonly by: string;
  readonly createdBy: string | undefined;
}

const PAGE = 2_000;
const MAX_BYTES = 64 * 1024 ** 3;
const KEEP_DAYS = 7;
const FLUSH_CHARS = 256 * 1024;
const mediaTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export async function writeExport(
  { pool, store }: { readonly pool: Pool; readonly store: BlobStore },
  job: JobRow,
  { format, by, createdBy }: ExportOrder,
): Promise<ExportRow> {
  const { tenant_id: tenantId, job_id: jobId } = job;
  const columns = sheetColumns(job.input_columns, job.output_columns);
  const blobId = uuidv7();
  const storeKey = blobKey({ tenantId, blobId, extension: format });
  const counted = { rows: 0 };
  const session = { tenantId, role: 'millrace_app' };
  const snapshot = { isolation: 'repeatable read', readOnly: true } as const;
  const read = async (db: Queryable) => {
    const asOf = await readMoment(db);
    const pages = allPages(db, jobId, counted);
    const body = format === 'csv' ? csvBytes(columns, pages) : xlsxBytes(columns, pages);
    return { asOf, stored: await store.put(storeKey, body, { maxBytes: MAX_BYTES }) };
  };
  const written = await withTenant(pool, session, read, snapshot);
  const { asOf, stored } = written;
  const originalName = `${job.file_name.replace(/\.[a-z0-9]{1,5}$/i, '')} ${asOf.slice(0, 19).replaceAll(':', '')}.${format}`;
  const file = { blobId, tenantId, storeKey, ...stored, format, mediaType: mediaTypes[format], originalName };
  return withTenant(pool, { tenantId, role: 'millrace_app' }, async (db) => {
    await recordBlob(db, file, { createdBy, keepDays: KEEP_DAYS });
    return insertExport(db, {
      exportId: uuidv7(),
      tenantId,
      jobId,
      format,
      asOf,
      blobId,
      bytes: stored.bytes,
      rows: counted.rows,
      by,
    });
  });
}

/** The next page is on its way while one is written. */
async function* allPages(db: Queryable, jobId: string, counted: { rows: number }): AsyncGenerator<readonly SheetRow[]> {
  let next = pageForExport(db, jobId, -1, PAGE);
  for (;;) {
    const page = await next;
    const last = page.at(-1);
    if (last === undefined) return;
    next = pageForExport(db, jobId, last.row_index, PAGE);
    // Its failure is thrown where it is waited for, not while nobody does.
    next.catch(() => undefined);
    counted.rows += page.length;
    yield page;
  }
}

async function* csvBytes(
  columns: readonly SheetColumn[],
  pages: AsyncIterable<readonly SheetRow[]>,
): AsyncGenerator<Buffer> {
  let text = csvHeader(columns.map(({ title }) => title));
  for await (const page of pages)
    for (const row of page) {
      text += csvRow(columns.map(({ cell }) => cellText(cell(row))));
      if (text.length < FLUSH_CHARS) continue;
      yield Buffer.from(text);
      text = '';
    }
  yield Buffer.from(text);
}

function xlsxBytes(columns: readonly SheetColumn[], pages: AsyncIterable<readonly SheetRow[]>): AsyncGenerator<Buffer> {
  const cells = async function* () {
    for await (const page of pages)
      yield page.map((row) => columns.map(({ cell, type }) => cellValue(cell(row), type)));
  };
  return writeXlsx(cells(), { name: 'Items', header: columns.map(({ title }) => title) });
}
