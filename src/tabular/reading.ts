// The reading: everything that was decided about how a file is to be read, as plain JSON. It is shown to the user, stored with
// the run (a resumed run must read as the first attempt did) and can be overridden part by part, per upload or per mapping.
import type { DoubtCode } from '../contract/doubts.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Dialect, MAX_DELIMITER } from './csv/dialect.ts';
import { chosenByUser, type Decision } from './decision.ts';
import type { OtherTable } from './layout/other-tables.ts';
import type { Evidence } from './reading-evidence.ts';
import type { DateOrderDecision } from './values/date-order.ts';
import type { NumberStyle } from './values/number-style.ts';
import type { DateOrder } from './values/parse-date.ts';

export type TableFormat = 'csv' | 'json' | 'ndjson' | 'xlsx';
export type ColumnKind = 'empty' | 'text' | 'id' | 'integer' | 'decimal' | 'money' | 'percent' | 'date';

export interface Reading {
  readonly version: 1;
  /** By which rules lines are told from rows. Absent in readings decided before they changed: a file is read and counted again as it was first. */
  readonly rules?: 1 | 2;
  readonly format: TableFormat;
  readonly encoding: Decision<{ readonly name: string; readonly bomBytes: number }>;
  /** Only of delimited text. */
  readonly dialect?: Decision<Dialect>;
  /** Only of XLSX. */
  readonly sheet?: Decision<{ readonly name: string; readonly names: readonly string[] }>;
  /** Only of JSON: the key of the list of records, or null when the file is the list itself. */
  readonly recordsKey?: Decision<string | null>;
  readonly preamble: readonly { readonly line: number; readonly text: string }[];
  readonly header: Decision<{ readonly lines: readonly number[]; readonly names: readonly string[] }>;
  readonly columns: readonly ColumnReading[];
  readonly numbers: Decision<NumberStyle>;
  readonly totals: TotalRules;
  /** Texts that stand for "no value", where the user said which; else the usual ones (values/empty-markers.ts). */
  readonly emptyMarkers?: readonly string[];
  /** Lines the user put back although they look like totals or footers. */
  readonly keptLines: readonly number[];
  readonly shortRows: 'refuse' | 'pad';
  /** Tables beside the one that is read, found in the sample. */
  readonly otherTables?: readonly OtherTable[];
  /** Columns whose value stands once for the rows below it, too: empty cells there are read as the value above. */
  readonly carryDown?: readonly string[];
  /** Columns without which a row of the pipeline says little, and those that part a row into segments. */
  readonly roles?: ColumnRoles;
  /** Undo the escapes that our own exports put before cells a spreadsheet would run. */
  readonly unescapeFormulas: boolean;
  readonly warnings: readonly ReadingWarning[];
  /** Decisions with evidence against them, found in the sample. Absent in readings stored before doubts were kept. */
  readonly doubts?: readonly ReadingDoubt[];
  /** What people answered when they were asked, where the reading was decided with it. */
  readonly answered?: ReadingOverrides;
}

export interface ColumnReading {
  readonly index: number;
  readonly name: string;
  readonly kind: ColumnKind;
  readonly examples: readonly string[];
  /** Share of sampled rows with a value, 0 to 1. */
  readonly fillRate: number;
  readonly emptyMarkers: readonly string[];
  readonly dateOrder?: DateOrderDecision;
}

export interface TotalRules {
  /** Words that begin the label of a total row, in any language; compared without case. */
  readonly words: readonly string[];
  /** Columns that name things: a row in which all are empty at the start or end of the table is a total. Null: all text columns. */
  readonly identityColumns: readonly number[] | null;
  /** Rows of totals among the others, as a person said. */
  readonly among?: readonly TotalColumn[];
}

/** A column that tells rows of totals from the rows they add up. */
export interface TotalColumn {
  readonly column: string;
  /** As they are written; an empty text where the cell is empty. */
  readonly values: readonly string[];
  /** Whatever else reads like a total there. */
  readonly labels: boolean;
}

/** What a pipeline knows of columns by their names; counted from 0. */
export interface ColumnRoles {
  /** They tell what a row is of: ids, names, days. */
  readonly telling: readonly number[];
  /** They part what a row is of: devices, networks, ages. */
  readonly segments: readonly number[];
  /** The pipeline compares the file's own total with its rows. */
  readonly areTotalsCompared?: boolean;
}

export interface ReadingWarning {
  readonly code:
    | 'date_order_ambiguous'
    | 'number_style_ambiguous'
    | 'ids_as_numbers'
    | 'duplicate_column'
    | 'encoding_guessed'
    | 'unnamed_columns'
    | 'rows_padded';
  readonly column?: string;
  readonly message: string;
}

/** A decision with evidence against it, as a question with its answers. */
export interface ReadingDoubt {
  readonly code: DoubtCode;
  readonly message: string;
  readonly evidence: Evidence;
  /** Rows that would be lost, gained or misread if the decision is wrong, as far as the sample shows. */
  readonly rowsAtStake: number;
  /** Lines to look at; at most ten. */
  readonly lines: readonly number[];
  /** Rows would be lost, or a meaning that is needed guessed: nothing is stored before somebody has answered. */
  readonly holds?: boolean;
  /** Each is one click: the orders with which the file is read again. The first one is what was decided. */
  readonly answers: readonly { readonly label: string; readonly overrides: ReadingOverrides }[];
}

/** What a user (or a saved mapping) may set; everything else is detected. */
export interface ReadingOverrides {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly quote?: string | null;
  readonly escape?: 'double' | 'backslash';
  readonly sheet?: string;
  readonly recordsKey?: string | null;
  /** Lines of the header rows; an empty list says that there is none. */
  readonly headerLines?: readonly number[];
  readonly decimal?: '.' | ',';
  /** By column name; "*" for every column without its own. */
  readonly dateOrders?: Readonly<Record<string, DateOrder>>;
  readonly totalWords?: readonly string[];
  /** Instead of the usual ones, in every column. */
  readonly emptyMarkers?: readonly string[];
  readonly keptLines?: readonly number[];
  readonly shortRows?: 'refuse' | 'pad';
  readonly carryDown?: readonly string[];
  readonly totalRows?: readonly TotalColumn[];
  readonly unescapeFormulas?: boolean;
}

export function checkOverrides(overrides: ReadingOverrides): void {
  const fail = (reason: string): never => {
    throw new MillraceError('reading_invalid', { reason });
  };
  const { delimiter, quote } = overrides;
  if (delimiter !== undefined && (delimiter === '' || delimiter.length > MAX_DELIMITER))
    fail(`the delimiter must have 1 to ${MAX_DELIMITER} characters`);
  if (/[\n\r]/.test(delimiter ?? '')) fail('a line break cannot separate cells');
  if (delimiter?.includes('\0') === true) fail('a character NUL cannot separate cells');
  if (typeof quote === 'string' && !/^[\x21-\x7e]$/.test(quote))
    fail('the quote must be one visible ASCII character or null');
  if (typeof quote === 'string' && delimiter?.includes(quote) === true) fail('delimiter and quote must differ');
  if ((overrides.headerLines ?? []).some((line) => !Number.isInteger(line) || line < 1))
    fail('header lines count from 1');
  if ((overrides.headerLines ?? []).length > 5) fail('a header has at most five rows');
}

/** The column's date order as the user set it, or as it was detected. */
export function overrideDateOrder(column: ColumnReading, overrides: ReadingOverrides): ColumnReading {
  const order = overrides.dateOrders?.[column.name] ?? overrides.dateOrders?.['*'];
  return order === undefined ? column : { ...column, dateOrder: { ...chosenByUser(order), isAmbiguous: false } };
}
