// Written dates to YYYY-MM-DD. Which of 05/01/2024's numbers is the day cannot be told from the cell: the order is decided per
// column from many values (date-order.ts) and passed in. An order that is not known makes such a cell a fault, never a guess.
import { valueMarkers } from './empty-markers.ts';
import { monthOf } from './month-names.ts';
import { absentValue, emptyCell, faultyValue, type ParsedValue } from './parsed-value.ts';

/** `unknown`: dates that both orders can read are refused. `serial`: days since 1899-12-30, as spreadsheets count. */
export type DateOrder = 'ymd' | 'dmy' | 'mdy' | 'serial' | 'unknown';

const malformed = faultyValue('date_malformed');
const ambiguous = faultyValue('date_ambiguous');
const outOfRange = faultyValue('date_out_of_range');

const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
/** Two-digit years below this are of this century. */
const PIVOT_YEAR = 70;
const TIME =
  '(?:[T ,]+\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?\\s*(?:[ap]\\.?m\\.?)?\\s*(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?)?';
const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}$`, 'i');
const compact = /^(\d{4})(\d{2})(\d{2})$/;
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`, 'i');
const WEEKDAY = '(?:\\p{L}+\\.?,?\\s+)?';
const dayName = new RegExp(
  `^${WEEKDAY}(\\d{1,2})(?:st|nd|rd|th|er|\\.|º)?[\\s-]*(?:de\\s+|of\\s+)?(\\p{L}{3,}\\.?),?[\\s-]+(?:de\\s+)?(\\d{4}|\\d{2})${TIME}$`,
  'iu',
);
const nameDay = new RegExp(
  `^${WEEKDAY}(\\p{L}{3,}\\.?)[\\s-]+(\\d{1,2})(?:st|nd|rd|th)?,?[\\s-]+(\\d{4})${TIME}$`,
  'iu',
);
const eastAsian = /^(\d{4})[年년]\s*(\d{1,2})[月월]\s*(\d{1,2})[日일]?$/;

export function parseDate(text: string, order: DateOrder, markers = valueMarkers): ParsedValue {
  if (isIsoDate(text))
    return calendarDate(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));
  const trimmed = text.trim();
  if (trimmed === '') return emptyCell;
  if (markers.has(trimmed)) return absentValue;
  if (order === 'serial' && /^\d{1,6}(?:\.\d+)?$/.test(trimmed)) return serialDate(Number(trimmed));
  const first = yearFirst.exec(trimmed) ?? eastAsian.exec(trimmed) ?? compact.exec(trimmed);
  if (first !== null) {
    const [year, month, day] = first
      .slice(1)
      .filter((part) => part !== undefined && /^\d+$/.test(part))
      .map(Number);
    return calendarDate(year, month, day);
  }
  const last = yearLast.exec(trimmed);
  if (last !== null)
    return numericDate(Number(last[1]), Number(last[3]), fullYear(last[4] ?? ''), pointedOrder(last[2], order));
  const named = namedDate(trimmed);
  return named ?? malformed;
}

/** Numbers between points (5.1.2024) are written day first wherever that form is in use. */
function pointedOrder(separator: string | undefined, order: DateOrder): DateOrder {
  return separator === '.' && order !== 'mdy' ? 'dmy' : order;
}

function numericDate(first: number, second: number, year: number, order: DateOrder): ParsedValue {
  if (order === 'dmy') return calendarDate(year, second, first);
  if (order === 'mdy') return calendarDate(year, first, second);
  if (first === second) return calendarDate(year, first, second);
  if (first > 12) return calendarDate(year, second, first);
  if (second > 12) return calendarDate(year, first, second);
  return ambiguous;
}

function namedDate(text: string): ParsedValue | null {
  const dayFirst = dayName.exec(text);
  if (dayFirst !== null) {
    const month = monthOf(dayFirst[2] ?? '');
    if (month !== null) return calendarDate(fullYear(dayFirst[3] ?? ''), month, Number(dayFirst[1]));
  }
  const monthFirst = nameDay.exec(text);
  if (monthFirst === null) return null;
  const month = monthOf(monthFirst[1] ?? '');
  return month === null ? null : calendarDate(Number(monthFirst[3]), month, Number(monthFirst[2]));
}

function isIsoDate(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return false;
  for (let i = 0; i < 10; i++) {
    const code = text.charCodeAt(i);
    if (i !== 4 && i !== 7 && (code < 48 || code > 57)) return false;
  }
  return true;
}

function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year < PIVOT_YEAR ? 2000 + year : 1900 + year;
}

function calendarDate(year = 0, month = 0, day = 0): ParsedValue {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return outOfRange;
  if (year < FIRST_YEAR || year > LAST_YEAR) return outOfRange;
  return { kind: 'value', value: `${year}-${two(month)}-${two(day)}` };
}

/** Excel counts a 29 February 1900 that never was; from 1 March 1900 on its days are those since 1899-12-30. */
function serialDate(serial: number): ParsedValue {
  const days = Math.floor(serial);
  if (days < 61 || days > 109_574) return outOfRange;
  const date = new Date(Date.UTC(1899, 11, 30) + days * 86_400_000);
  return { kind: 'value', value: date.toISOString().slice(0, 10) };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}
