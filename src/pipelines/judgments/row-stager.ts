// Turns batches of rows into staged cases, rejects and counts. It knows nothing of transactions: its caller takes everything gathered as one piece, with
// the state that the checkpoint must have once that piece is committed.
import type { RejectRecord } from '../../engine/sql/insert-rejects.ts';
import { ContentCounter } from '../../tabular/content-counter.ts';
import type { RowBatch } from '../../tabular/row-batch.ts';
import { SetAsideWatch } from '../../tabular/set-aside-watch.ts';
import { type RowIssue, rowIssue } from '../../tabular/validation/row-issue.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { cellsOf, rejectOf, unreadableRow } from '../../tabular/validation/row-reject.ts';
import type { NumberStyle } from '../../tabular/values/number-style.ts';
import { CaseReader, type CaseRow } from './case-row.ts';
import { nullTokensIn } from './column-policy.ts';
import { judgmentFields } from './fields.ts';
import type { ImportState } from './import-state.ts';
import type { BatchReading } from './reading.ts';
import { StagingBuffer } from './staging-buffer.ts';

/** A row refused by its number: the n-th data line of the file. */
export interface RowError {
  readonly rowNumber: number;
  readonly code: string;
}

export interface StagedPiece {
  readonly columns: readonly Buffer[] | null;
  readonly rows: number;
  readonly rejects: readonly RejectRecord[];
  readonly errors: readonly RowError[];
  readonly state: ImportState;
  /** The case that a staged row stands for, read again: for the few that turn out to be repetitions. */
  readonly again: (rowIndex: number) => RepeatedRow;
}

export interface RepeatedRow {
  readonly rowIndex: number;
  readonly line: number;
  readonly row: CaseRow;
  /** The reject it becomes when an earlier line says something else. */
  readonly reject: (firstLine: number) => RejectRecord;
}

/** A batch and the index of its first data row. */
interface Gathered {
  readonly batch: RowBatch;
  readonly firstIndex: number;
}

export class RowStager {
  readonly #reader: CaseReader;
  readonly #names: readonly string[];
  readonly #encoding: string;
  readonly #numbers: NumberStyle;
  readonly #buffer = new StagingBuffer();
  readonly #warnings: Map<string, number>;
  readonly #content: ContentCounter;
  readonly #setAsides: SetAsideWatch;
  #rejects: RejectRecord[] = [];
  #errors: RowError[] = [];
  #gathered: Gathered[] = [];
  #state: ImportState;
  #read: number;
  #rejected: number;
  #setAsideLines: number;

  /** `fileBytes`: the size of the file. */
  constructor(
    { reading, mapping }: BatchReading,
    nullToken: string | undefined,
    state: ImportState,
    fileBytes: number,
  ) {
    const parser = new RowParser(reading, mapping.columns, judgmentFields, mapping.constants);
    this.#reader = new CaseReader(parser, mapping.columns, nullTokensIn(reading, nullToken));
    this.#names = reading.header.value.names;
    this.#encoding = reading.encoding.value.name;
    this.#numbers = reading.numbers.value;
    this.#warnings = new Map(Object.entries(state.counts.warnings));
    this.#content = new ContentCounter(state.counts.content, state.position.offset, fileBytes);
    this.#setAsides = new SetAsideWatch(reading, state.counts.setAside);
    this.#state = state;
    this.#read = state.counts.read;
    this.#rejected = state.counts.rejected;
    this.#setAsideLines = state.counts.furniture;
  }

  /** Rows gathered and not yet taken. */
  get rows(): number {
    return this.#buffer.rows + this.#rejects.length;
  }

  get read(): number {
    return this.#read;
  }

  /** Rows `from` up to `to` of the batch; the whole batch in order, in as many pieces as the caller likes. */
  add(batch: RowBatch, from = 0, to = batch.rowCount): void {
    if (from === 0) this.#gathered.push({ batch, firstIndex: this.#read });
    for (let row = from; row < to; row++) {
      if (batch.kinds[row] !== 0) this.#setAside(batch, row);
      else {
        this.#addData(batch, row);
        this.#setAsides.addData(batch, row);
      }
    }
    if (to < batch.rowCount) return;
    this.#content.add(batch);
    this.#setAsides.addSpans(batch);
    this.#state = { ...this.#state, position: batch.next };
  }

  take(): StagedPiece {
    const gathered = this.#gathered;
    const [rejects, errors] = [this.#rejects, this.#errors];
    this.#gathered = [];
    this.#rejects = [];
    this.#errors = [];
    this.#state = {
      ...this.#state,
      counts: {
        ...this.#state.counts,
        read: this.#read,
        rejected: this.#rejected,
        furniture: this.#setAsideLines,
        content: this.#content.content,
        setAside: this.#setAsides.findings,
        warnings: Object.fromEntries(this.#warnings),
      },
    };
    const rows = this.#buffer.rows;
    const again = (rowIndex: number) => this.#again(rowIndex, gathered);
    return { columns: this.#buffer.take(), rows, rejects, errors, state: this.#state, again };
  }

  /** What the transaction of a piece found out beside it: repetitions are known only to staging. */
  settle(found: { readonly staged: number; readonly superseded: number; readonly rejected: number }): void {
    const { counts } = this.#state;
    this.#rejected += found.rejected;
    this.#state = {
      ...this.#state,
      counts: {
        ...counts,
        staged: counts.staged + found.staged,
        superseded: counts.superseded + found.superseded,
        rejected: this.#rejected,
      },
    };
  }

  get state(): ImportState {
    return this.#state;
  }

  #setAside(batch: RowBatch, row: number): void {
    this.#setAsideLines++;
    this.#setAsides.add(batch, row);
  }

  #addData(batch: RowBatch, row: number): void {
    const rowIndex = this.#read++;
    if (batch.faults[row] !== 0) {
      this.#refuse(rowIndex, batch, row, [unreadableRow(batch, row, this.#encoding)]);
      return;
    }
    const judged = this.#reader.read(batch, row);
    for (const { code, severity } of judged.issues)
      if (severity === 'warning') this.#warnings.set(code, (this.#warnings.get(code) ?? 0) + 1);
    if (judged.row === null) {
      this.#refuse(rowIndex, batch, row, judged.issues);
      return;
    }
    this.#buffer.add({ rowIndex, line: batch.line(row), offset: batch.offset(row) }, judged.row);
  }

  #refuse(rowIndex: number, batch: RowBatch, row: number, issues: readonly RowIssue[]): void {
    this.#rejected++;
    const reject = rejectOf(
      { line: batch.line(row), offset: batch.offset(row) },
      issues,
      cellsOf(batch, row, this.#names),
      this.#numbers,
    );
    this.#rejects.push(reject);
    this.#errors.push({ rowNumber: rowIndex + 1, code: reject.code });
  }

  #again(rowIndex: number, gathered: readonly Gathered[]): RepeatedRow {
    const { batch, row } = findRow(rowIndex, gathered);
    const place = { line: batch.line(row), offset: batch.offset(row) };
    return {
      rowIndex,
      line: place.line,
      row: this.#reader.read(batch, row).row as CaseRow,
      reject: (firstLine) => {
        const issue = rowIssue(place, 'case_repeated', null, null, 'error', { line: firstLine });
        return rejectOf(place, [issue], cellsOf(batch, row, this.#names));
      },
    };
  }
}

/** Looked for only where a row turns out to be a repetition; remembering every row's place would cost more than reading it. */
function findRow(rowIndex: number, gathered: readonly Gathered[]): { readonly batch: RowBatch; readonly row: number } {
  const { batch, firstIndex } = gathered.findLast((each) => each.firstIndex <= rowIndex) as Gathered;
  return { batch, row: [...batch.dataRows()][rowIndex - firstIndex] as number };
}
