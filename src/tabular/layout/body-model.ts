// What the rows of a table look like, column by column, and how unusual another row would be among them. Each cell of a row adds the
// log-odds of "a name" against "one more value of this column", from counts of shapes, forms and repeated values (naive Bayes with
// smoothing, so that three rows below say less than sixty). A single name like "2019" then costs a little and decides nothing.
import type { Clue } from '../reading-evidence.ts';
import { type CellTraits, isYear, traitsOf } from './cell-traits.ts';
import type { SampleRow } from './sample-row.ts';
import { isValueShape, type ValueShape } from './value-shape.ts';

/** No cell may decide alone. */
const MAX_WEIGHT = 2.5;
const nameShapes: Readonly<Partial<Record<ValueShape, number>>> = {
  text: 0.82,
  empty: 0.08,
  integer: 0.05,
  marker: 0.01,
};
const cellShapes: Readonly<Partial<Record<ValueShape, number>>> = {
  text: 0.4,
  empty: 0.15,
  integer: 0.2,
  decimal: 0.1,
  date: 0.1,
};
const RARE = 0.01;
const usualForms: Readonly<Record<string, number>> = { Aa: 0.22, a: 0.2, A: 0.1, 'Aa a': 0.1, 'Aa Aa': 0.1, a_a: 0.08 };
const OTHER_FORM = 0.03;

interface ColumnModel {
  readonly count: number;
  readonly shapes: ReadonlyMap<ValueShape, number>;
  readonly forms: ReadonlyMap<string, number>;
  readonly values: ReadonlyMap<string, number>;
  readonly singletons: number;
  readonly wordShare: number;
}

export class BodyModel {
  readonly rowCount: number;
  readonly #columns: readonly ColumnModel[];
  /** Columns in which nearly all cells are numbers, dates or the like. */
  readonly valueColumns: readonly number[];

  constructor(rows: readonly SampleRow[], width: number) {
    this.rowCount = rows.length;
    this.#columns = Array.from({ length: width }, (_, column) => modelOf(rows, column));
    this.valueColumns = this.#columns.flatMap((column, index) => (isValueColumn(column) ? [index] : []));
  }

  /** What speaks for the row being names (positive) and for its being one more row of values (negative). */
  headerClues(row: SampleRow): Clue[] {
    if (this.rowCount === 0) return [];
    const sums = { kind: 0, seen: 0, word: 0 };
    let unlike = 0;
    let repeated = 0;
    let named = 0;
    let filled = 0;
    const sequence = isSequence(row);
    this.#columns.forEach((column, index) => {
      const cell = traitsOf(row, index);
      // A column that nothing stands in says nothing: sheets whose table begins at D7 have three of them.
      if (cell.shape === 'empty' && column.values.size === 0) return;
      if (cell.shape !== 'empty') filled++;
      const kind = sequence && cell.shape === 'integer' ? 1 : kindWeight(cell, column);
      sums.kind += kind;
      if (kind > 0.5) unlike++;
      if (cell.shape !== 'text' || column.count < 2) return;
      const isSeen = column.values.has(cell.key);
      if (isSeen) repeated++;
      sums.seen += seenWeight(isSeen, column);
      if (column.wordShare < 0.2 && cell.hasHeaderWord) {
        named++;
        sums.word += 1.2;
      }
    });
    // Cells of one row go together: ten of them are not ten independent witnesses.
    const damp = 1 / Math.max(1, Math.sqrt(this.#columns.length / 2));
    return [
      { says: kindSentence(sums.kind, unlike, filled), weight: sums.kind * damp },
      {
        says: repeated > 0 ? `${repeated} of its texts come again below` : 'none of its texts comes again below',
        weight: sums.seen * damp,
      },
      ...(named === 0 ? [] : [{ says: `${named} of its cells are usual names of columns`, weight: sums.word * damp }]),
    ];
  }

  headerOdds(row: SampleRow): number {
    return this.headerClues(row).reduce((sum, { weight }) => sum + weight, 0);
  }

  /** Share of the columns of values in which the row has text. */
  textShare(row: SampleRow): number {
    if (this.valueColumns.length === 0) return 0;
    const texts = this.valueColumns.filter((column) => traitsOf(row, column).shape === 'text').length;
    return texts / this.valueColumns.length;
  }

  /** The same where years that count up are names as well. */
  nameShare(row: SampleRow): number {
    if (this.valueColumns.length === 0 || !isSequence(row)) return this.textShare(row);
    const names = this.valueColumns.filter((column) => {
      const { shape, form } = traitsOf(row, column);
      return shape === 'text' || form === 'year';
    });
    return names.length / this.valueColumns.length;
  }
}

function modelOf(rows: readonly SampleRow[], column: number): ColumnModel {
  const shapes = new Map<ValueShape, number>();
  const forms = new Map<string, number>();
  const values = new Map<string, number>();
  let worded = 0;
  for (const row of rows) {
    const { shape, form, key, hasHeaderWord } = traitsOf(row, column);
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    forms.set(`${shape}:${form}`, (forms.get(`${shape}:${form}`) ?? 0) + 1);
    if (key !== '') values.set(key, (values.get(key) ?? 0) + 1);
    if (hasHeaderWord) worded++;
  }
  const singletons = [...values.values()].filter((times) => times === 1).length;
  return {
    count: rows.length,
    shapes,
    forms,
    values,
    singletons,
    wordShare: rows.length === 0 ? 0 : worded / rows.length,
  };
}

function isValueColumn({ shapes, count }: ColumnModel): boolean {
  const filled = count - (shapes.get('empty') ?? 0);
  let values = 0;
  for (const [shape, times] of shapes) if (isValueShape(shape)) values += times;
  return filled > 0 && values >= filled * 0.8;
}

function kindWeight(cell: CellTraits, { count, shapes, forms }: ColumnModel): number {
  const shapeShare = ((shapes.get(cell.shape) ?? 0) + (cellShapes[cell.shape] ?? RARE)) / (count + 1);
  const formShare = cell.shape === 'text' ? (usualForms[cell.form] ?? OTHER_FORM) : cell.shape === 'integer' ? 0.2 : 1;
  const asValue = ((forms.get(`${cell.shape}:${cell.form}`) ?? 0) + 2 * shapeShare * formShare) / (count + 2);
  const asName = nameShare(cell, formShare);
  return bounded(Math.log(asName / asValue));
}

function nameShare({ shape, form }: CellTraits, formShare: number): number {
  if (shape === 'integer') return form === 'year' ? 0.04 : 0.01;
  const share = nameShapes[shape] ?? RARE;
  return shape === 'text' ? share * formShare : share;
}

/** A name is hardly ever a value of its own column; a value of a column with few different ones mostly comes again. */
function seenWeight(isSeen: boolean, { count, singletons }: ColumnModel): number {
  const unseenShare = (singletons + 1) / (count + 2);
  return isSeen ? bounded(Math.log(0.03 / Math.max(0.1, 1 - unseenShare))) : bounded(Math.log(0.97 / unseenShare), 1.5);
}

/** Years or numbers that count up from cell to cell: 2018, 2019, 2020. */
function isSequence(row: SampleRow): boolean {
  const numbers = row.cells.map((cell) => cell.trim()).filter((cell) => /^\d{1,4}$/.test(cell));
  if (numbers.length < 2 || !(numbers.every(isYear) || numbers.length >= 3)) return false;
  const steps = numbers.slice(1).map((number, index) => Number(number) - Number(numbers[index]));
  return (
    steps.every((step) => step === steps[0] && step !== 0) ||
    (numbers.every(isYear) && steps.every((step) => step >= 0))
  );
}

function kindSentence(weight: number, unlike: number, filled: number): string {
  if (weight >= 0) return `${unlike} of its ${filled} cells are of another kind than those below`;
  return 'its cells are of the same kinds as those below';
}

function bounded(weight: number, limit = MAX_WEIGHT): number {
  return Math.max(-limit, Math.min(limit, weight));
}
