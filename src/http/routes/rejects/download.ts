// GET /v1/runs/:run_id/rejects.csv: the refused rows with their columns as in the file, corrected cells in place, and three columns
// that say which line of the original, which code and why (tabular/csv/rejects-file.ts): uploaded again, they are recognised. Rejects of
// a file that was such a download itself come out as those of any other: our columns and escapes of then are left out. Read page by page
// while it is sent.
import { Readable } from 'node:stream';
import { listRejects, type RejectRow } from '../../../engine/reads/list-rejects.ts';
import { unescapeFormula } from '../../../tabular/csv/formula-escape.ts';
import { isRejectColumn, rejectsFileHeader } from '../../../tabular/csv/rejects-file.ts';
import { csvRow } from '../../../tabular/csv/write-csv.ts';
import { type Call, handle } from '../../call.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { correctedCells, type StoredCorrection } from '../../reject-tools/reject-view.ts';
import { splitWords } from '../../run-views/find-runs.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

const PAGE = 1_000;

export const downloadRejects = handle('rejects.download', async (call) => {
  const { run_id: runId } = call.params;
  const run = await look(call, (db) => requireVisibleRun(db, call.principal, runId));
  const first = await readPage(call, '0');
  const header = await partsOf(call.app, run.pipeline).rejects?.header?.(run);
  const names = header?.names ?? Object.keys(correctedCells(first[0] ?? { item: {} }, {}));
  const shape = {
    columns: names.filter((name) => !isRejectColumn(name)),
    plain: header?.isEscaped === true ? unescapeFormula : (text: string) => text,
  };
  return call.reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="rejects-${runId}.csv"`)
    .send(Readable.from(csvPages(call, shape, first)));
});

interface Shape {
  readonly columns: readonly string[];
  /** A cell as it was before one of our files escaped it. */
  readonly plain: (text: string) => string;
}

async function* csvPages(call: Call<'rejects.download'>, shape: Shape, first: RejectRow[]) {
  yield rejectsFileHeader(shape.columns);
  for (let page = first; page.length > 0; page = await readPage(call, page.at(-1)?.reject_id ?? '0')) {
    yield page.map((row) => csvRow(cellsInOrder(row, shape))).join('');
    if (page.length < PAGE) return;
  }
}

function cellsInOrder(row: RejectRow, { columns, plain }: Shape): (string | null)[] {
  const correction = row.correction as StoredCorrection | null;
  const cells = correctedCells(row, correction?.cells ?? {});
  return [
    ...columns.map((name) => plain(cells[name] ?? '')),
    row.line === null ? null : String(row.line),
    row.code,
    row.message,
  ];
}

function readPage(call: Call<'rejects.download'>, after: string): Promise<RejectRow[]> {
  const { cluster, code, status } = call.query;
  return look(call, (db, tenantId) =>
    listRejects(db, {
      tenantId,
      runId: call.params.run_id,
      after,
      cause: cluster ?? null,
      codes: splitWords(code),
      statuses: splitWords(status),
      limit: PAGE,
    }),
  );
}
