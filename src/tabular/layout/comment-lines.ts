// Comments between the rows of delimited text: `# second batch`, `// not checked`, `-- from the archive`. They hold no row. Signs that begin
// comments begin texts as well ("#summer"): where the first column holds texts a comment needs a blank behind its sign and must be narrower
// than a row; where it holds numbers, days or ids nothing else begins so, and a row may have been taken out that way.
import type { ColumnReading, Reading } from '../reading.ts';
import type { SampleRow } from './sample-row.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

const SIGN = /^\s*(?:#|\/\/|;|%|!|--(?=\s*\p{L}))/u;
const BEFORE_WORDS = /^\s*(?:#+\s|\/\/|;\s|%\s|!\s|--\s+(?=\p{L}))/u;
/** What spreadsheets show where a formula fails. */
const FAULT = /^\s*#[A-Z_/]+[\d]?[!?]?\s*$/;
const codes = new Set(['#', '/', ';', '%', '!', '-', ' '].map((sign) => sign.charCodeAt(0)));
const MIN_FILL = 0.5;
const MIN_VALUES = 2;

/** Whether a row whose first cell starts with this character can be a comment. */
export function isCommentCode(code: number): boolean {
  return codes.has(code);
}

export class CommentLines {
  readonly #width: number;
  readonly #pattern: RegExp | null;
  readonly #isOfValues: boolean;
  /** How the first cells of rows are made: "K-104" is letters, a dash and digits. */
  readonly #makes: ReadonlySet<string>;

  constructor({ format, header, columns }: Pick<Reading, 'format' | 'header' | 'columns'>) {
    const [first] = columns;
    this.#width = header.value.names.length;
    this.#isOfValues = first !== undefined && hasValues(first);
    const pattern = this.#isOfValues ? SIGN : BEFORE_WORDS;
    this.#makes = new Set(first?.examples.map(makeOf));
    const isUsual = first?.examples.some((example) => SIGN.test(example)) === true;
    this.#pattern = format !== 'csv' || this.#width < 2 || isUsual ? null : pattern;
  }

  /** `cells`: of the row that starts with `first`. */
  isComment(first: string, cells: number): boolean {
    if (this.#pattern === null || !this.#pattern.test(first)) return false;
    if (cells < this.#width) return true;
    // "% 5" is a value, "#NAME?" is none and no comment either.
    if (this.#isOfValues) return !isValueShape(shapeOf(first)) && !FAULT.test(first);
    return this.#makes.has(makeOf(first.replace(BEFORE_WORDS, '')));
  }
}

function makeOf(text: string): string {
  return text
    .trim()
    .replace(/\p{L}+/gu, 'a')
    .replace(/\d+/g, '0');
}

/** Whether nothing in the column is a text. */
function hasValues({ kind, fillRate }: ColumnReading): boolean {
  return fillRate >= MIN_FILL && kind !== 'text' && kind !== 'empty';
}

/** Without the comments, by which the columns must not be judged: what these hold is not known yet. */
export function withoutComments(rows: readonly SampleRow[], width: number): readonly SampleRow[] {
  const suspects = rows.filter(({ cells }) => SIGN.test(cells[0] ?? ''));
  if (width < 2 || suspects.length === 0 || suspects.length * 2 > rows.length) return rows;
  const values = rows.filter(({ cells }) => isValueShape(shapeOf(cells[0] ?? ''))).length;
  const isOfValues = values >= MIN_VALUES && values >= (rows.length - suspects.length) * MIN_FILL;
  const makes = new Set(rows.filter((row) => !suspects.includes(row)).map(({ cells }) => makeOf(cells[0] ?? '')));
  const isComment = ({ cells: [first = '', ...rest] }: SampleRow) =>
    (BEFORE_WORDS.test(first) && (rest.length + 1 < width || makes.has(makeOf(first.replace(BEFORE_WORDS, ''))))) ||
    (isOfValues && !isValueShape(shapeOf(first)) && !FAULT.test(first));
  const comments = new Set(suspects.filter(isComment));
  return rows.filter((row) => !comments.has(row));
}

/** Whether a comment is as wide as a row: then one may have been taken out. */
export function isRowTakenOut(cells: readonly string[], width: number): boolean {
  return cells.length >= width && SIGN.test(cells[0] ?? '') && cells.slice(1).some((cell) => cell.trim() !== '');
}
