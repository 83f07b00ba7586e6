// Writes delimited text: exports and files of refused rows. Spreadsheets must not run a cell as a formula (formula-escape.ts), and our own reader must
// read back exactly what this file wrote.
import { escapeFormula } from './formula-escape.ts';

const NEEDS_QUOTES = /["\r\n,;\t]|^\s|\s$/;
const BOM = '\uFEFF';

export interface CsvWriteOptions {
  /** One ASCII character; a comma unless told otherwise. */
  readonly delimiter?: string;
  /** Excel reads UTF-8 only after a byte order mark. On by default. */
  readonly hasBom?: boolean;
}

/** The head of the file: byte order mark and header row. */
export function csvHeader(names: readonly string[], options: CsvWriteOptions = {}): string {
  return `${options.hasBom === false ? '' : BOM}${csvRow(names, options)}`;
}

export function csvRow(cells: readonly (string | null)[], options: CsvWriteOptions = {}): string {
  return `${cells.map((cell) => csvCell(cell ?? '', options.delimiter)).join(options.delimiter ?? ',')}\r\n`;
}

function csvCell(text: string, delimiter = ','): string {
  const safe = escapeFormula(text);
  return NEEDS_QUOTES.test(safe) || safe.includes(delimiter) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
