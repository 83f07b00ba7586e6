// Turns batches of rows into staged rows, rejects and counts. It knows nothing of transactions: its caller takes everything gathered as one piece, with
// the state that the checkpoint must have once that piece is committed.
import type { RejectRecord } from '../../engine/sql/insert-rejects.ts';
import { storableText } from '../../platform/storable-text.ts';
import { ContentCounter } from '../../tabular/content-counter.ts';
import { TotalRows } from '../../tabular/layout/total-rows.ts';
import { TotalLabels } from '../../tabular/layout/total-words.ts';
import type { Reading } from '../../tabular/reading.ts';
import type { RowBatch } from '../../tabular/row-batch.ts';
import { SetAsideWatch } from '../../tabular/set-aside-watch.ts';
import type { RowIssue } from '../../tabular/validation/row-issue.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { cellsOf, rejectOf, unreadableRow } from '../../tabular/validation/row-reject.ts';
import type { NumberStyle } from '../../tabular/values/number-style.ts';
import { ControlTotals, controlMeasures, type Sums } from './control-totals.ts';
import { adsFields } from './fields.ts';
import type { KeyHasher } from './natural-key.ts';
import { measureIndex, Normalizer } from './normalize.ts';
import { freshState, type ParseState, type ParseStep, type SetAsideRow } from './parse-counts.ts';
import type { AppliedMapping } from './reading.ts';
import { StagingBuffer, type StagingFlush } from './staging-buffer.ts';

/** Kept to be shown; all are counted. */
const MAX_SET_ASIDE_SHOWN = 200;
const MAX_TEXT_SHOWN = 300;

export interface StagedPiece {
  readonly flush: StagingFlush;
  readonly rejects: readonly RejectRecord[];
  readonly state: ParseState;
}

export class RowStager {
  readonly #parser: RowParser;
  readonly #normalizer: Normalizer;
  readonly #names: readonly string[];
  readonly #encoding: string;
  readonly #numbers: NumberStyle;
  /** Mapped to a name or an id, and empty as far as the file was looked at. */
  readonly #emptyColumns: readonly string[];
  readonly #buffer: StagingBuffer;
  readonly #file: ControlTotals;
  readonly #rejected: ControlTotals;
  readonly #warnings: Map<string, number>;
  readonly #content: ContentCounter;
  readonly #setAsides: SetAsideWatch;
  /** Totals of parts of the file: what they say is not what all rows say. */
  readonly #among: TotalRows | null;
  #rejects: RejectRecord[] = [];
  #setAsideShown: SetAsideRow[];
  #declared: Partial<Sums> | null;
  #state: ParseState;
  #read: number;
  #valid: number;
  #rejectedRows: number;
  #setAsideLines: number;

  /** `fileBytes`: the size of the file. */
  constructor(reading: Reading, mapping: AppliedMapping, keys: KeyHasher, state: ParseState, fileBytes: number) {
    this.#parser = new RowParser(reading, mapping.columns, adsFields, mapping.constants);
    this.#normalizer = new Normalizer(mapping.columns, mapping.constants, mapping);
    this.#names = reading.header.value.names;
    this.#encoding = reading.encoding.value.name;
    this.#numbers = reading.numbers.value;
    const filled = new Set(reading.columns.filter(({ fillRate }) => fillRate > 0).map(({ index }) => index));
    this.#emptyColumns = mapping.columns
      .filter(({ field, column }) => /_(?:id|name)$/.test(field ?? '') && !filled.has(column))
      .map(({ header }) => header);
    this.#buffer = new StagingBuffer(keys);
    // What an earlier attempt staged has not been seen by this one.
    if (state !== freshState) this.#buffer.watch.giveUp();
    const { counts } = state;
    this.#file = new ControlTotals(counts.file, counts.told);
    this.#rejected = new ControlTotals(counts.rejected.sums);
    this.#warnings = new Map(Object.entries(counts.warnings));
    this.#content = new ContentCounter(counts.content, state.position.offset, fileBytes);
    this.#setAsides = new SetAsideWatch(reading, state.setAside);
    const { words, among } = reading.totals;
    this.#among = among === undefined ? null : new TotalRows(this.#names, among, new TotalLabels(words));
    this.#setAsideShown = [...state.furniture];
    this.#declared = counts.declared;
    this.#state = state;
    this.#read = counts.read;
    this.#valid = counts.valid;
    this.#rejectedRows = counts.rejected.rows;
    this.#setAsideLines = counts.furniture;
  }

  /** Rows gathered and not yet taken. */
  get rows(): number {
    return this.#buffer.rows;
  }

  get read(): number {
    return this.#read;
  }

  /** False only when all keys of the file are known to be distinct. */
  get mayRepeatKeys(): boolean {
    return this.#buffer.watch.mayRepeat;
  }

  /** Rows `from` up to `to` of the batch; the whole batch in order, in as many pieces as the caller likes. */
  add(batch: RowBatch, from = 0, to = batch.rowCount): void {
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

  take(step: ParseStep): StagedPiece {
    const rejects = this.#rejects;
    this.#rejects = [];
    this.#state = {
      ...this.#state,
      step,
      furniture: [...this.#setAsideShown],
      setAside: this.#setAsides.findings,
      counts: {
        ...this.#state.counts,
        read: this.#read,
        valid: this.#valid,
        rejected: { rows: this.#rejectedRows, sums: this.#rejected.toJSON() },
        furniture: this.#setAsideLines,
        content: this.#content.content,
        warnings: Object.fromEntries(this.#warnings),
        file: this.#file.toJSON(),
        // What an earlier attempt did not keep cannot be told of its rows.
        ...(this.#state.counts.told === undefined ? {} : { told: this.#file.told }),
        declared: this.#declared,
      },
    };
    return { flush: this.#buffer.take(), rejects, state: this.#state };
  }

  #addData(batch: RowBatch, row: number): void {
    const rowIndex = this.#read++;
    const staged = { rowIndex, line: batch.line(row), offset: batch.offset(row) };
    if (batch.faults[row] !== 0) {
      const issues = [unreadableRow(batch, row, this.#encoding)];
      this.#refuse(staged, { text: batch.rawText(row) }, issues, batch, row);
      return;
    }
    const judged = this.#normalizer.judge(this.#parser.parse(batch, row), staged);
    this.#file.addRow(judged.measures);
    if (judged.issues.length > 0) this.#countWarnings(judged.issues);
    if (judged.row !== null) {
      this.#valid++;
      this.#buffer.addValid(staged, judged.row);
      return;
    }
    this.#rejected.addRow(judged.measures);
    this.#refuse(staged, cellsOf(batch, row, this.#names), judged.issues, batch, row);
  }

  #refuse(
    place: { rowIndex: number; line: number; offset: number },
    raw: unknown,
    issues: readonly RowIssue[],
    batch: RowBatch,
    row: number,
  ): void {
    this.#rejectedRows++;
    this.#buffer.addInvalid(place, raw, issues);
    const reject = rejectOf(place, issues, cellsOf(batch, row, this.#names), this.#numbers);
    const column = reject.code === 'identity_missing' ? (reject.column ?? null) : null;
    const isEmpty = column !== null && this.#emptyColumns.includes(column);
    this.#rejects.push(isEmpty ? { ...reject, suggestion: this.#withoutEmpty(column) } : reject);
  }

  /** A column of names or ids that is empty throughout says nothing of its level; without it the file is of the level above. */
  #withoutEmpty(column: string) {
    return {
      fix: { kind: 'reread', without_columns: this.#emptyColumns },
      label: `leave out "${column}", which is empty throughout`,
    };
  }

  #countWarnings(issues: readonly RowIssue[]): void {
    for (const { code, severity } of issues)
      if (severity === 'warning') this.#warnings.set(code, (this.#warnings.get(code) ?? 0) + 1);
  }

  #setAside(batch: RowBatch, row: number): void {
    this.#setAsideLines++;
    this.#setAsides.add(batch, row);
    const kind = batch.kind(row);
    if (kind === 'total' && this.#declared === null && this.#among?.has(batch, row) !== true)
      this.#declared = this.#totalsOf(batch, row);
    if (this.#setAsideShown.length >= MAX_SET_ASIDE_SHOWN) return;
    const text = storableText(batch.rawText(row).slice(0, MAX_TEXT_SHOWN));
    this.#setAsideShown.push({ line: batch.line(row), kind, text });
  }

  /** The first total row is the total of what is listed; later ones are of wider sets. */
  #totalsOf(batch: RowBatch, row: number): Partial<Sums> {
    const { measures } = this.#normalizer.judge(this.#parser.parse(batch, row), { line: 0, offset: 0 });
    const found = controlMeasures.map((measure) => [measure, measures[measureIndex(measure)] ?? null] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== null)) as Partial<Sums>;
  }
}
