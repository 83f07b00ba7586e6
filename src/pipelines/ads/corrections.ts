// Correcting refused rows: whether a corrected row would be taken now, and running corrected rows again. Both go by the reading and
// the mapping of the original run, so that a row means the same as it did in the file.
import type { Cells } from '../../tabular/replay-rows.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { adsFields } from './fields.ts';
import { Normalizer } from './normalize.ts';
import type { UploadReading } from './sql/upload-readings.ts';

export interface RowFault {
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
  readonly value: string | null;
}

/** What is still wrong with each row; an empty list for a row that would be taken. */
export function checkRows({ reading, mapping }: UploadReading, rows: readonly Cells[]): RowFault[][] {
  const parser = new RowParser(reading, mapping.columns, adsFields, mapping.constants);
  const normalizer = new Normalizer(mapping.columns, mapping.constants, mapping);
  const names = reading.header.value.names;
  const place = { line: 0, offset: 0 };
  return rows.map((cells) => {
    const parsed = parser.parseCells(
      names.map((name) => cells[name] ?? ''),
      place,
    );
    return normalizer
      .judge(parsed, place)
      .issues.filter(({ severity }) => severity === 'error')
      .map(({ column, code, message, value }) => ({ column, code, message, value }));
  });
}
