// Choices for one file that override the mapping of its kind: its day, a period instead of days, columns to leave out.
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { Reading } from '../../tabular/reading.ts';
import { adsFields } from './fields.ts';
import { type AppliedMapping, missingIn, type UploadChoices } from './reading.ts';
import { statedRange } from './report-range.ts';

/** Why a column that somebody left out is none. */
export const LEFT_OUT = 'left out of this file';

/** Fields whose value can only be one file's: the next one with the same header has other days. */
export function isOfOneFile(field: string): boolean {
  return adsFields.field(field)?.kind === 'date';
}

export function applyChoices(mapping: AppliedMapping, reading: Reading, choices: UploadChoices): AppliedMapping {
  const left = new Set(choices.without_columns ?? []);
  const columns = mapping.columns.map((column): ColumnMapping => {
    if (!left.has(column.header)) return column;
    // Sure, because somebody said so: a measure that is left out on purpose is no doubt.
    return { ...column, field: null, confidence: 'exact', reason: LEFT_OUT, offers: [] };
  });
  const lasting = Object.entries(mapping.constants).filter(([field]) => !isOfOneFile(field));
  const constants = { ...Object.fromEntries(lasting), ...daysOf(reading, columns, choices) };
  return {
    ...mapping,
    columns,
    constants,
    missing: missingIn(columns, constants),
    ...(choices.as_period === true ? { period: true } : {}),
    ...(choices.add_repeated === true ? { addRepeated: true } : {}),
    ...(choices.names_apart === true ? { namesApart: true } : {}),
  };
}

/** The days every row has: as they were said, else as the file says above its table. */
function daysOf(
  reading: Reading,
  columns: readonly ColumnMapping[],
  { day, as_period }: UploadChoices,
): Record<string, string> {
  const mapped = new Set(columns.map(({ field }) => field));
  if (mapped.has('metric_date')) return {};
  if (day !== undefined) return { metric_date: day };
  if (mapped.has('date_start')) return {};
  const range = statedRange(reading);
  if (range === null) return {};
  if (range.from === range.to) return { metric_date: range.from };
  return as_period === true ? { date_start: range.from, date_end: range.to } : {};
}
