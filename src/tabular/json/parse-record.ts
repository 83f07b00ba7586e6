// Turns one JSON record into named texts. Numbers keep the digits they were written with (an id of 18 digits does not survive
// JSON.parse), nested objects become dotted names, lists keep their JSON, null is an empty cell.

import { storableText } from '../../platform/storable-text.ts';

const MAX_DEPTH = 64;

/** Thrown for text that is not JSON; never leaves the JSON reader. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    /** The character at which the text stops being JSON. */
    readonly at: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Thrown for a record that gives one name two values: a key twice, or `a.b` beside `{a:{b}}`. Which one is meant cannot be told. */
export class RepeatedKeyError extends Error {}

/** Name and text of each value, in order; null when the record is not an object. */
export function parseRecord(json: string): Map<string, string> | null {
  const parser = new RecordParser(json);
  return parser.parse();
}

class RecordParser {
  readonly #json: string;
  /** Names of the objects inside the record; most records have none. */
  readonly #objects = new Set<string>();
  #repeated: string | null = null;
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  parse(): Map<string, string> | null {
    this.#blank();
    const isObject = this.#json.charAt(this.#at) === '{';
    const values = new Map<string, string>();
    if (isObject) this.#object('', values, 1);
    else this.#skipValue(1);
    this.#blank();
    if (this.#at !== this.#json.length) throw new JsonSyntaxError('text follows the value', this.#at);
    // Told last, so that text that is no JSON at all is told as that.
    if (this.#repeated !== null) throw new RepeatedKeyError(this.#repeated);
    return isObject ? values : null;
  }

  #object(prefix: string, values: Map<string, string>, depth: number): void {
    this.#expect('{');
    this.#blank();
    if (this.#take('}')) return;
    for (;;) {
      this.#blank();
      const key = this.#key();
      this.#blank();
      this.#expect(':');
      this.#blank();
      this.#member(prefix === '' ? key : `${prefix}.${key}`, values, depth);
      this.#blank();
      if (this.#take('}')) return;
      this.#expect(',');
    }
  }

  /** A name that can be stored: only an escape can write what the database does not hold. */
  #key(): string {
    const from = this.#at;
    const text = this.#string();
    return this.#at - from === text.length + 2 ? text : storableText(text);
  }

  #member(name: string, values: Map<string, string>, depth: number): void {
    if (depth > MAX_DEPTH) throw new JsonSyntaxError('too deep', this.#at);
    if (values.has(name) || (this.#objects.size > 0 && this.#objects.has(name))) this.#repeated ??= name;
    const c = this.#json.charAt(this.#at);
    if (c === '"') values.set(name, this.#string());
    else if (c === '{') {
      this.#objects.add(name);
      this.#object(name, values, depth + 1);
    } else {
      const start = this.#at;
      this.#skipValue(depth);
      const text = this.#json.slice(start, this.#at);
      values.set(name, text === 'null' ? '' : text);
    }
  }

  #skipValue(depth: number): void {
    if (depth > MAX_DEPTH) throw new JsonSyntaxError('too deep', this.#at);
    const c = this.#json.charAt(this.#at);
    if (c === '"') this.#string();
    else if (c === '{') this.#skipObject(depth + 1);
    else if (c === '[') this.#list(depth);
    else this.#literal();
  }

  /** Inside a list, which is kept as JSON: its keys are nobody's columns. */
  #skipObject(depth: number): void {
    const before = this.#repeated;
    const outer = new Set(this.#objects);
    this.#objects.clear();
    this.#object('', new Map(), depth);
    this.#objects.clear();
    for (const name of outer) this.#objects.add(name);
    this.#repeated = before;
  }

  #list(depth: number): void {
    this.#expect('[');
    this.#blank();
    if (this.#take(']')) return;
    for (;;) {
      this.#blank();
      this.#skipValue(depth + 1);
      this.#blank();
      if (this.#take(']')) return;
      this.#expect(',');
    }
  }

  #literal(): void {
    literal.lastIndex = this.#at;
    const match = literal.exec(this.#json);
    if (match === null) throw new JsonSyntaxError('unexpected text', this.#at);
    this.#at += match[0].length;
  }

  #string(): string {
    if (this.#json.charAt(this.#at) !== '"') throw new JsonSyntaxError('a string is missing', this.#at);
    const start = this.#at + 1;
    let hasEscapes = false;
    for (let i = start; i < this.#json.length; i++) {
      const c = this.#json.charCodeAt(i);
      if (c === 34) {
        this.#at = i + 1;
        return hasEscapes ? this.#unescaped(start - 1, i + 1) : this.#json.slice(start, i);
      }
      if (c === 92) {
        hasEscapes = true;
        i++;
      } else if (c < 32) throw new JsonSyntaxError('a control character stands in a string', i);
    }
    throw new JsonSyntaxError('a string is not closed', this.#json.length);
  }

  #unescaped(start: number, end: number): string {
    try {
      return String(JSON.parse(this.#json.slice(start, end)));
    } catch (cause) {
      throw new JsonSyntaxError('an escape is not valid', start, { cause });
    }
  }

  #blank(): void {
    while (' \n\r\t'.includes(this.#json.charAt(this.#at)) && this.#at < this.#json.length) this.#at++;
  }

  #take(sign: string): boolean {
    if (this.#json.charAt(this.#at) !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new JsonSyntaxError(`"${sign}" is missing`, this.#at);
  }
}

const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
