// The process that reads spreadsheets: started for one file, told what to read, killed when it takes too much. It has no
// database, no settings and no environment; whatever a file does to it stays here.
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { WorkbookRest } from '../row-batch.ts';
import { readSharedStrings } from './shared-strings.ts';
import { type SheetContext, sheetEvents } from './sheet-rows.ts';
import { type OtherSheet, type SpreadsheetMessage, type SpreadsheetRequest, wireRow } from './spreadsheet-messages.ts';
import { readWorkbook, type Workbook } from './workbook-parts.ts';
import { ZipArchive } from './zip-archive.ts';

/** Ends the reading of a sheet once enough rows were taken. */
class EnoughRows extends Error {}

async function serve(request: SpreadsheetRequest): Promise<WorkbookRest | null> {
  const file = await open(request.path);
  try {
    const zip = await ZipArchive.open(file, request.limits.spreadsheet);
    const workbook = await readWorkbook(zip);
    const sheet = chooseSheet(workbook, request.sheet);
    const names = workbook.sheets.filter((candidate) => !candidate.isHidden).map((candidate) => candidate.name);
    await send({ type: 'opened', sheet: sheet.name, names, others: await lookAtOthers(zip, workbook, sheet) });
    const { maxSharedStringBytes } = request.limits.spreadsheet;
    const strings = await readSharedStrings(zip, workbook.sharedStringsPath, maxSharedStringBytes);
    const context = { workbook, strings, limits: request.limits };
    const noted = await writeRows(zip, sheet.path, context, request);
    return request.maxRows === null ? { ...(await countRest(zip, context, sheet.path)), ...noted } : null;
  } finally {
    await file.close();
  }
}

/** Enough to tell a table from a page of notes. */
const OTHER_BYTES = 64 * 1024;
const MAX_OTHERS = 20;
/** To look at; the number is told in full. */
const MAX_LINES_TOLD = 10;
const MAX_MERGED = 10_000;

type Noted = Pick<WorkbookRest, 'hidden' | 'hiddenColumns' | 'uncomputed' | 'merged'>;

async function lookAtOthers(
  zip: ZipArchive,
  workbook: Workbook,
  read: Workbook['sheets'][number],
): Promise<OtherSheet[]> {
  const others: OtherSheet[] = [];
  for (const { name, path, isHidden } of workbook.sheets.slice(0, MAX_OTHERS)) {
    if (path === read.path || !zip.has(path)) continue;
    let text = '';
    for await (const chunk of zip.read(path)) {
      text += chunk.toString('latin1');
      if (text.length > OTHER_BYTES) break;
    }
    const rows = text.match(/<(?:\w+:)?row\b/g)?.length ?? 0;
    others.push({ name, rows, cells: text.match(/<(?:\w+:)?v>|<(?:\w+:)?is>/g)?.length ?? 0, isHidden });
  }
  return others;
}

async function writeRows(
  zip: ZipArchive,
  path: string,
  context: SheetContext,
  request: SpreadsheetRequest,
): Promise<Noted> {
  let pending = '';
  let rows = 0;
  // Counted from the first row on, wherever reading goes on: the sums are told once, at the end.
  const hidden = { rows: 0, lines: [] as number[] };
  const uncomputed = { cells: 0, lines: [] as number[] };
  const hiddenColumns = new HiddenColumns();
  const merged: [number, number, number][] = [];
  const onRow = (number: number, cells: string[], isHidden: boolean) => {
    if (isHidden && cells.length > 0 && ++hidden.rows <= MAX_LINES_TOLD) hidden.lines.push(number);
    hiddenColumns.look(cells);
    if (number < request.fromRow) return;
    pending += wireRow(number, cells);
    if (++rows === request.maxRows) throw new EnoughRows();
  };
  const events = sheetEvents(context, onRow, {
    uncomputed: (row) => {
      uncomputed.cells++;
      if (uncomputed.lines.length < MAX_LINES_TOLD && uncomputed.lines.at(-1) !== row) uncomputed.lines.push(row);
    },
    merged: (from, to, column) => {
      if (merged.length < MAX_MERGED) merged.push([from, to, column]);
    },
    hiddenColumns: (from, to) => hiddenColumns.add(from, Math.min(to, request.limits.maxColumns - 1)),
  });
  try {
    for await (const chunk of zip.read(path)) {
      events.write(chunk);
      if (pending.length > 0 && !process.stdout.write(pending)) await once(process.stdout, 'drain');
      pending = '';
    }
    events.end();
  } catch (error) {
    if (!(error instanceof EnoughRows)) throw error;
  }
  if (pending.length > 0) process.stdout.write(pending);
  return { hidden, hiddenColumns: hiddenColumns.filled, uncomputed, merged };
}

/** Which of the columns that a sheet hides hold anything. */
class HiddenColumns {
  readonly #open = new Set<number>();
  readonly #filled = new Set<number>();

  add(from: number, to: number): void {
    for (let column = from; column <= to; column++) this.#open.add(column);
  }

  look(cells: readonly string[]): void {
    if (this.#open.size === 0) return;
    for (const column of this.#open) {
      if (column >= cells.length || cells[column] === '') continue;
      this.#filled.add(column);
      this.#open.delete(column);
    }
  }

  get filled(): number[] {
    return [...this.#filled].sort((a, b) => a - b);
  }
}

/** Everything that is not the sheet that was read. A sheet that cannot be read is a part like any other, and said to be unreadable. */
async function countRest(
  zip: ZipArchive,
  context: SheetContext,
  read: string,
): Promise<Omit<WorkbookRest, keyof Noted>> {
  const paths = new Set(context.workbook.sheets.map(({ path }) => path).filter((path) => zip.has(path)));
  paths.delete(read);
  const bytes = { sheet: await zip.packedBytes(read), other_sheet: 0 };
  // Looking at a sheet from outside has read it, too: what is left are the parts that describe the workbook.
  let otherCells = 0;
  let unreadable = 0;
  for (const path of paths) {
    bytes.other_sheet += await zip.packedBytes(path);
    const cells = await countCells(zip, path, context);
    if (cells === null) unreadable++;
    else otherCells += cells;
  }
  const { all, read: seen } = zip.counts;
  return {
    otherCells,
    parts: {
      sheet: 1,
      other_sheet: paths.size - unreadable,
      unreadable,
      structure: seen - 1 - paths.size,
      unread: all - seen,
    },
    bytes: { ...bytes, structure: zip.bytes - bytes.sheet - bytes.other_sheet },
  };
}

/** Null when the sheet cannot be read. */
async function countCells(zip: ZipArchive, path: string, context: SheetContext): Promise<number | null> {
  let cells = 0;
  const events = sheetEvents(context, (_, texts) => {
    for (const text of texts) if (text !== '') cells++;
  });
  try {
    for await (const chunk of zip.read(path)) {
      events.write(chunk);
      if (chunk.length > 0) reportCounting();
    }
    events.end();
    return cells;
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'spreadsheet_too_large') throw error;
    return null;
  }
}

const COUNTING_MS = 1_000;
let reportedAt = 0;

function reportCounting(): void {
  if (performance.now() - reportedAt < COUNTING_MS) return;
  reportedAt = performance.now();
  void send({ type: 'counting' });
}

function chooseSheet(workbook: Workbook, wanted: string | null): Workbook['sheets'][number] {
  const known = workbook.sheets.map((sheet) => sheet.name).join(', ');
  const found =
    wanted === null
      ? (workbook.sheets.find((sheet) => !sheet.isHidden) ?? workbook.sheets[0])
      : workbook.sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted.trim().toLowerCase());
  if (found !== undefined) return found;
  if (wanted === null) throw new MillraceError('spreadsheet_damaged', { reason: 'it has no sheet' });
  throw new MillraceError('sheet_not_found', { sheet: wanted, known });
}

function send(message: SpreadsheetMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

function failure(error: unknown): SpreadsheetMessage {
  if (error instanceof MillraceError) return { type: 'failed', code: error.code, params: error.params };
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  return { type: 'failed', code: 'spreadsheet_damaged', params: { reason } };
}

process.once('message', (request: SpreadsheetRequest) => {
  void serve(request)
    .then(
      (rest) => send({ type: 'finished', rest }),
      (error: unknown) => send(failure(error)),
    )
    .then(() => process.stdout.end(() => process.disconnect()));
});
// Nobody waits for the rows any more.
process.stdout.on('error', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
