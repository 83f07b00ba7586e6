// JSON lists, {"data": […]} and NDJSON as batches of rows. The columns are fixed by the reading; a record with a key that the
// sample did not have is handed over as faulted, so that no value is dropped unseen.
import { isUtf8 } from 'node:buffer';
import type { ByteSource } from '../byte-source.ts';
import type { TableLimits } from '../limits.ts';
import { type Position, startOfFile, type TextRow, TextRowBatch } from '../row-batch.ts';
import type { RowFault } from '../row-fault.ts';
import { type Encoding, openUtf8, type Utf8Stream } from '../text/utf8-stream.ts';
import { DEFAULT_BATCH_BYTES, type Window, Windows } from '../text/windows.ts';
import { JsonScanner, type RecordSpan } from './json-scanner.ts';
import { JsonSyntaxError, parseRecord } from './parse-record.ts';

/** Half a character, which only an escape can write; a database would store U+FFFD for it. */
const LONE_SURROGATE = /\p{Cs}/u;

export interface JsonReadOptions {
  readonly format: 'json' | 'ndjson';
  readonly encoding: Encoding;
  readonly recordsKey?: string | null | undefined;
  readonly columns: readonly string[];
  readonly limits: TableLimits;
  readonly from?: Position;
  readonly batchBytes?: number;
  /** Told under which key the list of records was found. */
  readonly onList?: (key: string | null) => void;
}

export async function* readJson(source: ByteSource, options: JsonReadOptions): AsyncGenerator<TextRowBatch> {
  const from = options.from ?? startOfFile;
  // Offsets in converted text are exact for lines only, and a record need not start one: then the file is read again up to `from`.
  const isExact = options.encoding.name === 'utf-8' || options.format === 'ndjson';
  const start = isExact ? from : startOfFile;
  for await (const batch of readRecords(source, options, start)) {
    if (batch.next.row <= from.row && from.row > 0 && !batch.isLast) continue;
    yield batch.firstRow < from.row ? batch.from(from.row) : batch;
  }
}

async function* readRecords(
  source: ByteSource,
  options: JsonReadOptions,
  start: Position,
): AsyncGenerator<TextRowBatch> {
  const stream = openUtf8(source, options.encoding, start.offset, options.limits);
  const windows = new Windows(stream.chunks, options.batchBytes ?? DEFAULT_BATCH_BYTES);
  const scanner = new JsonScanner({ ...options, isResumed: start.offset > 0, line: start.line }, options.limits);
  const indexes = new Map(options.columns.map((name, index) => [name, index]));
  let row = start.row;
  try {
    for (;;) {
      const window = await windows.next();
      const consumed = scanner.scan(window.bytes, window.length, window.isLast, window.streamStart);
      windows.keepFrom(consumed);
      if (scanner.records.length === 0 && !window.isLast) continue;
      options.onList?.(scanner.recordsKey);
      const rows = scanner.records.map((span) => toRow(span, window, stream, indexes));
      const offset = stream.originalOffset(window.streamStart + consumed);
      const next = { offset, line: scanner.line, row: row + rows.length };
      yield new TextRowBatch({ firstRow: row, next, isLast: window.isLast }, rows);
      row += rows.length;
      if (window.isLast) return;
    }
  } finally {
    await windows.close();
  }
}

function toRow(span: RecordSpan, window: Window, stream: Utf8Stream, indexes: ReadonlyMap<string, number>): TextRow {
  const bytes = window.bytes.subarray(span.start, span.end);
  const base = {
    line: span.line,
    offset: stream.originalOffset(window.streamStart + span.start),
    raw: () => bytes.toString('utf8'),
  };
  const refused = (fault: RowFault): TextRow => ({ ...base, cells: [base.raw()], fault });
  if (stream.isOriginal && !isUtf8(bytes)) return refused('row_encoding_invalid');
  const text = bytes.toString('utf8');
  if (!stream.isOriginal && text.includes('\uFFFD')) return refused('row_encoding_invalid');
  let values: Map<string, string> | null;
  try {
    values = parseRecord(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refused('row_json_malformed');
  }
  if (values === null) return refused('row_not_an_object');
  return place(values, indexes, base, text.includes('\\u'));
}

function place(
  values: ReadonlyMap<string, string>,
  indexes: ReadonlyMap<string, number>,
  base: Omit<TextRow, 'cells' | 'fault'>,
  hasEscapes: boolean,
): TextRow {
  const cells = new Array<string>(indexes.size).fill('');
  let fault: RowFault | null = null;
  for (const [name, text] of values) {
    const index = indexes.get(name);
    if (index === undefined) fault = 'row_unknown_key';
    else cells[index] = text;
    if (text.includes('\0')) fault = 'row_nul_byte';
    else if (hasEscapes && LONE_SURROGATE.test(text)) fault = 'row_encoding_invalid';
  }
  return { ...base, cells, fault };
}
