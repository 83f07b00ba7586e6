// The entry point for reading tables: it takes any source and returns a reading and batches of rows. `openTable` reads with a given reading exactly as
// before (a resumed run, a replay); `readTable` finds the reading first.
import type { ByteSource } from './byte-source.ts';
import { readCsv } from './csv/read-csv.ts';
import { readJson } from './json/read-json.ts';
import { CarryDown } from './layout/carried-down.ts';
import { RowClassifier } from './layout/row-classifier.ts';
import { defaultLimits, type TableLimits } from './limits.ts';
import type { Reading } from './reading.ts';
import { type Position, type RowBatch, startOfFile } from './row-batch.ts';
import { type SniffOptions, sniffTable } from './sniff-table.ts';
import { readXlsx } from './xlsx/read-xlsx.ts';

export interface Table {
  readonly reading: Reading;
  /**
   * The rows, classified, in file order and in constant memory. Start at a batch's `next` to go on after it: the same rows come
   * again with the same lines, offsets and kinds. May be called more than once.
   */
  batches(from?: Position): AsyncIterable<RowBatch>;
}

export interface OpenOptions {
  readonly limits?: TableLimits;
  /** Bytes per batch; see DEFAULT_BATCH_BYTES. */
  readonly batchBytes?: number;
}

export async function readTable(source: ByteSource, options: SniffOptions & OpenOptions = {}): Promise<Table> {
  return openTable(source, await sniffTable(source, options), options);
}

export function openTable(source: ByteSource, reading: Reading, options: OpenOptions = {}): Table {
  return { reading, batches: (from = startOfFile) => classified(source, reading, options, from) };
}

async function* classified(
  source: ByteSource,
  reading: Reading,
  options: OpenOptions,
  from: Position,
): AsyncGenerator<RowBatch> {
  const classifier = new RowClassifier(reading, from);
  const carry = carryDownOf(reading, from);
  for await (const batch of rowsOf(source, reading, options, from)) {
    classifier.classify(batch);
    yield carry?.carried(batch) ?? batch;
  }
}

/** Null where no value is carried down. */
function carryDownOf({ carryDown = [], header }: Reading, from: Position): CarryDown | null {
  const columns = carryDown.flatMap((name) => {
    const column = header.value.names.indexOf(name);
    return column === -1 ? [] : [column];
  });
  return columns.length === 0
    ? null
    : new CarryDown(
        columns.sort((a, b) => a - b),
        from.carried,
      );
}

function rowsOf(source: ByteSource, reading: Reading, options: OpenOptions, from: Position): AsyncIterable<RowBatch> {
  const limits = options.limits ?? defaultLimits;
  const shared = { limits, from, ...(options.batchBytes === undefined ? {} : { batchBytes: options.batchBytes }) };
  const encoding = reading.encoding.value;
  if (reading.format === 'xlsx') return readXlsx(source, { ...shared, sheet: reading.sheet?.value.name ?? null });
  if (reading.format === 'csv') {
    if (reading.dialect === undefined) throw new TypeError('a reading of delimited text has a dialect');
    return readCsv(source, { ...shared, encoding, dialect: reading.dialect.value });
  }
  return readJson(source, {
    ...shared,
    format: reading.format,
    encoding,
    recordsKey: reading.recordsKey?.value,
    columns: reading.header.value.names,
  });
}
