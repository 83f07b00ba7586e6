// Any text as a stream of UTF-8 bytes, with the way back: the offset in the original file of every line. UTF-8 passes through
// untouched (whoever uses it checks it); other encodings are converted in blocks that end at a line break, because no encoding
// we read uses the bytes of a line break for anything else, so a block never cuts a character in two.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ByteSource } from '../byte-source.ts';
import type { TableLimits } from '../limits.ts';
import { canDecode, decodeText } from './decode-text.ts';

const LF = 10;
const CR = 13;

export interface Encoding {
  /** A name that iconv-lite knows, lower case: utf-8, utf-16le, windows-1252, shift_jis … */
  readonly name: string;
  /** Bytes of the byte order mark at the start of the file; 0 when there is none. */
  readonly bomBytes: number;
}

export interface Utf8Stream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether the bytes are the file's own and therefore still have to be checked for validity. */
  readonly isOriginal: boolean;
  /** Offset in the original file of the line that starts at `position` of this stream. Positions must be asked for in order. */
  originalOffset(position: number): number;
}

export function openUtf8(source: ByteSource, encoding: Encoding, from: number, limits: TableLimits): Utf8Stream {
  const start = Math.max(from, encoding.bomBytes);
  if (encoding.name === 'utf-8') {
    return { chunks: source.open(start), isOriginal: true, originalOffset: (position) => start + position };
  }
  if (!canDecode(encoding.name)) throw new MillraceError('encoding_unknown', { encoding: encoding.name });
  const lines = new LineOffsets(start);
  return {
    chunks: convert(source.open(start), encoding.name, limits, lines),
    isOriginal: false,
    originalOffset: (position) => lines.originalOf(position),
  };
}

/** An encoding that somebody names, with the byte order mark that the file may start with. */
export function encodingNamed(name: string, head: Uint8Array): Encoding {
  const known = name
    .trim()
    .toLowerCase()
    .replace(/^utf-?8$/, 'utf-8')
    .replace(/^utf-?(16|32)-?(le|be)$/, 'utf-$1$2');
  if (!canDecode(known)) throw new MillraceError('encoding_unknown', { encoding: name });
  const marks: Readonly<Record<string, readonly number[]>> = {
    'utf-8': [0xef, 0xbb, 0xbf],
    'utf-16le': [0xff, 0xfe],
    'utf-16be': [0xfe, 0xff],
    'utf-32le': [0xff, 0xfe, 0, 0],
    'utf-32be': [0, 0, 0xfe, 0xff],
  };
  const mark = marks[known] ?? [];
  return { name: known, bomBytes: mark.every((byte, i) => head[i] === byte) ? mark.length : 0 };
}

async function* convert(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
  limits: TableLimits,
  lines: LineOffsets,
): AsyncGenerator<Uint8Array> {
  const unit = unitOf(encoding);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const cut = lastBreak(bytes, unit);
    if (cut === 0) {
      if (bytes.length > limits.maxRowBytes * 4) {
        throw new MillraceError('line_too_long', { line: lines.count + 1, limit: limits.maxRowBytes });
      }
      rest = bytes;
      continue;
    }
    rest = bytes.subarray(cut);
    yield convertBlock(bytes.subarray(0, cut), encoding, unit, lines);
  }
  if (rest.length > 0) yield convertBlock(rest, encoding, unit, lines);
}

function convertBlock(block: Buffer, encoding: string, unit: CodeUnit, lines: LineOffsets): Buffer {
  // Half a surrogate pair becomes U+FFFD here, as does every byte without a meaning; the row check then reports it.
  const converted = Buffer.from(decodeText(block, encoding), 'utf8');
  lines.add(breaks(block, unit), breaks(converted, ascii), block.length, converted.length);
  return converted;
}

interface CodeUnit {
  readonly bytes: 1 | 2 | 4;
  /** Position within the unit of the byte that holds the character's low eight bits. */
  readonly low: number;
}

const ascii: CodeUnit = { bytes: 1, low: 0 };

function unitOf(encoding: string): CodeUnit {
  if (encoding === 'utf-16le') return { bytes: 2, low: 0 };
  if (encoding === 'utf-16be') return { bytes: 2, low: 1 };
  if (encoding === 'utf-32le') return { bytes: 4, low: 0 };
  if (encoding === 'utf-32be') return { bytes: 4, low: 3 };
  return ascii;
}

function isBreak(bytes: Uint8Array, at: number, unit: CodeUnit): boolean {
  const low = bytes[at + unit.low];
  if (low !== LF && low !== CR) return false;
  for (let i = 0; i < unit.bytes; i++) if (i !== unit.low && bytes[at + i] !== 0) return false;
  return true;
}

/** Where the bytes after the last line break start; 0 when there is none. */
function lastBreak(bytes: Uint8Array, unit: CodeUnit): number {
  for (let at = bytes.length - (bytes.length % unit.bytes) - unit.bytes; at >= 0; at -= unit.bytes) {
    if (isBreak(bytes, at, unit)) return at + unit.bytes;
  }
  return 0;
}

/** Where the bytes after each line break start. CR and LF count one each: both sides of a conversion count alike. */
function breaks(bytes: Uint8Array, unit: CodeUnit): number[] {
  const found: number[] = [];
  for (let at = 0; at + unit.bytes <= bytes.length; at += unit.bytes) {
    const low = bytes[at + unit.low];
    if ((low === LF || low === CR) && isBreak(bytes, at, unit)) found.push(at + unit.bytes);
  }
  return found;
}

/** Pairs of converted and original line starts, forgotten once they have been passed. */
class LineOffsets {
  count = 0;
  #converted: number[] = [0];
  #original: number[];
  #next = 0;
  #convertedTotal = 0;
  #originalTotal: number;

  constructor(start: number) {
    this.#original = [start];
    this.#originalTotal = start;
  }

  add(
    original: readonly number[],
    converted: readonly number[],
    originalLength: number,
    convertedLength: number,
  ): void {
    if (this.#next > 4096) {
      this.#converted = this.#converted.slice(this.#next);
      this.#original = this.#original.slice(this.#next);
      this.#next = 0;
    }
    for (let i = 0; i < converted.length; i++) {
      this.#converted.push(this.#convertedTotal + (converted[i] ?? 0));
      this.#original.push(this.#originalTotal + (original[i] ?? 0));
    }
    this.count += converted.length;
    this.#convertedTotal += convertedLength;
    this.#originalTotal += originalLength;
  }

  originalOf(position: number): number {
    if (position >= this.#convertedTotal) return this.#originalTotal;
    while (this.#next + 1 < this.#converted.length && (this.#converted[this.#next + 1] ?? 0) <= position) this.#next++;
    return this.#original[this.#next] ?? this.#originalTotal;
  }
}
