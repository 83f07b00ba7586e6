// What the rows of the sample say of groups: rows of totals among them, and names that are given once for several rows. Both are looked for in
// rows of data only, as the reader would tell them from lines that are set aside.
import type { Reading } from '../reading.ts';
import { startOfFile, type TextRow, TextRowBatch } from '../row-batch.ts';
import { type CarriedColumns, carriedDown, findCarried } from './carried-down.ts';
import { RowClassifier } from './row-classifier.ts';
import type { SampleRow } from './sample-row.ts';
import { addsUp } from './sums-of-rows.ts';
import type { TotalsAmong } from './table-so-read.ts';
import { TotalLabels } from './total-words.ts';
import { findTotalsAmong } from './totals-among-rows.ts';

export interface Groups {
  readonly totals: readonly TotalsAmong[];
  readonly carried: CarriedColumns | null;
  /** Lines taken for totals because they name nothing, though the rows do not add up to them. */
  readonly unproven: readonly number[];
}

/** `head`: the first rows below the names; `spread`: some from further down. `isWhole`: the head is all there is. */
export function findGroups(
  reading: Reading,
  head: readonly SampleRow[],
  spread: readonly SampleRow[],
  isWhole: boolean,
): Groups {
  const { columns, totals, roles, numbers, format } = reading;
  const labels = new TotalLabels(totals.words);
  const { data: rows, nameless } = toldApart(reading, head, labels);
  const inOrder = [...rows, ...nameless].sort((a, b) => a.line - b.line);
  // Records name their values themselves: what they leave out is not above.
  const isSaid = format === 'json' || format === 'ndjson' || reading.carryDown !== undefined;
  const carried = isSaid ? null : findCarried(inOrder, columns, roles);
  const isCarried = ({ index, name }: Reading['columns'][number]) =>
    carried?.columns.includes(index) ?? reading.carryDown?.includes(name) === true;
  const down = columns.filter(isCarried).map(({ index }) => index);
  const fitting = spread.filter(({ cells }) => cells.length === columns.length);
  const further = toldApart(reading, fitting, labels, FURTHER_DOWN).data;
  const table = { columns, style: numbers.value, labels, roles };
  const isAddedUp = (row: SampleRow) => addsUp(row, rows, table);
  const asked = isWhole && carried === null && roles?.areTotalsCompared !== true;
  return {
    carried,
    totals: findTotalsAmong({ ...table, rows: carriedDown([...rows, ...further], down) }),
    unproven: asked && !nameless.some(isAddedUp) ? nameless.map(({ line }) => line) : [],
  };
}

/** Rows from further down count their lines from where they were looked at. */
const FURTHER_DOWN = 1_000_000_000;

interface ToldApart {
  readonly data: readonly SampleRow[];
  /** Taken for totals because they name nothing. */
  readonly nameless: readonly SampleRow[];
}

/** As the reader of the rows will do it. */
function toldApart(reading: Reading, sample: readonly SampleRow[], labels: TotalLabels, linesBefore = 0): ToldApart {
  const rows = sample.map(
    ({ line, cells }, index): TextRow => ({
      line: linesBefore === 0 ? line : linesBefore + index,
      offset: 0,
      cells,
      fault: null,
      raw: () => cells.join(' '),
    }),
  );
  const batch = new TextRowBatch({ firstRow: 0, next: startOfFile, isLast: true }, rows);
  new RowClassifier(reading, startOfFile).classify(batch);
  const isNameless = ({ cells }: SampleRow, row: number) =>
    batch.kind(row) === 'total' && !cells.some((cell) => labels.namesGroup(cell));
  // Rows of another width have their cells elsewhere.
  const isData = (_: SampleRow, row: number) => batch.kinds[row] === 0 && batch.faults[row] === 0;
  return { data: sample.filter(isData), nameless: sample.filter(isNameless) };
}
