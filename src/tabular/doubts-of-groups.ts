// Doubts about groups of rows: totals that stand among the rows they add up, and names that are given once for several rows. Both are asked, with
// an answer that reads the file as it was probably meant.
import type { Groups } from './layout/groups.ts';
import type { Reading, ReadingDoubt } from './reading.ts';

const MAX_LINES = 10;

export function groupDoubts(reading: Reading, { totals, carried, unproven }: Groups): ReadingDoubt[] {
  return [...carriedDoubts(reading, carried), ...totalDoubts(reading, totals), ...unprovenDoubts(unproven)];
}

/** Rows without a name at the end of the file, which add nothing up. */
function unprovenDoubts(lines: readonly number[]): ReadingDoubt[] {
  if (lines.length === 0) return [];
  return [
    {
      code: 'rows_set_aside',
      message: `Lines without a name (${lines.length}) were set aside as totals, and the rows do not add up to them; they are not read.`,
      evidence: { for: ['they name nothing'], against: ['they are not the sum of the rows'] },
      rowsAtStake: lines.length,
      lines: lines.slice(0, MAX_LINES),
      holds: true,
      answers: [
        { label: 'Leave them out', overrides: {} },
        { label: 'Read them as rows', overrides: { keptLines: lines } },
      ],
    },
  ];
}

function totalDoubts({ totals: { among = [] }, header }: Reading, found: Groups['totals']): ReadingDoubt[] {
  if (found.length === 0) return [];
  const rows = found.flatMap((each) => each.rows);
  const columns = found.map(({ column, values, labels }) => ({
    column: header.value.names[column] ?? '',
    values,
    labels,
  }));
  const says = found.map((each) => each.says);
  return [
    {
      code: 'totals_among_rows',
      message: `Totals stand among the rows that they add up: ${says.join('; ')}. Stored like them, they count twice.`,
      evidence: { for: ['they have as many cells as rows have'], against: says },
      rowsAtStake: rows.length,
      lines: rows.slice(0, MAX_LINES).map(({ line }) => line),
      holds: true,
      answers: [
        { label: 'Store them like the other rows', overrides: {} },
        // Values that other rows have as well would take these out, too.
        ...(found.every(({ isTold }) => isTold)
          ? [{ label: 'Leave them out as totals', overrides: { totalRows: [...among, ...columns] } }]
          : []),
      ],
    },
  ];
}

function carriedDoubts({ header }: Reading, carried: Groups['carried']): ReadingDoubt[] {
  if (carried === null) return [];
  const names = carried.columns.map((column) => header.value.names[column] ?? '');
  const told = names.map((name) => `"${name}"`).join(', ');
  return [
    {
      code: 'groups_named_once',
      message: `${told} may be given once for several rows: ${carried.cells} cells below a value are empty. They are read as empty.`,
      evidence: {
        for: ['the file holds no value there'],
        against: ['each value begins a group, and the rows below have none'],
      },
      rowsAtStake: carried.cells,
      lines: carried.lines,
      ...(carried.isLikely ? { holds: true } : {}),
      answers: [
        { label: 'Read the empty cells as empty', overrides: {} },
        { label: 'Read them as the value above', overrides: { carryDown: names } },
      ],
    },
  ];
}
