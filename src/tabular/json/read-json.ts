// JSON lists, {"data": […]} and NDJSON as batches of rows. The columns are fixed by the reading; a record with a key that the
// sample did not have is handed over as faulted, so that no value is dropped unseen.
import { isUtf8 } from 'node:buffer';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ByteSource } from '../byte-source.ts';
import type { TableLimits } from '../limits.ts';
import type { SetAsideSpan } from '../reading-evidence.ts';
import { type Position, startOfFile, type TextRow, TextRowBatch } from '../row-batch.ts';
import type { RowFault } from '../row-fault.ts';
import { OriginalOffsets } from '../text/original-offsets.ts';
import { type Encoding, openUtf8, type Utf8Stream } from '../text/utf8-stream.ts';
import { DEFAULT_BATCH_BYTES, type Window, Windows } from '../text/windows.ts';
import { type BesideSpan, JsonScanner, type RecordSpan } from './json-scanner.ts';
import { JsonSyntaxError, parseRecord, RepeatedKeyError } from './parse-record.ts';

/** Half a character, which only an escape can write; a database would store U+FFFD for it. */
const LF = 10;
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

/** How much of a file is searched for the lists it holds. */
const SURVEY_BYTES = 4 * 1024 * 1024;

/** What the start of the file holds beside each other: every list with its key and the number of its records. */
export async function surveyJson(
  source: ByteSource,
  options: Pick<JsonReadOptions, 'encoding' | 'limits'>,
): Promise<BesideSpan[]> {
  const stream = openUtf8(source, options.encoding, 0, options.limits);
  const windows = new Windows(stream.chunks, DEFAULT_BATCH_BYTES);
  const scanner = new JsonScanner({ format: 'json', isSurvey: true }, options.limits);
  let read = 0;
  try {
    while (read < SURVEY_BYTES) {
      const window = await windows.next();
      const consumed = scanner.scan(window.bytes, window.length, window.isLast, window.streamStart);
      windows.keepFrom(consumed);
      read += consumed;
      if (window.isLast) break;
    }
  } catch (error) {
    // What is wrong with the file is told when it is read; here it only ends the survey.
    if (!(error instanceof MillraceError)) throw error;
  } finally {
    await windows.close();
  }
  return [...scanner.beside, ...scanner.openList()];
}

export async function* readJson(source: ByteSource, options: JsonReadOptions): AsyncGenerator<TextRowBatch> {
  const from = options.from ?? startOfFile;
  // Converted text can be opened at the start of a line only, and a record need not start one: then the file is read again up to `from`.
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
  const isResumed = start.offset > options.encoding.bomBytes;
  const base = Math.max(start.offset, options.encoding.bomBytes);
  const scanner = new JsonScanner({ ...options, isResumed, line: start.line, base }, options.limits);
  const indexes = new Map(options.columns.map((name, index) => [name, index]));
  const offsets = new OriginalOffsets(stream, options.encoding.name);
  let row = start.row;
  let next = start;
  try {
    for (;;) {
      const window = await windows.next();
      const consumed = scanner.scan(window.bytes, window.length, window.isLast, window.streamStart);
      windows.keepFrom(consumed);
      const { isLast } = window;
      const end = window.streamStart + consumed;
      if (!stream.isOriginal) offsets.locate(window, placesOf(scanner, window), end);
      if (scanner.records.length === 0 && !isLast) continue;
      options.onList?.(scanner.recordsKey);
      const rows = scanner.records.map((span) => toRow(span, window, stream, offsets, indexes));
      row += rows.length;
      // Behind the end of the list there is nothing to go on from but its last record.
      if (isLast || scanner.isInRecords) next = { offset: offsets.of(end), line: scanner.line, row };
      else next = behindLast(scanner, window, offsets, row) ?? next;
      const firstRecord = window.streamStart + (scanner.records[0]?.start ?? 0);
      const spans = spansOf(scanner, offsets, isLast, firstRecord);
      yield new TextRowBatch({ firstRow: row - rows.length, next, isLast, spans }, rows);
      if (isLast) return;
    }
  } finally {
    await windows.close();
  }
}

/** Every place of the stream whose offset is wanted: of the records of this window, and of what was found beside them so far. */
function placesOf(scanner: JsonScanner, { streamStart }: Window): number[] {
  return [
    ...scanner.records.flatMap(({ start, end }) => [streamStart + start, streamStart + end]),
    ...scanner.beside.flatMap(({ start, end }) => [start, end]),
    ...scanner.openList().map(({ start }) => start),
  ];
}

function behindLast(scanner: JsonScanner, window: Window, offsets: OriginalOffsets, row: number): Position | null {
  const last = scanner.records.at(-1);
  if (last === undefined) return null;
  const lines = window.bytes.subarray(last.start, last.end).filter((byte) => byte === LF).length;
  return { offset: offsets.of(window.streamStart + last.end), line: last.line + lines, row };
}

/** What stands before the list goes with its first records; what stands behind it waits for the last batch, so that it is told once. */
function spansOf(scanner: JsonScanner, offsets: OriginalOffsets, isLast: boolean, firstRecord: number): SetAsideSpan[] {
  const found = isLast || scanner.isInRecords ? scanner.beside.splice(0) : takeBefore(scanner, firstRecord);
  return found.map(({ reason, start, end, line, text, rows }) => ({
    reason,
    from: offsets.of(start),
    to: offsets.of(end),
    line,
    text,
    rows,
  }));
}

/** The list began and ended in one window: what stands before it must not wait for what stands behind. */
function takeBefore(scanner: JsonScanner, place: number): BesideSpan[] {
  const before = scanner.beside.filter(({ start }) => start < place);
  const behind = scanner.beside.filter(({ start }) => start >= place);
  scanner.beside.splice(0, scanner.beside.length, ...behind);
  return before;
}

function toRow(
  span: RecordSpan,
  window: Window,
  stream: Utf8Stream,
  offsets: OriginalOffsets,
  indexes: ReadonlyMap<string, number>,
): TextRow {
  const bytes = window.bytes.subarray(span.start, span.end);
  const base = {
    line: span.line,
    offset: offsets.of(window.streamStart + span.start),
    end: offsets.of(window.streamStart + span.end),
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
    if (error instanceof RepeatedKeyError) return refused('row_key_repeated');
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
