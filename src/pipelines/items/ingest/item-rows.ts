// Batches of a file's rows as items to be stored, in inserts that are never larger than they may be. Knows nothing of transactions: what it has gathered is taken in one
// piece, with the state that must be stored with it.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { JsonArray } from '../../../platform/json-array.ts';
import { storableJson, storableText } from '../../../platform/storable-text.ts';
import { ContentCounter } from '../../../tabular/content-counter.ts';
import { CsvBatch } from '../../../tabular/csv/csv-batch.ts';
import type { RowBatch } from '../../../tabular/row-batch.ts';
import { SetAsideWatch } from '../../../tabular/set-aside-watch.ts';
import { unreadableRow } from '../../../tabular/validation/row-reject.ts';
import { columnNames } from '../fields.ts';
import { type FieldFinder, fieldFinder, type JobReading } from '../reading.ts';
import { fingerprintOf, fingerprintWay } from './fingerprint.ts';
import type { IngestState } from './ingest-state.ts';
import { RowsToStore } from './rows-to-store.ts';
import type { SeenRows } from './seen-rows.ts';

/** Longer rows are no rows; what is kept of them is their beginning. */
const MAX_ROW_BYTES = 1_048_576;
const KEPT_OF_LONG = 2_000;

export interface InsertBounds {
  readonly rows: number;
  readonly bytes: number;
}

export interface TakenRows {
  /** In the order of the file. To be given back when they are stored. */
  readonly inserts: readonly RowsToStore[];
  readonly rows: number;
  readonly bytes: number;
  readonly state: IngestState;
}

export class ItemRows {
  readonly columns: readonly string[];
  readonly #encoding: string;
  readonly #fields: FieldFinder;
  /** Null: copies are processed like any other row. */
  readonly #seen: SeenRows | null;
  readonly #content: ContentCounter;
  readonly #setAsides: SetAsideWatch;
  /** What of the JSON of a row does not depend on the row. */
  readonly #keys: readonly Buffer[];
  /** Columns in which fields are. */
  readonly #fieldColumns: readonly number[];
  readonly #free: RowsToStore[] = [];
  #inserts: RowsToStore[] = [];
  #rows = 0;
  #bytes = 0;
  #state: IngestState;
  #read: number;
  #furniture: number;

  constructor({ reading, mapping }: JobReading, state: IngestState, fileBytes: number, seen: SeenRows | null) {
    this.columns = columnNames(reading.header.value.names);
    this.#encoding = reading.encoding.value.name;
    this.#fields = fieldFinder(mapping, this.columns);
    this.#keys = this.columns.map(keyOf);
    this.#fieldColumns = this.#fields.columns.map((name) => this.columns.indexOf(name));
    this.#seen = seen;
    this.#content = new ContentCounter(state.content, state.position.offset, fileBytes);
    this.#setAsides = new SetAsideWatch(reading, state.setAside);
    this.#state = state;
    this.#read = state.read;
    this.#furniture = state.furniture;
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get read(): number {
    return this.#read;
  }

  /** A whole batch. An insert holds no more than the bounds, but for a row that is larger alone. */
  add(batch: RowBatch, bounds: InsertBounds): void {
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (batch.kinds[row] === 0) {
        this.#addData(batch, row, bounds);
        this.#setAsides.addData(batch, row);
      } else {
        this.#furniture += 1;
        this.#setAsides.add(batch, row);
      }
    }
    this.#content.add(batch);
    this.#setAsides.addSpans(batch);
    this.#state = { ...this.#state, position: batch.next, isRead: batch.isLast };
  }

  /** Everything, with the state behind it. */
  take(): TakenRows {
    const [inserts, rows, bytes] = [this.#inserts, this.#rows, this.#bytes];
    this.#inserts = [];
    this.#rows = 0;
    this.#bytes = 0;
    this.#state = {
      ...this.#state,
      read: this.#read,
      furniture: this.#furniture,
      content: this.#content.content,
      setAside: this.#setAsides.findings,
      ...(this.#seen === null ? {} : { unremembered: this.#seen.unremembered, fingerprints: fingerprintWay }),
    };
    return { inserts, rows, bytes, state: this.#state };
  }

  /** Their memory is filled again. */
  giveBack(inserts: readonly RowsToStore[]): void {
    for (const insert of inserts) {
      insert.clear();
      this.#free.push(insert);
    }
  }

  #addData(batch: RowBatch, row: number, bounds: InsertBounds): void {
    const place = { i: this.#read, l: batch.line(row) };
    this.#read += 1;
    const insert = this.#insertWithRoom(bounds);
    this.#rows += 1;
    if (batch.faults[row] !== 0) {
      const { code, message, value } = unreadableRow(batch, row, this.#encoding);
      const raw = storableText((value ?? '').slice(0, KEPT_OF_LONG));
      const c = storableJson({ [this.columns[0] ?? 'Line']: raw });
      insert.odd.push({ ...place, c, n: null, f: null, e: code, m: storableText(message) });
      this.#count(insert, KEPT_OF_LONG);
      return;
    }
    const { cells } = insert;
    cells.begin();
    this.#writeCells(cells, batch, row);
    const bytes = cells.end - cells.start;
    if (bytes > MAX_ROW_BYTES) {
      const texts = batch.texts(row);
      const length = texts.reduce((sum, text) => sum + text.length, 0);
      if (length > MAX_ROW_BYTES) {
        cells.drop();
        const { code, message } = new MillraceError('cell_too_large', { bytes: length, limit: MAX_ROW_BYTES });
        const short = Object.fromEntries(texts.map((text, index) => [this.#name(index), text.slice(0, KEPT_OF_LONG)]));
        insert.odd.push({ ...place, c: storableJson(short), n: null, f: null, e: code, m: message });
        this.#count(insert, KEPT_OF_LONG);
        return;
      }
    }
    const n = this.#fields.findsNothing ? null : storableJson(this.#fields.find(this.#fieldCells(batch, row)));
    const f = this.#seen === null ? null : fingerprintOf(cells.bytes, cells.start, cells.end);
    const first = f === null ? undefined : this.#seen?.firstOf(f, place.i);
    if (first !== undefined) insert.odd.push({ ...place, c: cells.drop(), n, f, t: first });
    else {
      cells.finish();
      insert.addPlain(place.i, place.l, n, f);
    }
    this.#count(insert, bytes);
  }

  #count(insert: RowsToStore, bytes: number): void {
    insert.bytes += bytes;
    this.#bytes += bytes;
  }

  #insertWithRoom(bounds: InsertBounds): RowsToStore {
    const last = this.#inserts.at(-1);
    if (last !== undefined && last.length < bounds.rows && last.bytes < bounds.bytes) return last;
    const next = this.#free.pop() ?? new RowsToStore();
    this.#inserts.push(next);
    return next;
  }

  #writeCells(cells: JsonArray, batch: RowBatch, row: number): void {
    const count = batch.cellCount(row);
    const spans = batch instanceof CsvBatch ? batch : null;
    for (let column = 0; column < count; column += 1) {
      cells.write(this.#keys[column] ?? keyOf(this.#name(column), column));
      const cell = spans?.cellIndex(row, column) ?? -1;
      if (spans !== null && cell !== -1 && !spans.isEscaped(cell))
        cells.writeUtf8(spans.bytes, spans.spanStart(cell), spans.spanEnd(cell));
      else cells.writeText(batch.text(row, column));
    }
    cells.write(count === 0 ? NO_CELLS : CLOSING);
  }

  #name(column: number): string {
    return this.columns[column] ?? `Column ${column + 1}`;
  }

  #fieldCells(batch: RowBatch, row: number): Record<string, string> {
    const cells: Record<string, string> = {};
    for (const column of this.#fieldColumns) cells[this.#name(column)] = batch.text(row, column);
    return cells;
  }
}

// A row is {"name":"cell","name":"cell"}: quotes of cells stand in what is between them.
const CLOSING = Buffer.from('"}');
const NO_CELLS = Buffer.from('{}');

const keyOf = (name: string, column: number) => Buffer.from(`${column === 0 ? '{' : '",'}${storableJson(name)}:"`);
