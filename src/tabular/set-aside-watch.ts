// Looks at what is set aside while the rows are read, behind the sample: lines that name things and days as rows do, tables that begin
// behind the first one, and lists of JSON that the survey of the file's start did not reach. Plain JSON in between, so that a checkpoint carries it over a crash.
import { isRowTakenOut } from './layout/comment-lines.ts';
import { EdgeWords } from './layout/edge-words.ts';
import { isRuleRow } from './layout/rules-between-rows.ts';
import { TotalRows } from './layout/total-rows.ts';
import { firstWordsOfAll, saysAll, TotalLabels } from './layout/total-words.ts';
import { shapeOf } from './layout/value-shape.ts';
import type { Reading, ReadingDoubt } from './reading.ts';
import type { RowBatch, WorkbookRest } from './row-batch.ts';
import { textMarkers } from './values/empty-markers.ts';

export interface SetAsideFindings {
  /** Lines that were set aside and look like rows. */
  readonly rowShaped: number;
  /** Where the first of them stand. */
  readonly lines: readonly number[];
  /** Records of lists that are not read and that nobody was told of before the first row. */
  readonly listRows: number;
  /** Lists that are not read; absent where there is none. */
  readonly lists?: number;
  /** Tables that begin behind the first one; absent where there is none. */
  readonly tables?: readonly LaterTableFound[];
  /** Rows of data whose label reads like that of a total; absent where there is none, or somebody was told of them. */
  readonly totals?: LabelledTotals;
  /** Rows that a workbook does not show and that were read; absent where there is none. */
  readonly hidden?: WorkbookRest['hidden'];
  /** Names of columns that a workbook does not show and that are read; absent where there is none. */
  readonly hiddenColumns?: readonly string[];
  /** Formulas that a workbook holds without their results; absent where there is none. */
  readonly uncomputed?: WorkbookRest['uncomputed'];
  /** Where cells of several rows below the names are shown as one; absent where there are none. */
  readonly merged?: { readonly rows: number; readonly lines: readonly number[] };
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

export interface LabelledTotals {
  readonly rows: number;
  readonly lines: readonly number[];
  /** In a column that parts rows into segments: the parts stand beside them. */
  readonly inSegment: boolean;
  /** Rows without such a label. */
  readonly others: number;
}

export const nothingFound: SetAsideFindings = { rowShaped: 0, lines: [], listRows: 0 };

const MAX_LINES = 10;
const MAX_ASIDES = 1_000;
/** A column that is filled in nearly every row says something by being empty. */
const ALWAYS = 0.9;
const MIN_COLUMNS = 2;
const MAX_NAMES = 5;
const MAX_LABEL_COLUMNS = 8;
const watched: ReadonlySet<string> = new Set(['total', 'footer', 'note']);

export class SetAsideWatch {
  readonly #dates: readonly number[];
  readonly #names: readonly number[];
  /** How many lists of JSON the survey of the file's start has found beside the one that is read: the first ones. */
  readonly #knownLists: number;
  readonly #knownTables: NonNullable<Reading['otherTables']>;
  #rowShaped: number;
  #lines: number[];
  #listRows: number;
  #lists: number;
  #tables: LaterTableFound[];
  readonly #labels: TotalLabels;
  readonly #labelEdges: EdgeWords;
  readonly #among: TotalRows | null;
  /** Columns whose texts may be labels of totals, each with the text that was looked at last. */
  readonly #labelled: { readonly index: number; readonly isSegment: boolean; last: string; saysTotal: boolean }[];
  #totals: { rows: number; lines: number[]; inSegment: boolean; others: number };
  /** Columns whose empty cells somebody was asked about. */
  readonly #grouped: ReadonlySet<number>;
  #hidden: WorkbookRest['hidden'] | undefined;
  #hiddenColumns: readonly string[] | undefined;
  #uncomputed: WorkbookRest['uncomputed'] | undefined;
  #merged: SetAsideFindings['merged'];
  readonly #lastHeaderLine: number;
  readonly #width: number;
  readonly #columnNames: readonly string[];
  /** Lines of a workbook that are set aside: what is merged there is no row. Forgotten when reading goes on after an interruption. */
  readonly #asides = new Set<number>();
  /** Of a workbook; not known where no row has come since reading went on. */
  #lastRow = Number.POSITIVE_INFINITY;

  constructor(reading: Reading, before: SetAsideFindings = nothingFound) {
    const always = reading.columns.filter(({ fillRate }) => fillRate >= ALWAYS);
    const identity = reading.totals.identityColumns;
    this.#dates = always.filter(({ kind }) => kind === 'date').map(({ index }) => index);
    this.#names = always
      .filter(({ kind, index }) => identity?.includes(index) ?? (kind === 'text' || kind === 'id'))
      .map(({ index }) => index);
    this.#knownLists = (reading.doubts ?? []).filter(({ code }) => code === 'other_table').length;
    this.#knownTables = reading.otherTables ?? [];
    this.#tables = [...(before.tables ?? [])];
    const { names } = reading.header.value;
    this.#labels = new TotalLabels(reading.totals.words);
    this.#labelEdges = new EdgeWords([...reading.totals.words, ...firstWordsOfAll]);
    this.#among = reading.totals.among === undefined ? null : new TotalRows(names, reading.totals.among, this.#labels);
    this.#labelled = labelColumns(reading).map((index) => ({
      index,
      isSegment: reading.roles?.segments.includes(index) === true,
      last: '',
      saysTotal: false,
    }));
    const { totals = { rows: 0, lines: [], inSegment: false, others: 0 } } = before;
    this.#totals = { ...totals, lines: [...totals.lines] };
    const carried = (reading.doubts ?? []).flatMap(({ answers }) =>
      answers.flatMap(({ overrides }) => overrides.carryDown ?? []),
    );
    this.#grouped = new Set([...carried, ...(reading.carryDown ?? [])].map((name) => names.indexOf(name)));
    this.#hidden = before.hidden;
    this.#hiddenColumns = before.hiddenColumns;
    this.#uncomputed = before.uncomputed;
    this.#merged = before.merged;
    this.#columnNames = reading.header.value.names;
    this.#width = this.#columnNames.length;
    this.#lastHeaderLine = Math.max(0, ...reading.header.value.lines);
    this.#rowShaped = before.rowShaped;
    this.#lines = [...before.lines];
    this.#listRows = before.listRows;
    this.#lists = before.lists ?? 0;
  }

  /** A row of data. */
  addData(batch: RowBatch, row: number): void {
    if (this.#labelled.length === 0 || batch.faults[row] !== 0) return;
    for (const column of this.#labelled) {
      if (!batch.mayEdge(row, column.index, this.#labelEdges)) continue;
      const text = batch.text(row, column.index);
      if (text !== column.last) {
        column.last = text;
        column.saysTotal = this.#labels.saysTotal(text) || (column.isSegment && saysAll(text));
      }
      if (!column.saysTotal) continue;
      this.#totals.rows++;
      if (column.isSegment) this.#totals.inSegment = true;
      if (this.#totals.lines.length < MAX_LINES) this.#totals.lines.push(batch.line(row));
      return;
    }
    this.#totals.others++;
  }

  /** A row that is set aside. */
  add(batch: RowBatch, row: number): void {
    const kind = batch.kind(row);
    if (kind === 'other_table') this.#addToTable(batch, row);
    else if (kind === 'repeated_header') this.#closeTable();
    if (batch.unit === 'cells' && this.#asides.size < MAX_ASIDES) this.#asides.add(batch.line(row));
    const isTakenOut = kind === 'note' && isRowTakenOut(batch.texts(row), this.#width);
    // Somebody said so.
    if (kind === 'total' && this.#among?.has(batch, row) === true) return;
    if (!isTakenOut && (!watched.has(kind) || !this.#looksLikeRow(batch, row) || isRuleRow(batch.texts(row)))) return;
    this.#rowShaped++;
    if (this.#lines.length < MAX_LINES) this.#lines.push(batch.line(row));
  }

  /** What stands between and behind the rows of a batch. */
  addSpans(batch: RowBatch): void {
    const { spans, rest } = batch;
    if (batch.unit === 'cells') this.#lastRow = lastDataLine(batch) ?? this.#lastRow;
    if (rest !== null) this.#addRest(rest);
    for (const { reason, rows } of spans) {
      if (reason === 'other_table' && ++this.#lists > this.#knownLists) this.#listRows += rows;
    }
  }

  #addRest({ hidden, hiddenColumns, uncomputed, merged }: WorkbookRest): void {
    if (hidden.rows > 0) this.#hidden = hidden;
    if (hiddenColumns.length > 0)
      this.#hiddenColumns = hiddenColumns.map((column) => this.#columnNames[column] ?? `column ${column + 1}`);
    if (uncomputed.cells > 0) this.#uncomputed = uncomputed;
    const inRows = merged.filter(
      ([from, , column]) =>
        from > this.#lastHeaderLine && from <= this.#lastRow && !this.#asides.has(from) && !this.#grouped.has(column),
    );
    const lines = [...new Set(inRows.map(([from]) => from))].slice(0, MAX_LINES);
    if (lines.length > 0) this.#merged = { rows: inRows.reduce((sum, [from, to]) => sum + to - from, 0), lines };
  }

  get findings(): SetAsideFindings {
    return {
      rowShaped: this.#rowShaped,
      lines: [...this.#lines],
      listRows: this.#listRows,
      ...(this.#lists === 0 ? {} : { lists: this.#lists }),
      ...(this.#tables.length === 0 ? {} : { tables: [...this.#tables] }),
      ...(this.#totals.rows === 0 && this.#totals.others === 0
        ? {}
        : { totals: { ...this.#totals, lines: [...this.#totals.lines] } }),
      ...(this.#hidden === undefined ? {} : { hidden: this.#hidden }),
      ...(this.#hiddenColumns === undefined ? {} : { hiddenColumns: this.#hiddenColumns }),
      ...(this.#uncomputed === undefined ? {} : { uncomputed: this.#uncomputed }),
      ...(this.#merged === undefined ? {} : { merged: this.#merged }),
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

/** None where somebody was told of totals among the rows before the first one. */
function labelColumns({ doubts = [], columns, rules }: Reading): number[] {
  if (rules !== 2 || doubts.some(({ code }) => code === 'totals_among_rows')) return [];
  return columns.flatMap(({ kind, index }) => (kind === 'text' ? [index] : [])).slice(0, MAX_LABEL_COLUMNS);
}

function lastDataLine(batch: RowBatch): number | undefined {
  const row = batch.kinds.lastIndexOf(0);
  return row === -1 ? undefined : batch.line(row);
}

/** The doubts that such findings are. */
export function doubtsOfFindings({
  rowShaped,
  lines,
  listRows,
  tables = [],
  totals,
  hidden,
  hiddenColumns,
  uncomputed,
  merged,
}: SetAsideFindings): ReadingDoubt[] {
  const doubts: ReadingDoubt[] = tables.map(laterTableDoubt);
  if (rowShaped > 0)
    doubts.push({
      code: 'rows_set_aside',
      message: `${rowShaped} lines that look like rows were set aside as totals, notes or comments; they are not read.`,
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
      evidence: { for: ['the list that is read comes first'], against: [`${listRows} records follow it`] },
      rowsAtStake: listRows,
      lines: [],
      holds: true,
      answers: [{ label: 'Read the first list only', overrides: {} }],
    });
  // Where most rows say so it is what they are called.
  if (totals !== undefined && totals.rows > 0 && totals.rows <= totals.others)
    doubts.push({
      code: 'totals_among_rows',
      message: `${totals.rows === 1 ? 'A row is' : `${totals.rows} rows are`} called totals by a label, and stored like the other ${totals.others}. What adds up others counts twice.`,
      evidence: { for: ['they have as many cells as rows have'], against: ['their label says so'] },
      rowsAtStake: totals.rows,
      lines: totals.lines,
      ...(totals.inSegment ? { holds: true } : {}),
      answers: [{ label: 'Store them like the other rows', overrides: {} }],
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
  if (hiddenColumns !== undefined)
    doubts.push({
      code: 'workbook_hides_columns',
      message: `The workbook hides ${hiddenColumns.length === 1 ? 'the column' : `${hiddenColumns.length} columns:`} ${hiddenColumns.slice(0, MAX_LINES).join(', ')}; they are read like the others.`,
      evidence: { for: ['the file holds them'], against: ['the workbook does not show them'] },
      rowsAtStake: 0,
      lines: [],
      answers: [{ label: 'Read them like the others', overrides: {} }],
    });
  if (uncomputed !== undefined)
    doubts.push({
      code: 'workbook_uncomputed',
      message: `${uncomputed.cells} cells hold a formula without its result; they are read as empty. Open the workbook in a spreadsheet program and save it, and they have results.`,
      evidence: { for: ['the file holds no result'], against: ['the formula would have one'] },
      rowsAtStake: uncomputed.cells,
      lines: uncomputed.lines,
      holds: true,
      answers: [{ label: 'Read these cells as empty', overrides: {} }],
    });
  if (merged !== undefined)
    doubts.push({
      code: 'workbook_merges_rows',
      message: `Cells are merged over several rows: their value is in the first row only, and the ${merged.rows} rows below are read without it.`,
      evidence: { for: ['the file holds the value once'], against: ['it is shown beside all of these rows'] },
      rowsAtStake: merged.rows,
      lines: merged.lines,
      holds: true,
      answers: [{ label: 'Read the rows below without it', overrides: {} }],
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
      against: [`${rows} lines are below it`],
    },
    rowsAtStake: rows,
    lines: [line],
    holds: true,
    answers: [{ label: 'Store what is above it, and leave the rest out', overrides: {} }],
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
