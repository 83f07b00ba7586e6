// Finds the records of a JSON list, or the lines of NDJSON, in UTF-8 bytes by following brackets outside strings. It parses no record; it only
// knows where each one starts and ends, so that memory stays constant and every record has its line and offset. What stands beside or
// behind the list (other lists, values, a second document) is told as a span, never dropped; a bracket or comma that is missing or too
// many refuses the file where it is.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { TableLimits } from '../limits.ts';
import type { SetAsideReason } from '../reading-evidence.ts';
import { JsonSyntaxError, parseRecord } from './parse-record.ts';

const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const TEXT_LENGTH = 80;

/** `start`: nothing read yet. `keys`: inside the outer object. `list`: between records. `after`: behind the document. */
type State = 'start' | 'keys' | 'list' | 'lines' | 'after';

export interface RecordSpan {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** Something beside the records; offsets in the stream. */
export interface BesideSpan {
  readonly reason: SetAsideReason;
  readonly key: string | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** Its values if it is a list, else 0. */
  readonly rows: number;
  /** Those of them that are objects. */
  readonly objects: number;
  readonly text: string;
}

export interface JsonScannerOptions {
  readonly format: 'json' | 'ndjson';
  /** Key of the list in the outer object; null when the file is the list. Undefined: whichever comes first. */
  readonly recordsKey?: string | null | undefined;
  /** Start between two records of the list instead of at the start of the file. */
  readonly isResumed?: boolean;
  /** No list is the wanted one: each is told as a span with what it holds. */
  readonly isSurvey?: boolean;
  readonly line?: number;
  /** Where the stream starts in the file; for the offsets of errors. */
  readonly base?: number;
}

interface List {
  readonly key: string | null;
  readonly start: number;
  readonly line: number;
  readonly text: string;
  readonly isMain: boolean;
  rows: number;
  objects: number;
}

export class JsonScanner {
  line: number;
  /** The key under which the list was found. */
  recordsKey: string | null = null;
  readonly records: RecordSpan[] = [];
  /** Everything beside the records so far; its reader empties it. */
  readonly beside: BesideSpan[] = [];
  #state: State;
  #streamStart = 0;
  #isInObject: boolean;
  #list: List | null = null;
  #hasMain: boolean;
  /** Whether a value has ended and a comma must come before the next one. Null: not known after a resumption, either is right. */
  #needsComma: boolean | null = false;
  readonly #options: JsonScannerOptions;
  readonly #limits: TableLimits;

  constructor(options: JsonScannerOptions, limits: TableLimits) {
    this.#options = options;
    this.#limits = limits;
    this.line = options.line ?? 1;
    const isResumed = options.isResumed === true && options.format === 'json';
    this.#state = options.format === 'ndjson' ? 'lines' : isResumed ? 'list' : 'start';
    this.#isInObject = isResumed && typeof options.recordsKey === 'string';
    this.#hasMain = isResumed;
    if (!isResumed) return;
    this.#needsComma = null;
    this.#list = { key: options.recordsKey ?? null, start: 0, line: 0, text: '', isMain: true, rows: 0, objects: 0 };
  }

  /** Whether the list of records is still open, so that reading can go on behind the last of them. */
  get isInRecords(): boolean {
    return this.#state === 'lines' || (this.#state === 'list' && this.#list?.isMain === true);
  }

  /** The list that the text so far has not closed, as a span that ends here. */
  openList(): BesideSpan[] {
    if (this.#list === null) return [];
    const { isMain: _, ...told } = this.#list;
    return [{ ...told, reason: 'other_table', end: told.start }];
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
    if (this.#state === 'start') return this.#open(bytes, at);
    if (this.#state === 'after') return this.#takeSecond(bytes, at, end);
    if (bytes[at] === COMMA) return this.#takeComma(at);
    if (this.#state === 'keys') return this.#takeKey(bytes, at, end);
    return this.#takeRecord(bytes, at, end);
  }

  #open(bytes: Uint8Array, at: number): number {
    const { recordsKey, isSurvey } = this.#options;
    if (bytes[at] === OPEN_LIST && (typeof recordsKey !== 'string' || isSurvey === true)) {
      return this.#enterList(bytes, at, null, isSurvey !== true);
    }
    if (bytes[at] === OPEN_OBJECT && recordsKey !== null) {
      this.#state = 'keys';
      this.#isInObject = true;
      return at + 1;
    }
    throw this.#noRecords('it is neither a list nor an object with one');
  }

  #takeComma(at: number): number {
    if (this.#needsComma === false) throw this.#malformed(at, 'a value is missing before the comma');
    this.#needsComma = false;
    return at + 1;
  }

  #requireComma(at: number): void {
    if (this.#needsComma === true) throw this.#malformed(at, 'a comma is missing');
  }

  /** A closing bracket: not right behind a comma, unless nothing is inside. */
  #checkClose(at: number, isEmpty: boolean): void {
    if (this.#needsComma === false && !isEmpty) throw this.#malformed(at, 'a value is missing after the comma');
  }

  /** Inside the outer object: a key, its colon and its value. The wanted list is entered, every other value told. */
  #takeKey(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from] === CLOSE_OBJECT) return this.#closeObject(from);
    this.#requireComma(from);
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
    const key = textAt(bytes, from + 1, keyEnd - 1);
    if (bytes[at] === OPEN_LIST) {
      this.#countLines(bytes, from, at);
      const { recordsKey, isSurvey } = this.#options;
      const isMain = isSurvey !== true && !this.#hasMain && (recordsKey === undefined || recordsKey === key);
      return this.#enterList(bytes, at, key, isMain);
    }
    const valueEnd = this.#valueEnd(bytes, at, end);
    if (valueEnd === -1) return -1;
    this.#tell('note', key, bytes, from, valueEnd, 0);
    this.#countLines(bytes, from, valueEnd);
    this.#needsComma = true;
    return valueEnd;
  }

  #closeObject(at: number): number {
    this.#checkClose(at, !this.#hasMain && this.beside.length === 0);
    if (!this.#hasMain && this.#options.isSurvey !== true) {
      throw this.#noRecords(`it has no list under ${this.#wanted()}`);
    }
    this.#state = 'after';
    this.#isInObject = false;
    return at + 1;
  }

  #enterList(bytes: Uint8Array, at: number, key: string | null, isMain: boolean): number {
    const text = textAt(bytes, at, Math.min(bytes.length - 1, at + TEXT_LENGTH));
    this.#list = { key, start: this.#streamStart + at, line: this.line, text, isMain, rows: 0, objects: 0 };
    if (isMain) {
      this.#hasMain = true;
      this.recordsKey = key;
    }
    this.#state = 'list';
    this.#needsComma = false;
    return at + 1;
  }

  #closeList(at: number): number {
    const list = this.#list as List;
    this.#checkClose(at, list.rows === 0);
    if (!list.isMain) {
      const { isMain: _, ...told } = list;
      this.beside.push({ ...told, reason: list.rows > 0 ? 'other_table' : 'note', end: this.#streamStart + at + 1 });
    }
    this.#list = null;
    this.#state = this.#isInObject ? 'keys' : 'after';
    this.#needsComma = true;
    return at + 1;
  }

  #takeRecord(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from] === CLOSE_LIST) return this.#closeList(from);
    this.#requireComma(from);
    const recordEnd = this.#valueEnd(bytes, from, end);
    if (recordEnd === -1) return -1;
    if (recordEnd - from > this.#limits.maxRowBytes) this.#refuseLongRecord();
    const list = this.#list as List;
    list.rows++;
    if (bytes[from] === OPEN_OBJECT) list.objects++;
    if (list.isMain) this.records.push({ start: from, end: recordEnd, line: this.line });
    this.#countLines(bytes, from, recordEnd);
    this.#needsComma = true;
    return recordEnd;
  }

  /** Behind the document: another list or object is told as another table, anything else is no JSON. */
  #takeSecond(bytes: Uint8Array, from: number, end: number): number {
    if (bytes[from] === OPEN_LIST) return this.#enterList(bytes, from, null, false);
    if (bytes[from] !== OPEN_OBJECT) throw this.#malformed(from, 'text follows the end of the JSON');
    const valueEnd = this.#valueEnd(bytes, from, end);
    if (valueEnd === -1) return -1;
    this.#tell('other_table', null, bytes, from, valueEnd, 1);
    this.#countLines(bytes, from, valueEnd);
    return valueEnd;
  }

  #tell(
    reason: SetAsideReason,
    key: string | null,
    bytes: Uint8Array,
    from: number,
    to: number,
    objects: number,
  ): void {
    const text = textAt(bytes, from, Math.min(to, from + TEXT_LENGTH));
    const place = { start: this.#streamStart + from, end: this.#streamStart + to, line: this.line };
    this.beside.push({ reason, key, ...place, rows: objects, objects, text });
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
    const open: number[] = [];
    let i = from;
    while (i < end) {
      const c = bytes[i] as number;
      if (c === QUOTE) {
        i = stringEnd(bytes, i, end);
        if (i === -1) break;
        if (open.length === 0) return i;
        continue;
      }
      if (c === OPEN_OBJECT || c === OPEN_LIST) {
        open.push(c);
        if (open.length > this.#limits.maxDepth) {
          throw new MillraceError('json_too_deep', { limit: this.#limits.maxDepth, offset: this.#offset(i) });
        }
      } else if (c === CLOSE_OBJECT || c === CLOSE_LIST) {
        if (open.length === 0) {
          if (i === from) throw this.#malformed(i, 'a bracket is closed that was not opened');
          return i;
        }
        // Opening and closing brackets lie two apart in ASCII.
        if (open.pop() !== c - 2) throw this.#firstFault(bytes, from, i + 1);
        if (open.length === 0) return i + 1;
      } else if (open.length === 0 && (c === COMMA || isBlank(c))) return i;
      i++;
    }
    if (end - from > this.#limits.maxRowBytes) this.#refuseLongRecord();
    return -1;
  }

  /** The brackets do not match: where the text stops being JSON. */
  #firstFault(bytes: Uint8Array, from: number, to: number): MillraceError {
    const text = textAt(bytes, from, to);
    try {
      parseRecord(text);
    } catch (error) {
      if (error instanceof JsonSyntaxError) {
        const at = from + Buffer.byteLength(text.slice(0, error.at));
        this.#countLines(bytes, from, at);
        return this.#malformed(at, 'a bracket or a comma is missing');
      }
      throw error;
    }
    return this.#malformed(to - 1, 'the brackets do not match');
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
    if (this.#state === 'lines') return;
    const rest = this.#skipBlank(bytes, at, end);
    if (rest < end) throw this.#firstFault(bytes, rest, end);
    if (this.#state === 'after' || this.#state === 'start') return;
    throw this.#malformed(end, `the file ends inside the ${this.#state === 'list' ? 'list' : 'object'}`);
  }

  #wanted(): string {
    return typeof this.#options.recordsKey === 'string' ? `"${this.#options.recordsKey}"` : 'any key';
  }

  #noRecords(reason: string): MillraceError {
    return new MillraceError('json_no_records', { reason });
  }

  #offset(at: number): number {
    return (this.#options.base ?? 0) + this.#streamStart + at;
  }

  #malformed(at: number, reason: string): MillraceError {
    return new MillraceError('json_malformed', { offset: this.#offset(at), line: this.line, reason });
  }

  #refuseLongRecord(): never {
    throw new MillraceError('line_too_long', { line: this.line, limit: this.#limits.maxRowBytes });
  }
}

function textAt(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString('utf8');
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
