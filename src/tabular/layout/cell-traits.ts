// What can be seen of a cell by itself, coarse enough to be counted: its shape, and for texts the form of its letters (FCO and OSL are of one
// form, Rome and New York of others). Header rows are told from data by how unusual their traits are in the columns below.
import { hasHeaderWord } from './header-words.ts';
import type { SampleRow } from './sample-row.ts';
import { shapeOf, type ValueShape } from './value-shape.ts';

export interface CellTraits {
  readonly shape: ValueShape;
  /** Finer than the shape: the form of a text, the length of a whole number, whether it may be a year. */
  readonly form: string;
  /** For comparison with other cells. */
  readonly key: string;
  /** A text with a word that stands in names of columns. */
  readonly hasHeaderWord: boolean;
}

const FORM_LENGTH = 6;
const empty: CellTraits = { shape: 'empty', form: '', key: '', hasHeaderWord: false };
/** A row is a part of many models, each of the rows below another one. */
const seen = new WeakMap<SampleRow, CellTraits[]>();

export function traitsOf(row: SampleRow, column: number): CellTraits {
  let traits = seen.get(row);
  if (traits === undefined) {
    traits = [];
    seen.set(row, traits);
  }
  traits[column] ??= cellTraits((row.cells[column] ?? '').trim());
  return traits[column];
}

function cellTraits(text: string): CellTraits {
  if (text === '') return empty;
  const shape = shapeOf(text);
  const key = text.toLowerCase();
  return { shape, form: formOf(text, shape), key, hasHeaderWord: shape === 'text' && hasHeaderWord(key) };
}

export function isYear(text: string): boolean {
  return /^(?:1[89]|20)\d\d$/.test(text);
}

function formOf(text: string, shape: ValueShape): string {
  if (shape === 'integer') return isYear(text) ? 'year' : String(Math.min(text.length, 9));
  if (shape !== 'text') return '';
  let form = '';
  for (const sign of text) {
    const kind = kindOf(sign);
    // "Aa" is one capital and its word; a run of capitals stays "A".
    if (kind !== form.at(-1)) form += kind;
    if (form.length === FORM_LENGTH) break;
  }
  return form;
}

function kindOf(sign: string): string {
  if (/\d/.test(sign)) return '9';
  if (/\s/.test(sign)) return ' ';
  if (/\p{Lu}/u.test(sign)) return 'A';
  if (/\p{L}/u.test(sign)) return 'a';
  return /[-_./:@]/.test(sign) ? sign : '?';
}
