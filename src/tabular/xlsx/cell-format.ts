// Cells as displayed, without what displaying takes away. A workbook stores 45296 and 0.0512 and says beside it how they look; a reader
// wants the day and "5.12%". But a format that rounds, counts in thousands, hides zeros or shows three digits of seven says something else
// than the file does: there the number keeps its digits, up to the fifteen that programs show.
// Dates become ISO text when their format shows a whole day (day, month and year): how it is punctuated is the viewer's locale,
// which day it is, is not. A format that shows only a month stays what it shows, because it is not a day.
// hucre's formatter does the rest; it drops the currency of [$€-407], which is put back here.
import { formatValue } from 'hucre';

export type CellFormat =
  | { readonly kind: 'general' }
  | { readonly kind: 'text' }
  | { readonly kind: 'day'; readonly hasTime: boolean }
  | { readonly kind: 'fixed'; readonly decimals: number; readonly isGrouped: boolean; readonly isPercent: boolean }
  | { readonly kind: 'other'; readonly code: string; readonly isOneNumber: boolean };

/** The formats that are known by number only. */
const builtIn: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0_);($#,##0)',
  6: '$#,##0_);[Red]($#,##0)',
  7: '$#,##0.00_);($#,##0.00)',
  8: '$#,##0.00_);[Red]($#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yyyy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);[Red](#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);[Red](#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mmss.0',
  48: '##0.0E+0',
  49: '@',
};
/** East Asian built-in dates. */
const isEastAsianDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

const general: CellFormat = { kind: 'general' };
const DAY_SECONDS = 86_400;
/** What lies further behind the point is left over from calculating: 0.3 - 0.2 - 0.1. */
const MAX_DECIMALS = 12;

export function describeFormat(id: number, customCode: string | undefined): CellFormat {
  if (customCode === undefined && isEastAsianDate(id)) return { kind: 'day', hasTime: false };
  const code = customCode ?? builtIn[id];
  if (code === undefined || /^general$/i.test(code.trim()) || code.trim() === '') return general;
  if (code.trim() === '@') return { kind: 'text' };
  const bare = withoutLiterals(code.split(';')[0] ?? '').toLowerCase();
  if (/y/.test(bare) && /m/.test(bare) && /d/.test(bare)) return { kind: 'day', hasTime: /h/.test(bare) };
  const fixed = /^(#,##)?0(?:\.(0+))?(%)?$/.exec(code.trim());
  if (fixed !== null) {
    return {
      kind: 'fixed',
      decimals: fixed[2]?.length ?? 0,
      isGrouped: fixed[1] !== undefined,
      isPercent: fixed[3] !== undefined,
    };
  }
  return { kind: 'other', code: keepCurrency(code), isOneNumber: code.split(';').slice(0, 3).every(isOneNumber) };
}

/** A stored number as its format shows it. `raw` is the text in the file. */
export function displayNumber(raw: string, format: CellFormat, isFrom1904: boolean): string {
  if (format.kind === 'general' || format.kind === 'text') return plainNumber(raw);
  const number = Number(raw);
  if (!Number.isFinite(number)) return raw;
  if (format.kind === 'day') return displayDay(number, format.hasTime, isFrom1904) ?? raw;
  if (format.kind === 'fixed') return displayFixed(number, format);
  const shown = formatValue(number, format.code, { is1904: isFrom1904 }).trim();
  if (format.isOneNumber) return saysNumber(shown, number) ? shown : withAllDigits(raw, number, format.code);
  // A format beyond what the formatter can do shows the number itself, never that it is none.
  return /NaN|Infinity/.test(shown) ? plainNumber(raw) : shown;
}

/** A section that shows one number with signs around it: not a day or a time, not "000-00-0000", no digits of its own. */
function isOneNumber(section: string): boolean {
  if (/["\\][^"]*\d/.test(section)) return false;
  const bare = withoutLiterals(section);
  return !/[ymdhs]/i.test(bare.replace(/general/gi, '')) && bare.split(/[^#0?.,/E+ ]+/i).filter(hasPlace).length <= 1;
}

function hasPlace(piece: string): boolean {
  return /[#0?]/.test(piece);
}

function saysNumber(shown: string, number: number): boolean {
  const digits = /\d[\d,]*(?:\.\d+)?(?:E[+-]?\d+)?/i.exec(shown)?.[0];
  // A negative number may be shown in red only.
  if (/[-−(]/.test(shown) !== number < 0) return false;
  if (digits === undefined || /\d\s*\/\s*\d/.test(shown)) return false;
  const size = Math.abs(number) * (shown.includes('%') ? 100 : 1);
  return Math.abs(Number(digits.replaceAll(',', '')) - Number(size.toPrecision(15))) < 10 ** -MAX_DECIMALS;
}

/** The same format with as many decimals as the number has; the bare number where that does not help. */
function withAllDigits(raw: string, number: number, code: string): string {
  const wanted = decimalsOf(code.includes('%') ? number * 100 : number);
  const wider = code.replace(/([#0?])(?:\.[#0?]*)?(?![#0?,.])/g, `$1.${'0'.repeat(wanted)}`);
  const shown = wanted === 0 ? '' : formatValue(number, wider).trim();
  return saysNumber(shown, number) && !/NaN|Infinity/.test(shown) ? shown : plainNumber(raw);
}

function decimalsOf(number: number): number {
  return digitsOf(Math.abs(number))[1].slice(0, MAX_DECIMALS).replace(/0+$/, '').length;
}

/** Whole numbers keep every digit; fractions are shown with 15 digits, as programs do (0.1 + 0.2 is 0.3). */
function plainNumber(raw: string): string {
  if (/^-?\d+$/.test(raw) || /e\+?\d\d/i.test(raw)) return raw;
  const number = Number(raw);
  return Number.isFinite(number) && raw !== '' ? String(Number(number.toPrecision(15))) : raw;
}

function displayDay(serial: number, hasTime: boolean, isFrom1904: boolean): string | null {
  if (serial < 0) return null;
  const seconds = hasTime ? Math.round(serial * DAY_SECONDS) : Math.floor(serial + 1e-9) * DAY_SECONDS;
  // Excel's 1900 has a 29 February (day 60): before it days count from 1899-12-31, after it from 1899-12-30.
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  if (!isFrom1904 && Math.floor(serial) === 60) return '1900-02-29';
  const date = new Date(epoch + seconds * 1000);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return null;
  const iso = date.toISOString();
  return hasTime ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : iso.slice(0, 10);
}

function displayFixed(number: number, format: { decimals: number; isGrouped: boolean; isPercent: boolean }): string {
  const scaled = format.isPercent ? number * 100 : number;
  const rounded = roundHalfUp(scaled, Math.max(format.decimals, decimalsOf(scaled)));
  const [whole = '', fraction] = rounded.split('.');
  const grouped = format.isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`}${format.isPercent ? '%' : ''}`;
}

/** Rounds the 15 digits a program shows, not the binary fraction behind them. Works on the digits: sixteen decimals are no number. */
function roundHalfUp(number: number, decimals: number): string {
  const size = Math.abs(number);
  const [whole, fraction] = digitsOf(size);
  const isUp = (fraction[decimals] ?? '0') >= '5';
  const digits = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')) + (isUp ? 1n : 0n);
  const text = digits.toString().padStart(decimals + 1, '0');
  const shown = decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
  return number < 0 && digits !== 0n ? `-${shown}` : shown;
}

function digitsOf(size: number): readonly [whole: string, fraction: string] {
  const [whole = '0', fraction = ''] = (size >= 1e15 && size < 1e21 ? size.toFixed(0) : plainDigits(size)).split('.');
  return [whole, fraction];
}

/** Up to 15 digits without an exponent. */
function plainDigits(size: number): string {
  const [mantissa = '0', power = '0'] = size.toExponential(14).split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(power) + 1;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** [$€-407] shows €, [$-409] shows nothing. */
function keepCurrency(code: string): string {
  return code.replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, symbol: string) => (symbol === '' ? '' : `"${symbol}"`));
}

function withoutLiterals(code: string): string {
  return code.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./g, '');
}
