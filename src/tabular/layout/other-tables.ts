// Tables beside the one that is read: blocks of lines, parted by blank ones, that have names and rows of their own. They are set aside as
// what they are and raise a doubt; nothing of them is taken for titles, notes or broken rows.
import { BodyModel } from './body-model.ts';
import type { HeaderLayout } from './detect-header.ts';
import { joinNames } from './join-names.ts';
import { TableSoFar } from './names-again.ts';
import { filledCount, filledWidth, type SampleRow } from './sample-row.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

export interface OtherTable {
  readonly fromLine: number;
  /** Null: to the end of the file, as far as the sample shows. */
  readonly toLine: number | null;
  readonly names: readonly string[];
  /** Rows below its names, as far as the sample shows. */
  readonly rows: number;
}

/** `rows` hold something each, and know whether a blank line stands above them. */
export function findOtherTables(rows: readonly SampleRow[], header: HeaderLayout): OtherTable[] {
  const firstHeader = rows.findIndex((row) => row.line === header.lines[0]);
  const above = blocksOf(rows.slice(0, firstHeader === -1 ? header.skippedRows : firstHeader));
  const data = rows.slice(header.skippedRows);
  const [main = [], ...below] = tablesOf(data, header.names);
  const model = new BodyModel(main.slice(0, 200), header.names.length);
  return [
    ...above.filter((block) => isTable(block, 2)).map((block) => describe(block, (block.at(-1)?.line ?? 0) + 1)),
    ...below
      .filter((block) => (isTable(block, 1) && !fits(block, model, header)) || isForeign(block, model))
      .map((block) => describe(block, nextLine(data, block))),
  ];
}

function blocksOf(rows: readonly SampleRow[]): SampleRow[][] {
  const blocks: SampleRow[][] = [];
  for (const row of rows) {
    if (blocks.length === 0 || row.isAfterBlank === true) blocks.push([]);
    blocks.at(-1)?.push(row);
  }
  return blocks;
}

/** The same for rows of data, where names may also stand right below the rows of another table. */
function tablesOf(rows: readonly SampleRow[], names: readonly string[]): SampleRow[][] {
  const blocks: SampleRow[][] = [];
  let table = new TableSoFar(names);
  for (const [index, row] of rows.entries()) {
    const isNew = row.isAfterBlank === true || table.endsAt(row, rows.slice(index + 1, index + 4));
    if (blocks.length === 0 || isNew) {
      blocks.push([]);
      table = new TableSoFar(names);
    }
    blocks.at(-1)?.push(row);
    table.add(row);
  }
  return blocks;
}

/** Names over rows of one width, with a column of values below a text. */
function isTable(block: readonly SampleRow[], minRows: number): boolean {
  const [first, ...rest] = block;
  if (first === undefined || rest.length < minRows || filledCount(first) < 2) return false;
  const width = filledWidth(first);
  const matching = rest.filter((row) => filledCount(row) > 1 && filledWidth(row) <= width && row.cells.length >= width);
  if (matching.length < rest.length * 0.8 || matching.length < minRows) return false;
  const model = new BodyModel(matching, width);
  return (
    model.valueColumns.some((column) => column > 0) && model.textShare(first) >= 0.5 && model.headerOdds(first) > 0
  );
}

/** Rows of at least three texts each, and not one value in the columns where the main table has values. */
function isForeign(block: readonly SampleRow[], model: BodyModel): boolean {
  if (block.length < 3 || model.valueColumns.length === 0) return false;
  return block.every(
    (row) =>
      filledCount(row) > 2 && model.valueColumns.every((column) => !isValueShape(shapeOf(row.cells[column] ?? ''))),
  );
}

/** More rows of the main table: a block that goes on after a blank line, or one that repeats the header. */
function fits(block: readonly SampleRow[], model: BodyModel, header: HeaderLayout): boolean {
  const first = block[0] as SampleRow;
  if (header.names.every((name, column) => (first.cells[column] ?? '').trim() === name)) return true;
  if (filledWidth(first) !== header.names.length && first.cells.length !== header.names.length) return false;
  return model.valueColumns.length === 0 || model.headerOdds(first) < 2;
}

function describe(block: readonly SampleRow[], toLine: number | null): OtherTable {
  const first = block[0] as SampleRow;
  return {
    fromLine: first.line,
    toLine: toLine === null ? null : toLine - 1,
    names: joinNames([first], true),
    rows: block.length - 1,
  };
}

function nextLine(rows: readonly SampleRow[], block: readonly SampleRow[]): number | null {
  const last = block.at(-1) as SampleRow;
  return rows[rows.indexOf(last) + 1]?.line ?? null;
}
