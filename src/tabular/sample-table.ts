// Rows from which everything else is decided: the first ones and, where the source can be read anywhere, some from all over the
// file. A report sorted by date shows its days above 12 only further down.
import type { ByteSource } from './byte-source.ts';
import type { Dialect } from './csv/dialect.ts';
import { readCsv } from './csv/read-csv.ts';
import type { BesideSpan } from './json/json-scanner.ts';
import { parseRecord } from './json/parse-record.ts';
import { readJson, surveyJson } from './json/read-json.ts';
import type { SampleRow } from './layout/sample-row.ts';
import type { TableLimits } from './limits.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowFault } from './row-fault.ts';
import type { Encoding } from './text/utf8-stream.ts';

export const HEAD_BYTES = 256 * 1024;
const HEAD_ROWS = 1_000;
const BROKEN_ROWS = 20;
const SPREAD_WINDOWS = 8;
const SPREAD_BYTES = 48 * 1024;

export interface TableSample {
  /** From the start of the file, titles and header included. */
  readonly head: readonly SampleRow[];
  /** From further down; data for the most part. */
  readonly spread: readonly SampleRow[];
}

export async function sampleCsv(
  source: ByteSource,
  encoding: Encoding,
  dialect: Dialect,
  limits: TableLimits,
): Promise<TableSample> {
  const options = { encoding, dialect, limits };
  // One batch: as long as it must be to hold a whole row, so that an endless line is refused here and not taken for a sample.
  const head = await firstRows(firstBatch(readCsv(source, { ...options, batchBytes: HEAD_BYTES })), dialect);
  const spread: SampleRow[] = [];
  const step = (source.size - HEAD_BYTES) / SPREAD_WINDOWS;
  for (let i = 0; i < SPREAD_WINDOWS && step > SPREAD_BYTES; i++) {
    // Even offsets, so that two-byte encodings are met at a whole character.
    const offset = Math.floor((HEAD_BYTES + (i + 1) * step - SPREAD_BYTES) / 4) * 4 + (encoding.bomBytes % 4);
    const from = { offset, line: 1, row: 0 };
    const window = readCsv(upTo(source, offset + SPREAD_BYTES), { ...options, from });
    // The first row starts somewhere inside a line, the last one ends inside another.
    spread.push(...(await firstRows(window).catch(() => [])).slice(1, -1));
  }
  return { head, spread };
}

interface JsonSample {
  readonly names: string[];
  readonly rows: SampleRow[];
  readonly recordsKey: string | null;
  readonly otherLists: BesideSpan[];
  /** Entries that are no record with keys. */
  readonly unread: number;
}

/** JSON is read from its start only: there is no telling where a record begins in the middle. */
export async function sampleJson(
  source: ByteSource,
  encoding: Encoding,
  format: 'json' | 'ndjson',
  recordsKey: string | null | undefined,
  limits: TableLimits,
): Promise<JsonSample> {
  const lists = format === 'json' ? await surveyJson(source, { encoding, limits }) : [];
  const key = recordsKey === undefined ? fullestKey(lists) : recordsKey;
  const records: { line: number; values: Map<string, string> }[] = [];
  const names = new Set<string>();
  let foundKey: string | null = null;
  let unread = 0;
  const onList = (key: string | null) => {
    foundKey = key;
  };
  const options = { format, encoding, recordsKey: key, columns: [], limits, batchBytes: HEAD_BYTES, onList };
  for await (const batch of readJson(source, options)) {
    for (let row = 0; row < batch.rowCount && records.length < HEAD_ROWS; row++) {
      // With no columns known, every record with a key is faulted as unknown; its raw text is what counts here.
      const fault = batch.fault(row);
      const isReadable = fault === null || fault === 'row_unknown_key';
      const values = isReadable ? parseRecord(batch.rawText(row)) : null;
      if (values === null) unread++;
      if (values === null) continue;
      for (const name of values.keys()) names.add(name);
      records.push({ line: batch.line(row), values });
    }
    if (records.length >= HEAD_ROWS) break;
  }
  const ordered = [...names];
  const rows = records.map(({ line, values }) => ({ line, cells: ordered.map((name) => values.get(name) ?? '') }));
  const main = lists.find((list) => list.key === foundKey);
  const otherLists = lists.filter((list) => list !== main && list.reason === 'other_table');
  return { names: ordered, rows, recordsKey: foundKey, otherLists, unread };
}

/** The list with the most records that are objects; undefined when none has any, so that the reader says what is wrong. */
function fullestKey(lists: readonly BesideSpan[]): string | null | undefined {
  const [fullest] = lists.filter(({ objects }) => objects > 0).sort((a, b) => b.objects - a.objects);
  const isOuter = lists[0]?.key === null;
  return isOuter ? undefined : fullest?.key;
}

/** The first rows that could be split, and of the very first ones also those that could not: a stray quote may stand in the header. */
export async function firstRows(batches: AsyncIterable<RowBatch>, dialect?: Dialect): Promise<SampleRow[]> {
  const rows: SampleRow[] = [];
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount && rows.length < HEAD_ROWS; row++) {
      if (batch.faults[row] === 0) rows.push({ line: batch.line(row), cells: batch.texts(row) });
      else if (dialect !== undefined && batch.firstRow + row < BROKEN_ROWS && hasBrokenQuotes(batch.fault(row))) {
        rows.push({ line: batch.line(row), cells: roughCells(batch.rawText(row), dialect), isBroken: true });
      }
    }
    if (rows.length >= HEAD_ROWS) break;
  }
  return rows;
}

function hasBrokenQuotes(fault: RowFault | null): boolean {
  return fault === 'row_quote_misplaced' || fault === 'row_quote_unclosed';
}

/** What lies between delimiters, less the quotes at its ends. */
function roughCells(text: string, { delimiter, quote }: Dialect): string[] {
  return text.split(delimiter).map((cell) => {
    const plain = cell.trim();
    const start = quote !== null && plain.startsWith(quote) ? 1 : 0;
    const end = quote !== null && plain.length > 1 && plain.endsWith(quote) ? -1 : undefined;
    return plain.slice(start, end);
  });
}

async function* firstBatch(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowBatch> {
  for await (const batch of batches) {
    yield batch;
    return;
  }
}

function upTo(source: ByteSource, end: number): ByteSource {
  return { size: Math.min(source.size, end), open: (start) => source.open(start, Math.min(source.size, end)) };
}
