// The file of refused rows that a user downloads, fixes and uploads again: the columns as they were, then three of ours that say
// which row it is and what is wrong with it. Uploaded again, ours are recognised and left out of the mapping.
import { type CsvWriteOptions, csvHeader } from './write-csv.ts';

const rejectColumns = ['millrace_line', 'millrace_code', 'millrace_message'] as const;

export function rejectsFileHeader(names: readonly string[], options: CsvWriteOptions = {}): string {
  return csvHeader([...names, ...rejectColumns], options);
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
