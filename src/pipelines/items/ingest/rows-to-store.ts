// Rows of one insert while they are gathered. Plain ones are written straight into the arrays that the statement takes; copies and unreadable lines are few and stay objects.
import { BinaryArray } from '../../../platform/binary-array.ts';
import { JsonArray } from '../../../platform/json-array.ts';
import type { NewItem, PackedRows } from '../sql/insert-items.ts';

export class RowsToStore {
  readonly cells = new JsonArray('json');
  readonly odd: NewItem[] = [];
  readonly #fields = new JsonArray('jsonb');
  readonly #index = new BinaryArray('int4');
  readonly #line = new BinaryArray('int4');
  readonly #fingerprint = new BinaryArray('int8');
  #hasFingerprints = false;
  #first = 0;
  #last = 0;
  #packed: PackedRows | null = null;
  bytes = 0;

  get length(): number {
    return this.cells.length + this.odd.length;
  }

  /** The cells have been written and finished. */
  addPlain(index: number, line: number, fields: string | null, fingerprint: number | null): void {
    if (this.#index.length === 0) this.#first = index;
    this.#last = index;
    this.#index.pushInt4(index);
    this.#line.pushInt4(line);
    if (fields === null) this.#fields.pushNull();
    else this.#fields.pushJson(fields);
    if (fingerprint === null) this.#fingerprint.pushNull();
    else this.#fingerprint.pushInt8(fingerprint);
    this.#hasFingerprints ||= fingerprint !== null;
  }

  /** As parameters, valid until it is cleared; the same however often it is asked. Null: no row is plain. */
  pack(): PackedRows | null {
    if (this.cells.length === 0) return null;
    this.#packed ??= {
      from: this.#first,
      to: this.#last + 1,
      index: this.#index.take(),
      line: this.#line.take(),
      cells: this.cells.toParameter(),
      fields: this.#fields.hasDocuments ? this.#fields.toParameter() : null,
      fingerprints: this.#hasFingerprints ? this.#fingerprint.take() : null,
    };
    return this.#packed;
  }

  clear(): void {
    this.cells.clear();
    this.#fields.clear();
    // What was taken is empty already; what nobody asked for is not.
    if (this.#fingerprint.length > 0) this.#fingerprint.take();
    this.odd.length = 0;
    this.#packed = null;
    this.#hasFingerprints = false;
    this.bytes = 0;
  }
}
