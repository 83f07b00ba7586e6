// Looks at what is set aside while the rows are read, behind the sample: lines that name things and days as rows do, tables that begin
// behind the first one, and lists of JSON that the survey of the file's start did not reach. Plain JSON in between, so that a checkpoint carries it over a crash.
import { isRuleRow } from './layout/rules-between-rows.ts';
import { shapeOf } from './layout/value-shape.ts';
import type { Reading, ReadingDoubt } from './reading.ts';
import type { RowBatch, WorkbookRest } from './row-batch.ts';
import { textMarkers } from './values/empty-markers.ts';

export interface SetAsideFindings {
  /** Lines that were set aside and look like rows. */
  readonly rowShaped: number;
  /** Where the first of them stand. */
  readonly lines: readonly number[];
  /** Records of lists that are not read. */
  readonly listRows: number;
  /** Tables that begin behind the first one; absent where there is none. */
  readonly tables?: readonly LaterTableFound[];
  /** Rows that a workbook does not show and that were read; absent where there is none. */
  readonly hidden?: WorkbookRest['hidden'];
}

export interface LaterTableFound {
  readonly line: number;
  /** Its first names; empty until they are met. */
  readonly names: readonly string[];
  /** Lines below its names. */
  readonly rows: number;
  /** The last line that was read belongs to it. */
  readonly isOpen: boolean;
}

export const nothingFound: SetAsideFindings = { rowShaped: 0, lines: [], listRows: 0 };

const MAX_LINES = 10;
/** A column that is filled in nearly every row says something by being empty. */
const ALWAYS = 0.9;
const MIN_COLUMNS = 2;
const MAX_NAMES = 5;
const watched: ReadonlySet<string> = new Set(['total', 'footer', 'note']);

export class SetAsideWatch {
  readonly #dates: readonly number[];
  readonly #names: readonly number[];
  readonly #knowsLists: boolean;
  readonly #knownTables: NonNullable<Reading['otherTables']>;
  #rowShaped: number;
  #lines: number[];
  #listRows: number;
  #tables: LaterTableFound[];
  #hidden: WorkbookRest['hidden'] | undefined;

  constructor(reading: Reading, before: SetAsideFindings = nothingFound) {
    const always = reading.columns.filter(({ fillRate }) => fillRate >= ALWAYS);
    const identity = reading.totals.identityColumns;
    this.#dates = always.filter(({ kind }) => kind === 'date').map(({ index }) => index);
    this.#names = always
      .filter(({ kind, index }) => identity?.includes(index) ?? (kind === 'text' || kind === 'id'))
      .map(({ index }) => index);
    this.#knowsLists = (reading.doubts ?? []).some(({ code }) => code === 'other_table');
    this.#knownTables = reading.otherTables ?? [];
    this.#tables = [...(before.tables ?? [])];
    this.#hidden = before.hidden;
    this.#rowShaped = before.rowShaped;
    this.#lines = [...before.lines];
    this.#listRows = before.listRows;
  }

  /** A row that is set aside. */
  add(batch: RowBatch, row: number): void {
    const kind = batch.kind(row);
    if (kind === 'other_table') this.#addToTable(batch, row);
    else if (kind === 'repeated_header') this.#closeTable();
    if (!watched.has(kind) || !this.#looksLikeRow(batch, row) || isRuleRow(batch.texts(row))) return;
    this.#rowShaped++;
    if (this.#lines.length < MAX_LINES) this.#lines.push(batch.line(row));
  }

  /** What stands between and behind the rows of a batch. */
  addSpans({ spans, rest }: RowBatch): void {
    if (rest !== null && rest.hidden.rows > 0) this.#hidden = rest.hidden;
    if (this.#knowsLists) return;
    for (const { reason, rows } of spans) if (reason === 'other_table') this.#listRows += rows;
  }

  get findings(): SetAsideFindings {
    return {
      rowShaped: this.#rowShaped,
      lines: [...this.#lines],
      listRows: this.#listRows,
      ...(this.#tables.length === 0 ? {} : { tables: [...this.#tables] }),
      ...(this.#hidden === undefined ? {} : { hidden: this.#hidden }),
    };
  }

  #addToTable(batch: RowBatch, row: number): void {
    const line = batch.line(row);
    const isKnown = this.#knownTables.some(
      ({ fromLine, toLine }) => line >= fromLine && (toLine === null || line <= toLine),
    );
    if (isKnown) return;
    const last = this.#tables.at(-1);
    const isOpen = last?.isOpen === true;
    if (isOpen && last.names.length > 0) {
      this.#tables[this.#tables.length - 1] = { ...last, rows: last.rows + 1 };
      return;
    }
    const names = namesIn(batch, row);
    if (isOpen) this.#tables[this.#tables.length - 1] = { ...last, names };
    else if (this.#tables.length < MAX_LINES) this.#tables.push({ line, names, rows: 0, isOpen: true });
    // More tables than are told one by one are counted with the last one.
    else if (last !== undefined) this.#tables[MAX_LINES - 1] = { ...last, rows: last.rows + 1, isOpen: true };
  }

  #closeTable(): void {
    const last = this.#tables.at(-1);
    if (last?.isOpen === true) this.#tables[this.#tables.length - 1] = { ...last, isOpen: false };
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
export function doubtsOfFindings({
  rowShaped,
  lines,
  listRows,
  tables = [],
  hidden,
}: SetAsideFindings): ReadingDoubt[] {
  const doubts: ReadingDoubt[] = tables.map(laterTableDoubt);
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
  if (hidden !== undefined)
    doubts.push({
      code: 'workbook_hides_rows',
      message: `${hidden.rows} rows are hidden in the workbook, by a filter or by hand; they are read like the others.`,
      evidence: { for: ['the file holds them'], against: ['the workbook does not show them'] },
      rowsAtStake: hidden.rows,
      lines: hidden.lines,
      answers: [{ label: 'Read them like the others', overrides: {} }],
    });
  return doubts;
}

function laterTableDoubt({ line, names, rows }: LaterTableFound): ReadingDoubt {
  const told = names.length === 0 ? 'no names' : names.join(', ');
  return {
    // Not the code of tables in the sample: an answer about those says nothing about this one.
    code: 'header_does_not_fit',
    message: `Line ${line} names columns again: ${told}. The ${rows} lines below it do not fit the first names and are not read.`,
    evidence: {
      for: ['its cells are names where the rows above have values'],
      against: [`${rows} lines stand below it`],
    },
    rowsAtStake: rows,
    lines: [line],
    holds: true,
    answers: [{ label: 'Store what stands above it, and leave the rest out', overrides: {} }],
  };
}

/** None where the line is a title of one cell. */
function namesIn(batch: RowBatch, row: number): string[] {
  const names = batch.texts(row).flatMap((text) => (isFilled(text) ? [text.trim()] : []));
  return names.length < 2 ? [] : names.slice(0, MAX_NAMES);
}

function isFilled(text: string): boolean {
  const trimmed = text.trim();
  return trimmed !== '' && !textMarkers.has(trimmed);
}
