// Repairs that can be applied to a value. A fix is suggested only when it is evident: applied to every value of the cluster that
// was seen, it must give a value that reads. Fixes are plain JSON, so that a user's choice can be stored and replayed.
import { commaStyle, type NumberStyle, pointStyle } from '../values/number-style.ts';
import { type DateOrder, parseDate } from '../values/parse-date.ts';
import { parseNumber } from '../values/parse-number.ts';
import type { ParsedValue } from '../values/parsed-value.ts';

export type Fix =
  | { readonly kind: 'date_order'; readonly order: 'dmy' | 'mdy' }
  | { readonly kind: 'date_serial' }
  | { readonly kind: 'number_style'; readonly decimal: '.' | ',' }
  | { readonly kind: 'keep_digits' }
  | { readonly kind: 'drop_decimals' }
  | { readonly kind: 'trim' }
  | { readonly kind: 'replace'; readonly from: string; readonly to: string };

export interface SuggestedFix {
  readonly fix: Fix;
  /** "looks like DD/MM/YYYY" */
  readonly label: string;
}

interface Candidate extends SuggestedFix {
  /** Codes of the issues it may repair. */
  readonly codes: readonly string[];
}

const dates = ['date_malformed', 'date_ambiguous', 'date_out_of_range'];
const numbers = ['number_malformed'];

/** In the order in which they are tried. */
const candidates: readonly Candidate[] = [
  { codes: dates, fix: { kind: 'date_order', order: 'dmy' }, label: 'looks like DD/MM/YYYY' },
  { codes: dates, fix: { kind: 'date_order', order: 'mdy' }, label: 'looks like MM/DD/YYYY' },
  { codes: dates, fix: { kind: 'date_serial' }, label: 'looks like a spreadsheet day number' },
  { codes: numbers, fix: { kind: 'number_style', decimal: '.' }, label: 'looks like a decimal point' },
  { codes: numbers, fix: { kind: 'number_style', decimal: ',' }, label: 'looks like a decimal comma' },
  { codes: numbers, fix: { kind: 'keep_digits' }, label: 'remove the currency sign and other text' },
  { codes: ['number_not_whole'], fix: { kind: 'drop_decimals' }, label: 'drop the decimals' },
];

/**
 * The first fix that fixes all of the values, cells of a file with numbers of that style; null when none does, or when two orders of
 * dates would fix them differently.
 */
export function suggestFix(
  code: string,
  values: readonly string[],
  style: NumberStyle = pointStyle,
): SuggestedFix | null {
  if (values.length === 0) return null;
  const working = candidates.filter(
    (candidate) => candidate.codes.includes(code) && values.every((value) => fixes(candidate.fix, value, style)),
  );
  const [first, second] = working;
  if (first === undefined) return null;
  const isTossUp =
    first.fix.kind === second?.fix.kind &&
    values.some((value) => applyFix(first.fix, value, style) !== applyFix(second.fix, value, style));
  return isTossUp ? null : { fix: first.fix, label: first.label };
}

/**
 * The repaired text: ISO for dates, a plain number for numbers, written with the decimal sign of the file (`style`), because it
 * is read again as a cell of that file. A value the fix cannot fix is returned as it was.
 */
export function applyFix(fix: Fix, value: string, style: NumberStyle = pointStyle): string {
  if (fix.kind === 'trim') return value.trim().replace(/\s+/g, ' ');
  if (fix.kind === 'replace') return value === fix.from ? fix.to : value;
  const parsed = parseWith(fix, value, style);
  if (parsed.kind !== 'value') return value;
  if (fix.kind === 'drop_decimals') return parsed.value.split('.')[0] ?? value;
  return fix.kind === 'number_style' || fix.kind === 'keep_digits'
    ? parsed.value.replace('.', style.decimal)
    : parsed.value;
}

function fixes(fix: Fix, value: string, style: NumberStyle): boolean {
  const parsed = parseWith(fix, value, style);
  return parsed.kind === 'value' && (fix.kind !== 'drop_decimals' || parsed.value.includes('.'));
}

function parseWith(fix: Fix, value: string, style: NumberStyle): ParsedValue {
  switch (fix.kind) {
    case 'date_order':
      return parseDate(value.trim(), fix.order satisfies DateOrder);
    case 'date_serial':
      return parseDate(value.trim(), 'serial');
    case 'number_style':
      return parseNumber(value, styleOf(fix.decimal));
    case 'keep_digits':
      return parseNumber(value.replace(/[^\d.,()\-−%]/gu, ''), style);
    case 'drop_decimals':
      return parseNumber(value, style);
    default:
      return { kind: 'value', value };
  }
}

function styleOf(decimal: '.' | ','): NumberStyle {
  return decimal === ',' ? commaStyle : pointStyle;
}
