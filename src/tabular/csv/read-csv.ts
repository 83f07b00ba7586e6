// Reads delimited text into batches of rows, in constant memory. Each batch owns one window of bytes; the reader copies an unfinished row into the
// next window. It can start at the position of any row.
import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteSource } from '../byte-source.ts';
import type { TableLimits } from '../limits.ts';
import { type Position, startOfFile } from '../row-batch.ts';
import { faultNumber } from '../row-fault.ts';
import { type Encoding, openUtf8, type Utf8Stream } from '../text/utf8-stream.ts';
import { DEFAULT_BATCH_BYTES, Windows } from '../text/windows.ts';
import { CsvBatch } from './csv-batch.ts';
import { CsvScanner } from './csv-scanner.ts';
import type { Dialect } from './dialect.ts';

const REPLACEMENT = Buffer.from('\uFFFD');
const ENCODING_INVALID = faultNumber('row_encoding_invalid');
const NUL_BYTE = faultNumber('row_nul_byte');

export interface CsvReadOptions {
  readonly encoding: Encoding;
  readonly dialect: Dialect;
  readonly limits: TableLimits;
  readonly from?: Position;
  readonly batchBytes?: number;
}

export async function* readCsv(source: ByteSource, options: CsvReadOptions): AsyncGenerator<CsvBatch> {
  const from = options.from ?? startOfFile;
  const stream = openUtf8(source, options.encoding, from.offset, options.limits);
  yield* readCsvStream(stream, { ...options, from });
}

/** The same over bytes that are UTF-8 already, for readers that make such bytes themselves. */
export async function* readCsvStream(
  stream: Utf8Stream,
  options: Omit<CsvReadOptions, 'encoding'> & { readonly from: Position },
): AsyncGenerator<CsvBatch> {
  const batchBytes = options.batchBytes ?? DEFAULT_BATCH_BYTES;
  const scanner = new CsvScanner(options.dialect, options.limits, options.from.line);
  const windows = new Windows(stream.chunks, batchBytes);
  try {
    yield* scanWindows(windows, scanner, stream, options);
  } finally {
    await windows.close();
  }
}

async function* scanWindows(
  windows: Windows,
  scanner: CsvScanner,
  stream: Utf8Stream,
  options: { readonly dialect: Dialect; readonly from: Position },
): AsyncGenerator<CsvBatch> {
  let row = options.from.row;
  for (;;) {
    const { bytes, length, streamStart, isLast } = await windows.next();
    const consumed = scanner.scan(bytes, 0, length, isLast);
    windows.keepFrom(consumed);
    const rowCount = scanner.rowCount;
    if (rowCount === 0 && !isLast) continue;
    const ascii = isAscii(bytes.subarray(0, consumed));
    markFaults(bytes, consumed, scanner, stream.isOriginal, ascii);
    const rowOffset = new Float64Array(rowCount);
    for (let i = 0; i < rowCount; i++) {
      rowOffset[i] = stream.originalOffset(streamStart + (scanner.rowStart[i] as number));
    }
    const next = { offset: stream.originalOffset(streamStart + consumed), line: scanner.line, row: row + rowCount };
    yield new CsvBatch({ firstRow: row, next, isLast, rowOffset }, bytes, scanner, options.dialect);
    row += rowCount;
    if (isLast) return;
  }
}

/** Checks a whole window at once (simdutf, memchr) and looks at single rows only when something is wrong. */
function markFaults(bytes: Buffer, end: number, scanner: CsvScanner, isOriginal: boolean, ascii: boolean): void {
  const used = bytes.subarray(0, end);
  if (!ascii) {
    const isBad = isOriginal ? !isUtf8(used) : used.includes(REPLACEMENT);
    if (isBad) {
      markRows(used, scanner, ENCODING_INVALID, (row) => (isOriginal ? !isUtf8(row) : row.includes(REPLACEMENT)));
    }
  }
  if (used.includes(0)) markRows(used, scanner, NUL_BYTE, (row) => row.includes(0));
}

function markRows(bytes: Buffer, scanner: CsvScanner, fault: number, isBad: (row: Buffer) => boolean): void {
  for (let row = 0; row < scanner.rowCount; row++) {
    if (isBad(bytes.subarray(scanner.rowStart[row], scanner.rowEnd[row]))) scanner.rowFault[row] = fault;
  }
}
