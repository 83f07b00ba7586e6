// Documents of JSON as one Postgres array of json or jsonb, written byte by byte: cells of a file are bytes already, and no string is made of them on the way. What it holds
// is what `JSON.stringify` would have made, with what Postgres cannot hold replaced (storable-text.ts).
import { storableText } from './storable-text.ts';

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const INITIAL_BYTES = 64 * 1024;
const oids = { json: 114, jsonb: 3802 } as const;
const VERSION = 1;
/** Of one byte at most: \u001f. */
const MOST_PER_BYTE = 6;

const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PLAIN = 32;
const HEX = Buffer.from('0123456789abcdef');
/** Of control characters the ones with a letter: \b \t \n \f \r. */
const letters = new Map([
  [8, 98],
  [9, 116],
  [10, 110],
  [12, 102],
  [13, 114],
]);

export class JsonArray {
  readonly #type: 'json' | 'jsonb';
  /** What stands before a document: its length and, of jsonb, the version of the format. */
  readonly #headBytes: number;
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #at = HEADER_BYTES;
  #start = HEADER_BYTES;
  #count = 0;
  #nulls = 0;

  constructor(type: 'json' | 'jsonb') {
    this.#type = type;
    this.#headBytes = LENGTH_BYTES + (type === 'jsonb' ? 1 : 0);
  }

  get length(): number {
    return this.#count;
  }

  get hasDocuments(): boolean {
    return this.#nulls < this.#count;
  }

  /** The documents so far, and what stands of the one that was begun last. */
  get bytes(): Buffer {
    return this.#buffer;
  }

  /** Where the document that was begun last starts and ends in `bytes`. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#at;
  }

  pushNull(): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32BE(-1, this.#at);
    this.#count += 1;
    this.#nulls += 1;
  }

  pushJson(json: string): void {
    this.begin();
    this.#reserve(json.length * 3);
    this.#at += this.#buffer.write(json, this.#at);
    this.finish();
  }

  /** What is written from here on is one document: `finish` keeps it, `drop` does not. */
  begin(): void {
    this.#reserve(this.#headBytes);
    this.#start = this.#at + this.#headBytes;
    this.#at = this.#start;
  }

  /** JSON as it stands. */
  write(json: Uint8Array): void {
    this.#reserve(json.length);
    const [buffer, at] = [this.#buffer, this.#at];
    // A few bytes each: copying them here is faster than asking for it.
    for (let i = 0; i < json.length; i += 1) buffer[at + i] = json[i] as number;
    this.#at = at + json.length;
  }

  /** Between quotes: text that is valid UTF-8 without NUL. */
  writeUtf8(source: Uint8Array, from: number, to: number): void {
    this.#reserve((to - from) * MOST_PER_BYTE);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let i = from; i < to; i += 1) {
      const byte = source[i] as number;
      if (byte >= FIRST_PLAIN && byte !== QUOTE && byte !== BACKSLASH) buffer[at++] = byte;
      else at = escaped(buffer, at, byte);
    }
    this.#at = at;
  }

  /** Between quotes: any text. */
  writeText(text: string): void {
    const json = JSON.stringify(storableText(text));
    this.#reserve(json.length * 3);
    this.#at += this.#buffer.write(json.slice(1, -1), this.#at);
  }

  finish(): void {
    const head = this.#start - this.#headBytes;
    this.#buffer.writeInt32BE(this.#at - head - LENGTH_BYTES, head);
    if (this.#type === 'jsonb') this.#buffer[this.#start - 1] = VERSION;
    this.#count += 1;
  }

  /** The document that was begun is none; what stood of it. */
  drop(): string {
    const json = this.#buffer.toString('utf8', this.#start, this.#at);
    this.#at = this.#start - this.#headBytes;
    return json;
  }

  /** As a parameter: valid until it is cleared. */
  toParameter(): Buffer {
    this.#buffer.writeInt32BE(1, 0);
    this.#buffer.writeInt32BE(this.#nulls > 0 ? 1 : 0, 4);
    this.#buffer.writeInt32BE(oids[this.#type], 8);
    this.#buffer.writeInt32BE(this.#count, 12);
    this.#buffer.writeInt32BE(1, 16);
    return this.#buffer.subarray(0, this.#at);
  }

  clear(): void {
    this.#at = HEADER_BYTES;
    this.#start = HEADER_BYTES;
    this.#count = 0;
    this.#nulls = 0;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

function escaped(buffer: Uint8Array, from: number, byte: number): number {
  let at = from;
  buffer[at++] = BACKSLASH;
  const letter = byte < FIRST_PLAIN ? letters.get(byte) : byte;
  if (letter !== undefined) {
    buffer[at++] = letter;
    return at;
  }
  for (const each of [117, 48, 48, HEX[byte >> 4] as number, HEX[byte & 15] as number]) buffer[at++] = each;
  return at;
}
