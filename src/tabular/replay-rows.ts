// Writes corrected rows as a blob of their own: one JSON line per row, with the line and offset that the row had in the original file. A replay
// is thus an ordinary run with the usual guarantees, and the original stays unchanged.
import type { CorrectedReject } from '../engine/sql/replay-rejects.ts';
import type { ByteSource } from './byte-source.ts';
import type { Table } from './read-table.ts';
import type { Reading } from './reading.ts';
import { startOfFile, type TextRow, TextRowBatch } from './row-batch.ts';

export interface ReplayRow {
  readonly line: number;
  readonly offset: number;
  /** In the order of the original's header. */
  readonly cells: readonly string[];
}

export type Cells = Readonly<Record<string, string | null>>;

const ROWS_PER_BATCH = 1_000;
const LF = 10;

/** Corrected rows of a file as a file of their own, to be read as `reading` read the original. */
export function replayFile(reading: Reading, rejects: readonly CorrectedReject[]): Buffer {
  return writeReplayRows(
    rejects.map(({ line, byte_offset: byteOffset, item, correction }) =>
      replayRow(reading, { line, byteOffset }, { ...item, ...correction.cells }),
    ),
  );
}

/** A row by the names of its columns, in the order of the original's header. */
function replayRow(
  reading: Reading,
  place: { readonly line: number | null; readonly byteOffset: number | null },
  cells: Cells,
): ReplayRow {
  const { names } = reading.header.value;
  return { line: place.line ?? 0, offset: place.byteOffset ?? 0, cells: names.map((name) => cells[name] ?? '') };
}

function writeReplayRows(rows: readonly ReplayRow[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

export function replayTable(source: ByteSource, reading: Reading): Table {
  return {
    reading,
    async *batches(from = startOfFile) {
      let offset = from.offset;
      let row = from.row;
      let gathered: TextRow[] = [];
      for await (const line of linesOf(source, from.offset)) {
        offset += line.length + 1;
        gathered.push(textRow(JSON.parse(line.toString('utf8')) as ReplayRow, line.length + 1));
        if (gathered.length < ROWS_PER_BATCH) continue;
        const next = { offset, line: row + gathered.length + 1, row: row + gathered.length };
        yield new TextRowBatch({ firstRow: row, next, isLast: offset >= source.size }, gathered);
        row += gathered.length;
        gathered = [];
      }
      if (gathered.length === 0 && offset > from.offset) return;
      const next = { offset, line: row + gathered.length + 1, row: row + gathered.length };
      yield new TextRowBatch({ firstRow: row, next, isLast: true }, gathered);
    },
  };
}

function textRow({ line, offset, cells }: ReplayRow, bytes: number): TextRow {
  return { line, offset, bytes, cells, fault: null, raw: () => cells.join(',') };
}

async function* linesOf(source: ByteSource, start: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source.open(start)) {
    let bytes = Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF)) {
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
  }
  if (rest.length > 0) yield rest;
}
