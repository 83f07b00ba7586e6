// The one shape of a job's table: which columns there are and what stands in each cell. Grid, CSV and XLSX are made from it, so that they cannot differ.
import type { ProcessorColumn } from '../processors/processor.ts';

export interface SheetColumn {
  readonly title: string;
  readonly type: 'text' | 'number' | 'date';
  readonly cell: (row: SheetRow) => unknown;
}

export interface SheetRow {
  readonly row_index: number;
  readonly status: string;
  readonly last_error: string | null;
  readonly input_json: Readonly<Record<string, unknown>> | null;
  readonly corrections: Readonly<Record<string, unknown>> | null;
  readonly result_json: Readonly<Record<string, unknown>> | null;
}

/** Row, status, why, then the file's columns, then the result's. A result column that the file has too is told apart. */
export function sheetColumns(input: readonly string[], output: readonly ProcessorColumn[]): SheetColumn[] {
  const taken = new Set(['Row', 'Status', 'Reason', ...input]);
  return [
    { title: 'Row', type: 'number', cell: (row) => row.row_index + 1 },
    { title: 'Status', type: 'text', cell: (row) => row.status },
    { title: 'Reason', type: 'text', cell: (row) => row.last_error },
    ...input.map(
      (name): SheetColumn => ({
        title: name,
        type: 'text',
        cell: (row) => row.corrections?.[name] ?? row.input_json?.[name] ?? null,
      }),
    ),
    ...output.map(
      ({ name, title, type }): SheetColumn => ({
        title: taken.has(title) ? `${title} (result)` : title,
        type,
        cell: (row) => row.result_json?.[name] ?? null,
      }),
    ),
  ];
}

/** What a person reads in the cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What a workbook holds: numbers and dates as such where the column says so and the value is one that a cell keeps to its last digit. */
export function cellValue(value: unknown, type: SheetColumn['type']): string | number | Date | null {
  const text = typeof value === 'string' ? value : cellText(value);
  if (text === '') return null;
  if (type === 'number') return numberOf(text) ?? text;
  if (type === 'date') return dateOf(text) ?? text;
  return text;
}

/** Programs keep fifteen digits. */
const MAX_DIGITS = 15;

function numberOf(text: string): number | null {
  // What begins with zeros names something, and a number would lose them.
  const isOne = /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d{1,3})?$/.test(text);
  const digits = text.replace(/e.*$/, '').replace(/\D/g, '').replace(/^0+/, '').length;
  return isOne && digits <= MAX_DIGITS ? Number(text) : null;
}

/** A workbook knows no zones: what names none is shown as it stands. */
function dateOf(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(text)) return null;
  const date = new Date(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text);
  // There is no 30th of February, and what is none stays the text that it is.
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text.slice(0, 10) ? null : date;
}
