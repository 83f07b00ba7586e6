// Looks at what is set aside while the rows are read, behind the sample: lines that name things and days as rows do, and lists of JSON that
// the survey of the file's start did not reach. Plain JSON in between, so that a checkpoint carries it over a crash.
import { shapeOf } from './layout/value-shape.ts';
import type { Reading, ReadingDoubt } from './reading.ts';
import type { RowBatch } from './row-batch.ts';
import { textMarkers } from './values/empty-markers.ts';

export interface SetAsideFindings {
  /** Lines that were set aside and look like rows. */
  readonly rowShaped: number;
  /** Where the first of them stand. */
  readonly lines: readonly number[];
  /** Records of lists that are not read. */
  readonly listRows: number;
}

export const nothingFound: SetAsideFindings = { rowShaped: 0, lines: [], listRows: 0 };

const MAX_LINES = 10;
/** A column that is filled in nearly every row says something by being empty. */
const ALWAYS = 0.9;
const MIN_COLUMNS = 2;
const watched: ReadonlySet<string> = new Set(['total', 'footer', 'note']);

export class SetAsideWatch {
  readonly #dates: readonly number[];
  readonly #names: readonly number[];
  readonly #knowsLists: boolean;
  #rowShaped: number;
  #lines: number[];
  #listRows: number;

  constructor(reading: Reading, before: SetAsideFindings = nothingFound) {
    const always = reading.columns.filter(({ fillRate }) => fillRate >= ALWAYS);
    const identity = reading.totals.identityColumns;
    this.#dates = always.filter(({ kind }) => kind === 'date').map(({ index }) => index);
    this.#names = always
      .filter(({ kind, index }) => identity?.includes(index) ?? (kind === 'text' || kind === 'id'))
      .map(({ index }) => index);
    this.#knowsLists = (reading.doubts ?? []).some(({ code }) => code === 'other_table');
    this.#rowShaped = before.rowShaped;
    this.#lines = [...before.lines];
    this.#listRows = before.listRows;
  }

  /** A row that is set aside. */
  add(batch: RowBatch, row: number): void {
    if (!watched.has(batch.kind(row)) || !this.#looksLikeRow(batch, row)) return;
    this.#rowShaped++;
    if (this.#lines.length < MAX_LINES) this.#lines.push(batch.line(row));
  }

  /** What stands between and behind the rows of a batch. */
  addSpans({ spans }: RowBatch): void {
    if (this.#knowsLists) return;
    for (const { reason, rows } of spans) if (reason === 'other_table') this.#listRows += rows;
  }

  get findings(): SetAsideFindings {
    return { rowShaped: this.#rowShaped, lines: [...this.#lines], listRows: this.#listRows };
  }

  /** All that names things is there, and a day where rows have one. */
  #looksLikeRow(batch: RowBatch, row: number): boolean {
    if (this.#names.length + this.#dates.length < MIN_COLUMNS) return false;
    return (
      this.#dates.every((column) => shapeOf(batch.text(row, column)) === 'date') &&
      this.#names.every((column) => isFilled(batch.text(row, column)))
    );
  }
}

/** The doubts that such findings are. */
export function doubtsOfFindings({ rowShaped, lines, listRows }: SetAsideFindings): ReadingDoubt[] {
  const doubts: ReadingDoubt[] = [];
  if (rowShaped > 0)
    doubts.push({
      code: 'rows_set_aside',
      message: `${rowShaped} lines that look like rows were set aside as totals or notes; they are not read.`,
      evidence: { for: ['their label says so'], against: ['they name a thing and a day as rows do'] },
      rowsAtStake: rowShaped,
      lines,
      holds: true,
      answers: [{ label: 'Leave them out', overrides: {} }],
    });
  if (listRows > 0)
    doubts.push({
      code: 'other_table',
      message: `Other lists with ${listRows} records follow the one that is read. They are not read.`,
      evidence: { for: ['the list that is read comes first'], against: [`${listRows} records stand behind it`] },
      rowsAtStake: listRows,
      lines: [],
      holds: true,
      answers: [{ label: 'Read the first list only', overrides: {} }],
    });
  return doubts;
}

function isFilled(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== '' && !textMarkers.has(trimmed);
}
