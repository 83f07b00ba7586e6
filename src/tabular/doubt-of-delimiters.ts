// The doubt that two signs part the cells of one file: it is read by one of them.
import type { MixedDelimiters } from './layout/mixed-delimiters.ts';
import type { Reading, ReadingDoubt } from './reading.ts';

/** Held where lines or cells would be stored as one text; short lines that are refused are seen anyway. */
export function mixedDoubt(
  { dialect, shortRows, header }: Reading,
  { sign, in: place, rows, lines }: MixedDelimiters,
): ReadingDoubt {
  const told = sign === '\t' ? 'tabs' : `"${sign}"`;
  const isSeen =
    place === 'lines' && shortRows === 'refuse' && lines.every((line) => line > Math.max(0, ...header.value.lines));
  return {
    code: 'delimiters_mixed',
    message:
      place === 'lines'
        ? `${rows === 1 ? 'A line is' : `${rows} lines are`} parted by ${told} where the others are not: cells are not told apart there.`
        : `In a column of all lines, the one of the names included, ${told} stand as delimiters do: cells of several columns may be read as one.`,
    evidence: { for: [dialect?.reason ?? ''], against: [`${told} part cells, too`] },
    rowsAtStake: rows,
    lines,
    ...(isSeen && header.value.lines.length > 0 ? {} : { holds: true }),
    answers: [
      { label: 'Read as it was found', overrides: { delimiter: dialect?.value.delimiter ?? ',' } },
      { label: `Separate the cells at ${told}`, overrides: { delimiter: sign } },
    ],
  };
}
