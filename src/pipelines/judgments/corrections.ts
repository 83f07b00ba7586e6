// Correcting refused rows: whether a corrected row would be taken now. It goes by the reading and the mapping of the original run, so
// that a row means the same as it did in the file.
import type { Cells } from '../../tabular/replay-rows.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { CaseReader } from './case-row.ts';
import { nullTokensIn } from './column-policy.ts';
import { judgmentFields } from './fields.ts';
import type { BatchReading } from './reading.ts';

export interface RowFault {
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
  readonly value: string | null;
}

/** What is still wrong with each row; an empty list for a row that would be taken. */
export function checkRows(
  { reading, mapping }: BatchReading,
  nullToken: string | undefined,
  rows: readonly Cells[],
): RowFault[][] {
  const reader = new CaseReader(
    new RowParser(reading, mapping.columns, judgmentFields, mapping.constants),
    mapping.columns,
    nullTokensIn(reading, nullToken),
  );
  const { names } = reading.header.value;
  return rows.map((cells) => {
    const texts = names.map((name) => cells[name] ?? '');
    return reader
      .readCells(texts, { line: 0, offset: 0 })
      .issues.filter(({ severity }) => severity === 'error')
      .map(({ column, code, message, value }) => ({ column, code, message, value }));
  });
}
