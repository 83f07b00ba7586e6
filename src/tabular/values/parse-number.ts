// Written numbers to exact decimal text. No floating point anywhere: what is stored is what was written, with the signs of the
// file's style taken out. A marker or a masked count becomes "no value", never 0.
import { valueMarkers } from './empty-markers.ts';
import { isIndianGrouping, type NumberStyle, pointStyle } from './number-style.ts';
import { absentValue, emptyCell, faultyValue, maskedValue, type ParsedValue } from './parsed-value.ts';
import { stripNumber } from './strip-number.ts';

/** Enough for numeric(38, n) and for anything a person means. */
const MAX_DIGITS = 38;
const ZERO = 48;
const NINE = 57;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const malformed = faultyValue('number_malformed');
const notWhole = faultyValue('number_not_whole');
const tooLarge = faultyValue('number_too_large');

/** A decimal: "1,234.50" → "1234.5". Percent signs and currencies are reported beside the value, not applied to it. */
export function parseNumber(text: string, style: NumberStyle = pointStyle, markers = valueMarkers): ParsedValue {
  const plain = readPlainNumber(text, style);
  if (plain !== null) return { kind: 'value', value: plain };
  const priced = readPriced(text, style);
  if (priced !== null) return priced;
  const trimmed = text.trim();
  if (trimmed === '') return emptyCell;
  if (markers.has(trimmed)) return absentValue;
  if (/^[<>≤≥]\s*\d/.test(trimmed)) return maskedValue;
  const stripped = stripNumber(trimmed);
  if (stripped === null) return malformed;
  const magnitude = readDigits(stripped.digits, style);
  if (magnitude === null) return malformed;
  if (magnitude.length > MAX_DIGITS + 1) return tooLarge;
  const value = stripped.isNegative && magnitude !== '0' ? `-${magnitude}` : magnitude;
  if (!stripped.isPercent && stripped.currency === null) return { kind: 'value', value };
  return {
    kind: 'value',
    value,
    ...(stripped.isPercent ? { unit: '%' as const } : {}),
    ...(stripped.currency === null ? {} : { currency: stripped.currency }),
  };
}

/** A whole number; "12.0" is one, "12.5" is not. */
export function parseInteger(text: string, style: NumberStyle = pointStyle, markers = valueMarkers): ParsedValue {
  const parsed = parseNumber(text, style, markers);
  return parsed.kind === 'value' && parsed.value.includes('.') ? notWhole : parsed;
}

/**
 * The numbers most cells hold (12, -3.5, 203,834.00), without regular expressions: 60 ns instead of 3 µs. Null for everything
 * else, which is then looked at properly.
 */
export function readPlainNumber(text: string, style: NumberStyle): string | null {
  const length = text.length;
  if (length === 0 || length > 30) return null;
  const decimal = style.decimal.charCodeAt(0);
  const group = decimal === POINT ? COMMA : POINT;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  let i = start;
  let sinceGroup = 0;
  let isGrouped = false;
  for (; i < length; i++) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) sinceGroup++;
    else if (code === group) {
      if (sinceGroup === 0 || sinceGroup > 3 || (isGrouped && sinceGroup !== 3)) return null;
      isGrouped = true;
      sinceGroup = 0;
    } else if (code === decimal) break;
    else return null;
  }
  if (sinceGroup === 0 || (isGrouped && sinceGroup !== 3)) return null;
  const first = text.charCodeAt(start);
  // Leading zeros and minus zero are rare; the other path knows them.
  if (first === ZERO && (i - start > 1 || start === 1)) return null;
  const whole = isGrouped
    ? text.slice(0, i).replaceAll(decimal === POINT ? ',' : '.', '')
    : i === length
      ? text
      : text.slice(0, i);
  if (i === length) return whole;
  let end = length;
  for (let k = i + 1; k < length; k++) if (!isDigit(text.charCodeAt(k))) return null;
  if (i + 1 === length) return null;
  while (end > i + 1 && text.charCodeAt(end - 1) === ZERO) end--;
  return end === i + 1 ? whole : `${whole}.${text.slice(i + 1, end)}`;
}

/** "$1,234.50": one sign that is a currency and nothing else, then a plain number. */
function readPriced(text: string, style: NumberStyle): ParsedValue | null {
  const sign = text.charAt(0);
  if (sign !== '$' && sign !== '€' && sign !== '£') return null;
  const code = text.charCodeAt(1);
  if (!isDigit(code)) return null;
  const value = readPlainNumber(text.slice(1), style);
  return value === null ? null : { kind: 'value', value, currency: sign };
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Digits and separators in the given style to canonical text, or null. */
function readDigits(digits: string, style: NumberStyle): string | null {
  const compact = ungroupBlanks(digits);
  if (compact === null) return null;
  const exponent = /^(\d+(?:[.,]\d+)?)e([+-]?\d{1,3})$/i.exec(compact);
  if (exponent !== null) return shift(exponent[1] ?? '', Number(exponent[2]), style);
  const parts = compact.split(style.decimal);
  if (parts.length > 2) return null;
  const whole = ungroup(parts[0] ?? '', style.decimal === '.' ? ',' : '.');
  const fraction = parts[1] ?? '';
  if (whole === null || !/^\d*$/.test(fraction) || (whole === '' && fraction === '')) return null;
  return canonical(whole, fraction);
}

/** Takes out blanks and apostrophes between groups of three. */
function ungroupBlanks(digits: string): string | null {
  if (!/[\s'’]/.test(digits)) return digits;
  return /^\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d*)?$/.test(digits) ? digits.replace(/[\s'’]/g, '') : null;
}

function ungroup(whole: string, sign: string): string | null {
  if (!whole.includes(sign)) return /^\d*$/.test(whole) ? whole : null;
  const groups = whole.split(sign);
  if (!groups.every((group) => /^\d+$/.test(group))) return null;
  const isThrees = (groups[0]?.length ?? 0) <= 3 && groups.slice(1).every((group) => group.length === 3);
  return isThrees || isIndianGrouping(groups) ? groups.join('') : null;
}

function canonical(whole: string, fraction: string): string {
  const left = whole.replace(/^0+(?=\d)/, '') || '0';
  const right = fraction.replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

/** 1.2E+05 → 120000, exactly. */
function shift(mantissa: string, exponent: number, style: NumberStyle): string | null {
  if (Math.abs(exponent) > MAX_DIGITS) return null;
  const [whole = '', fraction = ''] = mantissa.split(mantissa.includes(style.decimal) ? style.decimal : '.');
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction)) return null;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return canonical('0', '0'.repeat(-point) + digits);
  if (point >= digits.length) return canonical(digits + '0'.repeat(point - digits.length), '');
  return canonical(digits.slice(0, point), digits.slice(point));
}
