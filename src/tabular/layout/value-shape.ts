// What a single text looks like, seen by itself. Columns are profiled from it, and a header row told from data.
import { valueMarkers } from '../values/empty-markers.ts';
import { numberEvidence } from '../values/number-style.ts';
import { parseDate } from '../values/parse-date.ts';
import { stripNumber } from '../values/strip-number.ts';

export type ValueShape =
  | 'empty'
  | 'marker'
  | 'masked'
  | 'date'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'money'
  | 'id'
  | 'text';

export function shapeOf(text: string): ValueShape {
  const trimmed = text.trim();
  if (trimmed === '') return 'empty';
  if (valueMarkers.has(trimmed)) return 'marker';
  if (/^[<>≤≥]\s*\d/.test(trimmed)) return 'masked';
  if (/^\d{12,}$/.test(trimmed)) return 'id';
  if (isDateLike(trimmed)) return 'date';
  if (numberEvidence(trimmed) === 'none') return 'text';
  const stripped = stripNumber(trimmed);
  if (stripped?.isPercent) return 'percent';
  if (stripped?.currency) return 'money';
  return /^[\d\s,.'’+-]*$/.test(trimmed) && /[.,]\d{1,2}$|[.,]\d{4,}$/.test(trimmed) ? 'decimal' : 'integer';
}

/** Whether the shape is one that a name of a column never has. */
export function isValueShape(shape: ValueShape): boolean {
  return shape !== 'text' && shape !== 'empty';
}

function isDateLike(text: string): boolean {
  if (/^\d+$/.test(text) && text.length !== 8) return false;
  const parsed = parseDate(text, 'unknown');
  return parsed.kind === 'value' || (parsed.kind === 'fault' && parsed.code === 'date_ambiguous');
}
