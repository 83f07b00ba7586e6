// The rows of the sample as far as they are understood when totals are looked for among them, and what such a look finds.
import type { ColumnReading, ColumnRoles } from '../reading.ts';
import type { NumberStyle } from '../values/number-style.ts';
import type { SampleRow } from './sample-row.ts';
import type { TotalLabels } from './total-words.ts';

export interface TableSoRead {
  /** Rows of data in the order of the file. */
  readonly rows: readonly SampleRow[];
  readonly columns: readonly ColumnReading[];
  readonly style: NumberStyle;
  readonly labels: TotalLabels;
  readonly roles?: ColumnRoles | undefined;
}

export interface TotalsAmong {
  readonly column: number;
  /** As they are written. */
  readonly values: readonly string[];
  /** Whatever reads like a total in the column is one, as far as the sample shows. */
  readonly labels: boolean;
  readonly rows: readonly SampleRow[];
  /** In words, for a person. */
  readonly says: string;
  /** Whether the values tell these rows from all others. */
  readonly isTold: boolean;
}
