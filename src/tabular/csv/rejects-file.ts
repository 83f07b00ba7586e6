// The file of refused rows that a user downloads, mends and uploads again: the columns as they were, then three of ours that say
// which row it is and what is wrong with it. Uploaded again, ours are recognised and left out of the mapping.
import { type CsvWriteOptions, csvHeader, csvRow } from './write-csv.ts';

const rejectColumns = ['millrace_line', 'millrace_code', 'millrace_message'] as const;

export interface RefusedRow {
  readonly cells: readonly string[];
  /** Line in the original file. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export function rejectsFileHeader(names: readonly string[], options: CsvWriteOptions = {}): string {
  return csvHeader([...names, ...rejectColumns], options);
}

/** `width` is the number of columns of the original header; shorter rows are filled up so that ours stand under their names. */
export function rejectsFileRow(row: RefusedRow, width: number, options: CsvWriteOptions = {}): string {
  const cells = Array.from({ length: width }, (_, column) => row.cells[column] ?? '');
  return csvRow([...cells, String(row.line), row.code, row.message], options);
}

export function isRejectColumn(name: string): boolean {
  return rejectColumns.some((column) => column === name.trim().toLowerCase());
}

export function isRejectsFile(names: readonly string[]): boolean {
  return rejectColumns.every((column) => names.some((name) => name.trim().toLowerCase() === column));
}

/** Where the original line stands in a file of refused rows; null in any other file. */
export function originalLineColumn(names: readonly string[]): number | null {
  if (!isRejectsFile(names)) return null;
  return names.findIndex((name) => name.trim().toLowerCase() === rejectColumns[0]);
}
