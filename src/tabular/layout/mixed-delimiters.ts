// Two signs that part cells in one file: some lines are parted by the other one, or some columns of all lines are. Read by one sign alone, such cells
// become one text. A blank behind a sign is that of a sentence, and the sign parts nothing there.
import type { SampleRow } from './sample-row.ts';

export interface MixedDelimiters {
  readonly sign: string;
  /** `lines`: whole lines are parted by it; `columns`: in all lines it stands where the names have it, too. */
  readonly in: 'lines' | 'columns';
  readonly rows: number;
  readonly lines: readonly number[];
}

const signs = [',', ';', '\t'];
const MIN_ROWS = 3;
const MOST = 0.95;
const MAX_LINES = 10;
const MAX_NAME = 40;

interface Lines {
  readonly delimiter: string;
  readonly width: number;
  /** The line that names the columns, as it is parted. */
  readonly header: SampleRow | undefined;
  readonly rows: readonly SampleRow[];
  /** Lines above the names. */
  readonly above: readonly SampleRow[];
}

export function findMixedDelimiters(lines: Lines): MixedDelimiters | null {
  if (!signs.includes(lines.delimiter)) return null;
  for (const sign of signs) {
    if (sign === lines.delimiter) continue;
    const found = inLines(lines, sign) ?? inColumns(lines, sign);
    if (found !== null) return found;
  }
  return null;
}

/** Lines that are too short, and as wide as the names where both signs part them. */
function inLines({ delimiter, width, rows, above }: Lines, sign: string): MixedDelimiters | null {
  const partsOf = ({ cells }: SampleRow) => cells.flatMap((cell) => partsAt(cell, sign));
  const isOther = (row: SampleRow) =>
    row.cells.length < width && row.cells.some((cell) => isParted(cell, sign)) && partsOf(row).length === width;
  const short = rows.filter(isOther);
  // Titles are short as well: the names, or rows of more than two cells, stand there without long texts.
  const isRowAbove = (row: SampleRow) =>
    isOther(row) && row.cells.length === 1 && partsOf(row).every((part) => part !== '' && part.length <= MAX_NAME);
  const lost = above.filter(isRowAbove);
  const of = width > 2 || lost.length >= MIN_ROWS ? [...lost, ...short] : short;
  if (of.length === 0 || delimiter === sign) return null;
  return { sign, in: 'lines', rows: of.length, lines: of.slice(0, MAX_LINES).map(({ line }) => line) };
}

/** The names and nearly all rows hold the sign as often in the same column. */
function inColumns({ header, rows }: Lines, sign: string): MixedDelimiters | null {
  if (header === undefined || rows.length < MIN_ROWS) return null;
  const column = header.cells.findIndex((name, at) => {
    const times = partsAt(name, sign).length;
    if (!isParted(name, sign)) return false;
    const alike = rows.filter(
      ({ cells }) => isParted(cells[at] ?? '', sign) && partsAt(cells[at] ?? '', sign).length === times,
    );
    return alike.length >= rows.length * MOST;
  });
  if (column === -1) return null;
  return { sign, in: 'columns', rows: rows.length, lines: [header.line] };
}

function partsAt(cell: string, sign: string): string[] {
  return cell.split(sign);
}

/** The sign stands between texts, and not before a blank. */
function isParted(cell: string, sign: string): boolean {
  const parts = partsAt(cell, sign);
  return (
    parts.length > 1 &&
    parts.slice(1).every((part) => !part.startsWith(' ')) &&
    parts.some((part) => part.trim() !== '')
  );
}
