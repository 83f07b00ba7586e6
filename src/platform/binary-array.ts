// Columns of values as Postgres binary arrays, for `insert … select unnest($1::int4[]), unnest($2::text[]) …`. This is the bulk
// load under row-level security, where COPY is refused: the driver sends a Buffer in binary format, the server reads it with
// array_recv, and no temporary table is written and read again.
//
// A builder is filled row by row, turned into a Buffer once per flush and used again. It has two pieces of memory and fills one while the
// other is being sent: a copy per flush left the process with holes. Numbers are exact: numeric is written from decimal text, never
// through a float.

const HEADER_BYTES = 20;
const INITIAL_BYTES = 64 * 1024;
/** Days between 1970-01-01 and Postgres's day zero, 2000-01-01. */
const POSTGRES_EPOCH_DAYS = 10_957;
const DAY_MS = 86_400_000;

const oids = { bool: 16, int8: 20, int4: 23, text: 25, date: 1082, numeric: 1700, uuid: 2950 } as const;
export type ElementType = keyof typeof oids;

/** Node's own writing, without the argument checks of write. */
interface FastBuffer extends Buffer {
  utf8Write(text: string, offset: number): number;
}

export class BinaryArray {
  readonly type: ElementType;
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES) as FastBuffer;
  /** Over the same bytes: integers are written without the checks of Buffer, which cost as much as the rest of a push. */
  #view = viewOf(this.#buffer);
  /** What was taken last, to be filled again after the next take. */
  #lent: FastBuffer | undefined;
  #at = HEADER_BYTES;
  #count = 0;
  #hasNull = false;

  constructor(type: ElementType) {
    this.type = type;
  }

  get length(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#at;
  }

  pushNull(): void {
    this.#reserve(4);
    this.#view.setInt32(this.#at, -1);
    this.#at += 4;
    this.#hasNull = true;
    this.#count++;
  }

  pushInt4(value: number): void {
    this.#reserve(8);
    this.#view.setInt32(this.#at, 4);
    this.#view.setInt32(this.#at + 4, value);
    this.#at += 8;
    this.#count++;
  }

  /** A safe integer. */
  pushInt8(value: number): void {
    this.#reserve(12);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#view.setInt32(this.#at, 8);
    this.#view.setInt32(this.#at + 4, high);
    this.#view.setUint32(this.#at + 8, value - high * 0x1_0000_0000);
    this.#at += 12;
    this.#count++;
  }

  /** Digits, perhaps with a leading minus, of a safe integer. */
  pushWhole(text: string): void {
    const isNegative = text.charCodeAt(0) === 45;
    const magnitude = digitsOf(text, isNegative ? 1 : 0, text.length);
    this.pushInt8(isNegative ? -magnitude : magnitude);
  }

  pushBool(value: boolean): void {
    this.#reserve(5);
    this.#at = this.#buffer.writeInt32BE(1, this.#at);
    this.#at = this.#buffer.writeUInt8(value ? 1 : 0, this.#at);
    this.#count++;
  }

  pushText(value: string): void {
    // Three bytes per UTF-16 unit at the most.
    this.#reserve(4 + value.length * 3);
    const written = this.#buffer.utf8Write(value, this.#at + 4);
    this.#view.setInt32(this.#at, written);
    this.#at += 4 + written;
    this.#count++;
  }

  /** YYYY-MM-DD as days since 2000-01-01; see `postgresDay`. */
  pushDay(day: number): void {
    this.pushInt4(day);
  }

  /** Canonical decimal text: digits, at most one point, a leading minus. */
  pushNumeric(value: string): void {
    const isNegative = value.charCodeAt(0) === 45;
    const start = isNegative ? 1 : 0;
    const point = value.indexOf('.');
    const wholeEnd = point === -1 ? value.length : point;
    const scale = point === -1 ? 0 : value.length - point - 1;
    const wholeGroups = Math.ceil((wholeEnd - start) / 4);
    const fractionGroups = Math.ceil(scale / 4);
    this.#reserve(12 + (wholeGroups + fractionGroups) * 2);
    const view = this.#view;
    const digitsAt = this.#at + 12;
    let at = digitsAt;
    let weight = wholeGroups - 1;
    let end = wholeEnd - (wholeGroups - 1) * 4;
    for (let group = 0, from = start; group < wholeGroups; group++, from = end, end += 4) {
      const digit = digitsOf(value, from, end);
      // Leading zero groups are not stored; the weight says how far left the first stored one stands.
      if (digit === 0 && at === digitsAt) weight--;
      else {
        view.setInt16(at, digit);
        at += 2;
      }
    }
    for (let group = 0; group < fractionGroups; group++) {
      const from = point + 1 + group * 4;
      const to = Math.min(from + 4, value.length);
      const digit = digitsOf(value, from, to) * (POWERS[4 - (to - from)] as number);
      if (digit === 0 && at === digitsAt) weight--;
      else {
        view.setInt16(at, digit);
        at += 2;
      }
    }
    while (at > digitsAt && view.getInt16(at - 2) === 0) at -= 2;
    const count = (at - digitsAt) / 2;
    view.setInt32(this.#at, 8 + count * 2);
    view.setInt16(this.#at + 4, count);
    view.setInt16(this.#at + 6, count === 0 ? 0 : weight);
    view.setUint16(this.#at + 8, isNegative && count > 0 ? 0x4000 : 0);
    view.setInt16(this.#at + 10, scale);
    this.#at = at;
    this.#count++;
  }

  /** The array as a parameter, valid until the next take. The builder is empty afterwards. */
  take(): Buffer {
    const out = this.#buffer.subarray(0, this.#at);
    out.writeInt32BE(1, 0);
    out.writeInt32BE(this.#hasNull ? 1 : 0, 4);
    out.writeInt32BE(oids[this.type], 8);
    out.writeInt32BE(this.#count, 12);
    out.writeInt32BE(1, 16);
    this.#at = HEADER_BYTES;
    this.#count = 0;
    this.#hasNull = false;
    const next = this.#lent ?? (Buffer.allocUnsafeSlow(this.#buffer.length) as FastBuffer);
    this.#lent = this.#buffer;
    this.#buffer = next;
    this.#view = viewOf(next);
    return out;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes)) as FastBuffer;
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** Days since 2000-01-01 of a valid YYYY-MM-DD. */
export function postgresDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS - POSTGRES_EPOCH_DAYS;
}

/** `postgresDay` for files that repeat their days: it parses each of the first `limit` days once. */
export function rememberDays(limit: number): (date: string) => number {
  const days = new Map<string, number>();
  return (date) => {
    const known = days.get(date);
    if (known !== undefined) return known;
    const day = postgresDay(date);
    if (days.size < limit) days.set(date, day);
    return day;
  };
}

const POWERS = [1, 10, 100, 1000, 10_000];

function digitsOf(text: string, from: number, to: number): number {
  let value = 0;
  // The digit first: adding the whole code would leave the safe integers on the way.
  for (let i = from; i < to; i++) value = value * 10 + (text.charCodeAt(i) - 48);
  return value;
}
