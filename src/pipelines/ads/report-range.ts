// The days a report covers as its own lines above the table say it ("January 17, 2024 - February 15, 2024"), and whether its rows are
// days at all. A report of one day has that day even without a column for it.
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { Reading } from '../../tabular/reading.ts';
import { parseDate } from '../../tabular/values/parse-date.ts';

export interface ReportRange {
  readonly from: string;
  readonly to: string;
}

/** Between two dates; a hyphen inside a date has no blanks around it. */
const BETWEEN = /\s+[-–—~]\s+|\s*(?:～|〜)\s*/u;
const LABEL = /^[^\d:]{0,40}:\s*/u;
const MAX_LINES = 10;

/** Null when no line above the table is a date or a range of dates. */
export function statedRange({ preamble }: Pick<Reading, 'preamble'>): ReportRange | null {
  for (const { text } of preamble.slice(0, MAX_LINES)) {
    const plain = text
      .replace(/^["'\s·]+|["'\s·]+$/gu, '')
      .replace(/\s*·\s*/gu, ' ')
      .replace(LABEL, '');
    const dates = plain.split(BETWEEN).map(dayOf);
    const [from = null, to = from] = dates;
    if (dates.length <= 2 && from !== null && to !== null && from <= to) return { from, to };
  }
  return null;
}

/** The range of a report whose rows have a first and a last day that differ; null when every row looked at is of one day. */
export function rangeOfRows(reading: Reading, columns: readonly ColumnMapping[]): ReportRange | null {
  const daysOf = (field: string) => {
    const mapped = columns.find((column) => column.field === field);
    const read = reading.columns.find(({ index }) => index === mapped?.column);
    const order = read?.dateOrder?.value ?? 'unknown';
    return (read?.examples ?? []).flatMap((text) => {
      const parsed = parseDate(text, order);
      return parsed.kind === 'value' ? [parsed.value] : [];
    });
  };
  const [starts, ends] = [daysOf('date_start'), daysOf('date_end')];
  const from = [...starts].sort()[0];
  const to = [...ends].sort().at(-1);
  if (from === undefined || to === undefined || starts.join() === ends.join()) return null;
  return { from, to };
}

/** Days only: a name that happens to hold a number is none. Orders that disagree leave it open. */
function dayOf(text: string): string | null {
  const parsed = parseDate(text.trim(), 'unknown');
  return parsed.kind === 'value' ? parsed.value : null;
}
