// The doubts of an upload: evidence against its reading, its mapping and its totals. tabular/doubt-question.ts decides whether the run asks about them.
import { withoutDisproved } from '../../tabular/doubt-question.ts';
import type { Reading, ReadingDoubt } from '../../tabular/reading.ts';
import { controlMeasures } from './control-totals.ts';
import type { ParseCounts } from './parse-counts.ts';
import type { AppliedMapping } from './reading.ts';

/** Rounding: a cent a row, or a thousandth of the total. */
const CENT = 0.01;
const SHARE = 0.001;

/** Of a file whose mapping is complete: its names are known, so header and delimiter are right. */
export function doubtsOf(reading: Reading, _mapping: AppliedMapping): ReadingDoubt[] {
  return withoutDisproved(reading.doubts ?? []);
}

/** The file's own total says something else than its rows. It holds where the rows say less and none was refused: some may be missing. */
export function totalDoubts({ declared, file, read, rejected }: ParseCounts): ReadingDoubt[] {
  const differing = controlMeasures.flatMap((measure) => {
    const said = Number(declared?.[measure] ?? Number.NaN);
    const missing = said - Number(file[measure]);
    return Math.abs(missing) > Math.max(CENT * read, SHARE * Math.abs(said)) ? [{ measure, missing, said }] : [];
  });
  if (differing.length === 0) return [];
  const told = differing.map(({ measure, said }) => `${measure}: the total says ${said}, the rows ${file[measure]}`);
  return [
    {
      code: 'total_differs',
      message: `The total row of the file differs from its rows (${told.join('; ')}).`,
      evidence: { for: [`${read} rows were read`], against: told },
      rowsAtStake: read,
      lines: [],
      holds: rejected.rows === 0 && differing.some(({ missing }) => missing > 0),
      answers: [{ label: 'Store the rows as they are', overrides: {} }],
    },
  ];
}
