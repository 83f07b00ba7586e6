// Batches of a file's rows as items to be stored. Knows nothing of transactions: what it has gathered is taken in one piece, with the state that must
// be stored with it.
import { hash } from 'node:crypto';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { storableJson, storableText } from '../../../platform/storable-text.ts';
import { ContentCounter } from '../../../tabular/content-counter.ts';
import type { RowBatch } from '../../../tabular/row-batch.ts';
import { SetAsideWatch } from '../../../tabular/set-aside-watch.ts';
import { unreadableRow } from '../../../tabular/validation/row-reject.ts';
import { columnNames } from '../fields.ts';
import { type FieldFinder, fieldFinder, type JobReading } from '../reading.ts';
import type { NewItem } from '../sql/insert-items.ts';
import type { IngestState } from './ingest-state.ts';
import type { SeenRows } from './seen-rows.ts';

/** Longer rows are no rows; what is kept of them is their beginning. */
const MAX_ROW_BYTES = 1_048_576;
const KEPT_OF_LONG = 2_000;

export interface TakenRows {
  readonly rows: readonly NewItem[];
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
  #rows: NewItem[] = [];
  #bytes = 0;
  #state: IngestState;
  #read: number;
  #furniture: number;

  constructor({ reading, mapping }: JobReading, state: IngestState, fileBytes: number, seen: SeenRows | null) {
    this.columns = columnNames(reading.header.value.names);
    this.#encoding = reading.encoding.value.name;
    this.#fields = fieldFinder(mapping, this.columns);
    this.#seen = seen;
    this.#content = new ContentCounter(state.content, state.position.offset, fileBytes);
    this.#setAsides = new SetAsideWatch(reading, state.setAside);
    this.#state = state;
    this.#read = state.read;
    this.#furniture = state.furniture;
  }

  get rows(): number {
    return this.#rows.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get read(): number {
    return this.#read;
  }

  /** Rows `from` up to `to` of the batch; the whole batch in order, in as many pieces as the caller likes. */
  add(batch: RowBatch, from = 0, to = batch.rowCount): void {
    for (let row = from; row < to; row += 1) {
      if (batch.kinds[row] === 0) this.#addData(batch, row);
      else {
        this.#furniture += 1;
        this.#setAsides.add(batch, row);
      }
    }
    if (to < batch.rowCount) return;
    this.#content.add(batch);
    this.#setAsides.addSpans(batch);
    this.#state = { ...this.#state, position: batch.next, isRead: batch.isLast };
  }

  /** Everything, with the state behind it: only when a batch is complete. */
  take(): TakenRows {
    const [rows, bytes] = [this.#rows, this.#bytes];
    this.#rows = [];
    this.#bytes = 0;
    this.#state = {
      ...this.#state,
      read: this.#read,
      furniture: this.#furniture,
      content: this.#content.content,
      setAside: this.#setAsides.findings,
      ...(this.#seen === null ? {} : { unremembered: this.#seen.unremembered }),
    };
    return { rows, bytes, state: this.#state };
  }

  #addData(batch: RowBatch, row: number): void {
    const place = { i: this.#read, l: batch.line(row) };
    this.#read += 1;
    if (batch.faults[row] !== 0) {
      const { code, message, value } = unreadableRow(batch, row, this.#encoding);
      const raw = storableText((value ?? '').slice(0, KEPT_OF_LONG));
      this.#push(
        {
          ...place,
          c: storableJson({ [this.columns[0] ?? 'Line']: raw }),
          n: null,
          f: null,
          e: code,
          m: storableText(message),
        },
        KEPT_OF_LONG,
      );
      return;
    }
    const cells: Record<string, string> = {};
    let bytes = 0;
    const texts = batch.texts(row);
    for (let index = 0; index < texts.length; index += 1) {
      const text = texts[index] ?? '';
      bytes += text.length;
      cells[this.columns[index] ?? `Column ${index + 1}`] = text;
    }
    if (bytes > MAX_ROW_BYTES) {
      const { code, message } = new MillraceError('cell_too_large', { bytes, limit: MAX_ROW_BYTES });
      const short = Object.fromEntries(
        Object.entries(cells).map(([name, text]) => [name, text.slice(0, KEPT_OF_LONG)]),
      );
      this.#push({ ...place, c: storableJson(short), n: null, f: null, e: code, m: message }, KEPT_OF_LONG);
      return;
    }
    const c = storableJson(cells);
    const n = this.#fields.findsNothing ? null : storableJson(this.#fields.find(cells));
    const { i, l } = place;
    if (this.#seen === null) {
      this.#push({ i, l, c, n, f: null }, bytes);
      return;
    }
    const f = Number.parseInt(hash('sha1', c, 'hex').slice(0, 12), 16);
    const first = this.#seen.firstOf(f, i);
    this.#push(first === undefined ? { i, l, c, n, f } : { i, l, c, n, f, t: first }, bytes);
  }

  #push(item: NewItem, bytes: number): void {
    this.#rows.push(item);
    this.#bytes += bytes;
  }
}
