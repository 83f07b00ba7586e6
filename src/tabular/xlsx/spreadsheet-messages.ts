// What the process that reads spreadsheets and the one that started it say to each other. Rows travel over a pipe as delimited
// text (row number first), so that a slow taker holds the reader back; everything else is a message.

import type { ErrorParams } from '../../contract/errors/millrace-error.ts';
import type { Dialect } from '../csv/dialect.ts';
import type { TableLimits } from '../limits.ts';
import type { WorkbookRest } from '../row-batch.ts';

export const wireDialect: Dialect = { delimiter: ',', quote: '"', escape: 'double', lineEnd: 'lf', skipSpace: false };

export interface SpreadsheetRequest {
  readonly path: string;
  /** Null: the first sheet that is not hidden. */
  readonly sheet: string | null;
  /** First row wanted, counted from 1. */
  readonly fromRow: number;
  readonly maxRows: number | null;
  readonly limits: TableLimits;
}

/** A sheet that is not read: what the start of it holds. */
export interface OtherSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly rows: number;
  readonly cells: number;
}

export type SpreadsheetMessage =
  | {
      readonly type: 'opened';
      readonly sheet: string;
      readonly names: readonly string[];
      readonly others: readonly OtherSheet[];
    }
  | { readonly type: 'failed'; readonly code: string; readonly params: ErrorParams }
  /** The sheets that are not read are being counted. */
  | { readonly type: 'counting' }
  /** Null: not all rows of the sheet were wanted, so the rest was not counted either. */
  | { readonly type: 'finished'; readonly rest: WorkbookRest | null };

/** One row as it travels. */
export function wireRow(number: number, cells: readonly string[]): string {
  let line = String(number);
  for (const cell of cells) line += `,${needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell}`;
  return `${line}\n`;
}

function needsQuotes(cell: string): boolean {
  for (let i = 0; i < cell.length; i++) {
    const c = cell.charCodeAt(i);
    if (c === 34 || c === 44 || c === 10 || c === 13) return true;
  }
  return false;
}
