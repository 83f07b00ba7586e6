// Handles rows that are wider or narrower than the header. One such row among many is damaged, and is refused alone. Where many rows are, the header is
// incomplete: the reader adds columns without a name, or fills short rows up, and says so.
import { BodyModel } from './body-model.ts';
import { unnamedColumn } from './join-names.ts';
import { filledCount, filledWidth, type SampleRow } from './sample-row.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

export interface ColumnFit {
  readonly names: readonly string[];
  readonly shortRows: 'refuse' | 'pad';
  /** Columns that the header does not name. */
  readonly unnamed: number;
  /** Whether the unnamed column is the first one: row names, as statistics programs write them. */
  readonly isUnnamedFirst: boolean;
  readonly wideRows: number;
  readonly paddedRows: number;
}

/** Fewer rows than this may be mere damage, whatever their share. */
const MIN_ROWS = 3;
const MOST = 0.5;
const MANY = 0.05;

export function fitColumns(names: readonly string[], rows: readonly SampleRow[]): ColumnFit {
  const whole = rows.filter((row) => filledCount(row) > 1 || names.length < 3);
  const wide = whole.filter((row) => filledWidth(row) > names.length);
  const added = addedColumns(names, whole, wide);
  const isUnnamedFirst = added === 1 && wide.length === whole.length && isNumbered(whole);
  const unnamed = Array.from({ length: added }, (_, i) => unnamedColumn(isUnnamedFirst ? 0 : names.length + i));
  const fitted = isUnnamedFirst ? [...unnamed, ...names] : [...names, ...unnamed];
  const short = whole.filter((row) => row.cells.length < fitted.length);
  const pads = arePadded(fitted.length, whole, short);
  return {
    names: fitted,
    shortRows: pads ? 'pad' : 'refuse',
    unnamed: added,
    isUnnamedFirst,
    wideRows: wide.length,
    paddedRows: pads ? short.length : 0,
  };
}

/** For records that name their values themselves. */
export function unfitted(names: readonly string[]): ColumnFit {
  return { names, shortRows: 'pad', unnamed: 0, isUnnamedFirst: false, wideRows: 0, paddedRows: 0 };
}

function addedColumns(names: readonly string[], rows: readonly SampleRow[], wide: readonly SampleRow[]): number {
  const share = wide.length / Math.max(1, rows.length);
  const isMost = share > MOST && (wide.length >= MIN_ROWS || wide.length === rows.length);
  const isMany = wide.length >= MIN_ROWS && share >= MANY && fitFromTheLeft(names.length, rows, wide);
  if (!isMost && !isMany) return 0;
  // The widths that a good part of the wide rows have; a single row of forty cells adds no columns.
  const widths = wide.map(filledWidth).sort((a, b) => a - b);
  return (widths[Math.floor(widths.length * 0.9)] ?? names.length) - names.length;
}

/** An unquoted delimiter inside a text shifts what follows: then values no longer stand in the columns of values. */
function fitFromTheLeft(width: number, rows: readonly SampleRow[], wide: readonly SampleRow[]): boolean {
  const model = new BodyModel(
    rows.filter((row) => filledWidth(row) <= width),
    width,
  );
  const columns = model.valueColumns.filter((column) => column > 0);
  if (columns.length === 0) return false;
  const fitting = wide.filter((row) =>
    columns.every((column) => {
      const shape = shapeOf(row.cells[column] ?? '');
      return shape === 'empty' || isValueShape(shape);
    }),
  );
  return fitting.length >= wide.length * 0.8;
}

/** Programs that leave out empty cells at the end of a row never write one there. */
function arePadded(width: number, rows: readonly SampleRow[], short: readonly SampleRow[]): boolean {
  if (short.length < MIN_ROWS && short.length < rows.length) return false;
  if (short.length < 2) return false;
  const share = short.length / rows.length;
  if (share > MOST) return true;
  const endsEmpty = rows.some((row) => row.cells.length >= width && (row.cells[width - 1] ?? '').trim() === '');
  return share >= MANY && !endsEmpty;
}

/** 1, 2, 3 … or 0, 1, 2 … down the first column. */
function isNumbered(rows: readonly SampleRow[]): boolean {
  const first = Number((rows[0]?.cells[0] ?? '').trim() || Number.NaN);
  return (
    rows.length > 1 && rows.every((row, index) => Number((row.cells[0] ?? '').trim() || Number.NaN) === first + index)
  );
}
