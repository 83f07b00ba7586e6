// Ids are text. Seventeen digits do not survive a number type, so none is used; an id that a spreadsheet has already rounded to
// 1.2E+17 is refused, because its last digits are gone for good.
import { textMarkers } from './empty-markers.ts';
import { absentValue, emptyCell, faultyValue, type ParsedValue } from './parsed-value.ts';

const rounded = faultyValue('id_rounded');

export function parseId(text: string, markers = textMarkers): ParsedValue {
  const trimmed = unwrap(text.trim());
  if (trimmed === '') return emptyCell;
  if (markers.has(trimmed)) return absentValue;
  if (/^\d(?:[.,]\d+)?e\+?\d+$/i.test(trimmed)) return rounded;
  return { kind: 'value', value: trimmed };
}

/** Nearly all ids are digits and nothing else; the rest needs parseId. */
export function isPlainId(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}

/** Exports that want to survive Excel write ="123" or '123. */
function unwrap(text: string): string {
  const formula = /^="(.*)"$/.exec(text);
  if (formula !== null) return (formula[1] ?? '').trim();
  return /^'\d+$/.test(text) ? text.slice(1) : text;
}

/** Text as written, without surrounding blanks; a lone dash is "no value". */
export function parseText(text: string, markers = textMarkers): ParsedValue {
  const trimmed = text.trim();
  if (trimmed === '') return emptyCell;
  return markers.has(trimmed) ? absentValue : { kind: 'value', value: trimmed };
}
