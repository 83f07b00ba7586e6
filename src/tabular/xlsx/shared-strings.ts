// The distinct texts of a workbook. They are kept as bytes outside the heap, one after another, because a few million small
// strings are what makes reading large workbooks run out of memory.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { decodeEscapes, XmlEvents } from './xml-events.ts';
import type { ZipArchive } from './zip-archive.ts';

export class SharedStrings {
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #ends = new Uint32Array(1 << 12);
  #used = 0;
  #count = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(text: string): void {
    const length = Buffer.byteLength(text);
    // Four bytes stand for what an entry itself costs, so that a flood of empty texts has an end as well.
    if (this.#used + length + this.#count * 4 > this.#maxBytes) {
      throw new MillraceError('spreadsheet_too_large', { reason: `its texts take over ${this.#maxBytes} bytes` });
    }
    if (this.#used + length > this.#bytes.length) this.#growBytes(this.#used + length);
    if (this.#count === this.#ends.length) this.#growEnds();
    this.#used += this.#bytes.write(text, this.#used);
    this.#ends[this.#count++] = this.#used;
  }

  get(index: number): string | null {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return null;
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    return this.#bytes.toString('utf8', start, this.#ends[index]);
  }

  #growBytes(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }

  #growEnds(): void {
    const larger = new Uint32Array(this.#ends.length * 2);
    larger.set(this.#ends);
    this.#ends = larger;
  }
}

export async function readSharedStrings(
  zip: ZipArchive,
  path: string | null,
  maxBytes: number,
): Promise<SharedStrings> {
  const strings = new SharedStrings(maxBytes);
  // A workbook without any text has no such part; one that names it and lacks it has lost its texts.
  if (path === null) return strings;
  if (!zip.has(path))
    throw new MillraceError('spreadsheet_damaged', { reason: `the part with its texts (${path}) is missing` });
  let text = '';
  let isInText = false;
  let isPhonetic = false;
  const events = new XmlEvents({
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isInText = !isPhonetic;
    },
    text: (piece) => {
      if (!isInText) return;
      text += piece;
      if (text.length > maxBytes)
        throw new MillraceError('spreadsheet_too_large', { reason: 'one of its texts is too long' });
    },
    close: (name) => {
      if (name === 't') isInText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') strings.add(decodeEscapes(text));
    },
  });
  for await (const chunk of zip.read(path)) events.write(chunk);
  events.end();
  return strings;
}
