// Gives everything a file holds to exactly one name: header, row, a set-aside line by its reason, or structure (byte order mark, brackets,
// commas). Text and JSON are counted in bytes of the original file, workbooks in cells of all sheets and in parts. It counts per run of
// rows of one kind, not per byte. The tallies are plain JSON and part of the checkpoint: a reading that resumes counts nothing twice.
import type { Content } from '../engine/receipt.ts';
import { type RowBatch, rowKinds, setAsideReason } from './row-batch.ts';

type Tally = Record<string, number>;

const names = rowKinds.map((kind) => (kind === 'data' ? 'row' : (setAsideReason(kind) ?? kind)));

/** The tallies of a reading that has not begun. */
export const nothingCounted: Content = {};

export class ContentCounter {
  readonly #content: Record<string, Tally> | null;
  readonly #bytes: number;
  /** Everything before this byte has been counted. */
  #offset: number;

  /**
   * `before`: what earlier attempts counted up to `offset`; undefined when they did not count, and then this one cannot either.
   * `bytes`: the size of the file.
   */
  constructor(before: Content | undefined, offset: number, bytes: number) {
    this.#content =
      before === undefined
        ? null
        : Object.fromEntries(Object.entries(before).map(([unit, tally]) => [unit, { ...tally }]));
    this.#offset = offset;
    this.#bytes = bytes;
  }

  /** A whole batch, classified. */
  add(batch: RowBatch): void {
    if (this.#content === null) return;
    if (batch.unit === 'cells') this.#addCells(batch, this.#content);
    else this.#addBytes(batch, this.#content);
  }

  get content(): Content | undefined {
    if (this.#content === null) return undefined;
    return Object.fromEntries(Object.entries(this.#content).map(([unit, tally]) => [unit, { ...tally }]));
  }

  #addBytes(batch: RowBatch, content: Record<string, Tally>): void {
    content.bytes ??= { all: this.#bytes };
    const { bytes } = content;
    let counted = addRows(bytes, batch);
    for (const { reason, from, to } of batch.spans) {
      // What stands before the list was counted with its first records.
      if (from < this.#offset) continue;
      add(bytes, reason, to - from);
      counted += to - from;
    }
    add(bytes, 'structure', batch.next.offset - this.#offset - counted);
    this.#offset = batch.next.offset;
  }

  #addCells(batch: RowBatch, content: Record<string, Tally>): void {
    content.cells ??= { all: 0 };
    const { cells } = content;
    cells.all = (cells.all ?? 0) + addRows(cells, batch);
    if (batch.rest === null) return;
    const { otherCells, parts, bytes } = batch.rest;
    cells.all += otherCells;
    add(cells, 'other_sheet', otherCells);
    content.parts = withAll(parts);
    content.bytes = { all: this.#bytes, ...filled(bytes) };
  }
}

/** Adds the rows of a batch by their kinds and returns how much they hold together. */
function addRows(tally: Tally, batch: RowBatch): number {
  const { kinds, rowCount } = batch;
  let counted = 0;
  for (let from = 0, to = 1; from < rowCount; from = to, to = from + 1) {
    const kind = kinds[from] as number;
    while (to < rowCount && kinds[to] === kind) to++;
    const size = batch.size(from, to);
    add(tally, names[kind] ?? 'row', size);
    counted += size;
  }
  return counted;
}

function add(tally: Tally, name: string, amount: number): void {
  if (amount !== 0) tally[name] = (tally[name] ?? 0) + amount;
}

function withAll(tally: Readonly<Tally>): Tally {
  const all = Object.values(tally).reduce((sum, amount) => sum + amount, 0);
  return { all, ...filled(tally) };
}

function filled(tally: Readonly<Tally>): Tally {
  return Object.fromEntries(Object.entries(tally).filter(([, amount]) => amount !== 0));
}
