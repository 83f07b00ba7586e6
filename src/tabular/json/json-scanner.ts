// Finds the records of a JSON list, or the lines of NDJSON, in UTF-8 bytes by counting brackets outside strings. It parses no
// record; it only knows where each one starts and ends, so that memory stays constant and every record has its line and offset.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { TableLimits } from '../limits.ts';

const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** `start`: nothing read yet. `keys`: inside the outer object, looking for the list. `list`: between records. */
type State = 'start' | 'keys' | 'list' | 'lines' | 'done';

export interface RecordSpan {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface JsonScannerOptions {
  readonly format: 'json' | 'ndjson';
  /** Key of the list in the outer object; null when the file is the list. Undefined: whichever comes first. */
  readonly recordsKey?: string | null | undefined;
  /** Start between two records of the list instead of at the start of the file. */
  readonly isResumed?: boolean;
  readonly line?: number;
}

export class JsonScanner {
  line: number;
  /** The key under which the list was found. */
  recordsKey: string | null = null;
  readonly records: RecordSpan[] = [];
  #state: State;
  #streamStart = 0;
  readonly #options: JsonScannerOptions;
  readonly #limits: TableLimits;

  constructor(options: JsonScannerOptions, limits: TableLimits) {
    this.#options = options;
    this.#limits = limits;
    this.line = options.line ?? 1;
    this.#state = options.format === 'ndjson' ? 'lines' : options.isResumed === true ? 'list' : 'start';
  }

  /** Scans up to `end` and returns where the first unfinished piece starts. */
  scan(bytes: Uint8Array, end: number, final: boolean, streamStart: number): number {
    this.records.length = 0;
    this.#streamStart = streamStart;
    let at = 0;
    for (;;) {
      const line = this.line;
      const next = this.#step(bytes, at, end, final);
      if (next === -1) {
        // The blanks before the unfinished piece will be seen again.
        this.line = line;
        break;
      }
      at = next;
      if (at >= end) break;
    }
    if (final) this.#checkEnd(bytes, at, end);
    return at;
  }

  /** One step; -1 when more bytes are needed. */
  #step(bytes: Uint8Array, from: number, end: number, final: boolean): number {
    if (this.#state === 'lines') return this.#takeLine(bytes, from, end, final);
    const at = this.#skipBlank(bytes, from, end);
    if (at === end) return end;
    if (this.#state === 'done') return at + 1;
    if (this.#state === 'start') return this.#open(bytes, at);
    if (this.#state === 'keys') return this.#takeKey(bytes, at, end);
    return this.#takeRecord(bytes, at, end);
  }

  #open(bytes: Uint8Array, at: number): number {
    if (bytes[at] === OPEN_LIST && typeof this.#options.recordsKey !== 'string') this.#state = 'list';
    else if (bytes[at] === OPEN_OBJECT && this.#options.recordsKey !== null) this.#state = 'keys';
    else throw this.#noRecords('it is neither a list nor an object with one');
    return at + 1;
  }

  /** Inside the outer object: a key, its colon and its value. The wanted list is entered, every other value skipped. */
  #takeKey(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from] === COMMA) return from + 1;
    if (bytes[from] === CLOSE_OBJECT) throw this.#noRecords(`it has no list under ${this.#wanted()}`);
    if (bytes[from] !== QUOTE) throw this.#malformed(from, 'a key is missing');
    const keyEnd = this.#valueEnd(bytes, from, end);
    if (keyEnd === -1) return -1;
    let at = keyEnd;
    while (at < end && isBlank(bytes[at] as number)) at++;
    if (at === end) return -1;
    if (bytes[at] !== COLON) throw this.#malformed(at, 'a colon is missing');
    at++;
    while (at < end && isBlank(bytes[at] as number)) at++;
    if (at === end) return -1;
    const key = Buffer.from(bytes.buffer, bytes.byteOffset + from + 1, keyEnd - from - 2).toString('utf8');
    if (bytes[at] === OPEN_LIST && (this.#options.recordsKey === undefined || this.#options.recordsKey === key)) {
      this.recordsKey = key;
      this.#state = 'list';
      this.#countLines(bytes, from, at);
      return at + 1;
    }
    const valueEnd = this.#valueEnd(bytes, at, end);
    if (valueEnd !== -1) this.#countLines(bytes, from, valueEnd);
    return valueEnd;
  }

  #takeRecord(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from] === COMMA) return from + 1;
    if (bytes[from] === CLOSE_LIST) {
      this.#state = 'done';
      return from + 1;
    }
    const recordEnd = this.#valueEnd(bytes, from, end);
    if (recordEnd === -1) return -1;
    if (recordEnd - from > this.#limits.maxRowBytes) this.#refuseLongRecord();
    this.records.push({ start: from, end: recordEnd, line: this.line });
    this.#countLines(bytes, from, recordEnd);
    return recordEnd;
  }

  #takeLine(bytes: Uint8Array, from: number, end: number, final: boolean): number {
    const at = this.#skipBlank(bytes, from, end);
    if (at === end) return final ? end : at;
    let lineEnd = bytes.indexOf(LF, at);
    if (lineEnd === -1 || lineEnd > end) lineEnd = end;
    if (lineEnd - at > this.#limits.maxRowBytes) this.#refuseLongRecord();
    if (lineEnd === end && !final) return -1;
    let recordEnd = lineEnd;
    while (recordEnd > at && isBlank(bytes[recordEnd - 1] as number)) recordEnd--;
    this.records.push({ start: at, end: recordEnd, line: this.line });
    return lineEnd;
  }

  /** Where the value that starts at `from` ends, or -1 when it goes on beyond `end`. */
  #valueEnd(bytes: Uint8Array, from: number, end: number): number {
    let depth = 0;
    let i = from;
    while (i < end) {
      const c = bytes[i] as number;
      if (c === QUOTE) {
        i = stringEnd(bytes, i, end);
        if (i === -1) break;
        if (depth === 0) return i;
        continue;
      }
      if (c === OPEN_OBJECT || c === OPEN_LIST) {
        if (++depth > this.#limits.maxDepth) {
          throw new MillraceError('json_too_deep', { limit: this.#limits.maxDepth, offset: this.#streamStart + i });
        }
      } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
        if (depth === 0) {
          if (i === from) throw this.#malformed(i, 'a bracket is closed that was not opened');
          return i;
        }
        if (--depth === 0) return i + 1;
      } else if (depth === 0 && (c === COMMA || isBlank(c))) return i;
      i++;
    }
    if (end - from > this.#limits.maxRowBytes) this.#refuseLongRecord();
    return -1;
  }

  #skipBlank(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    while (at < end && isBlank(bytes[at] as number)) {
      if (bytes[at] === LF) this.line++;
      at++;
    }
    return at;
  }

  #countLines(bytes: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) if (bytes[i] === LF) this.line++;
  }

  #checkEnd(bytes: Uint8Array, at: number, end: number): void {
    if (this.#state === 'lines' || this.#state === 'done') return;
    const rest = this.#skipBlank(bytes, at, end);
    if (this.#state === 'start' && rest === end) return;
    throw this.#malformed(end, 'the file ends inside the list');
  }

  #wanted(): string {
    return typeof this.#options.recordsKey === 'string' ? `"${this.#options.recordsKey}"` : 'any key';
  }

  #noRecords(reason: string): MillraceError {
    return new MillraceError('json_no_records', { reason });
  }

  #malformed(at: number, reason: string): MillraceError {
    return new MillraceError('json_malformed', { offset: this.#streamStart + at, line: this.line, reason });
  }

  #refuseLongRecord(): never {
    throw new MillraceError('line_too_long', { line: this.line, limit: this.#limits.maxRowBytes });
  }
}

/** Position after the closing quote of the string that starts at `from`, or -1. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from + 1; i < end; i++) {
    const c = bytes[i];
    if (c === BACKSLASH) i++;
    else if (c === QUOTE) return i + 1;
  }
  return -1;
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === LF || byte === 13 || byte === 9;
}
