// Just enough XML for the parts of a workbook: elements, attributes, text, CDATA, the five named entities and character
// references, in chunks of any size. Document types are refused, so there are no entities to expand. Names lose their prefix.
import { MillraceError } from '../../contract/errors/millrace-error.ts';

export interface XmlHandler {
  /** `attributes` is the raw text between the name and the end of the tag; see `attributeOf`. */
  open?(name: string, attributes: string): void;
  text?(text: string): void;
  close?(name: string): void;
}

const MAX_TAG_LENGTH = 1024 * 1024;

export class XmlEvents {
  readonly #handler: XmlHandler;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #rest = '';

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  write(chunk: Uint8Array): void {
    this.#run(this.#rest + this.#decode(chunk, true), false);
  }

  end(): void {
    this.#run(this.#rest + this.#decode(new Uint8Array(0), false), true);
  }

  #decode(chunk: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(chunk, { stream });
    } catch {
      throw malformed('a part of it is not UTF-8');
    }
  }

  #run(xml: string, final: boolean): void {
    let at = 0;
    for (;;) {
      const tag = xml.indexOf('<', at);
      if (tag === -1) {
        // Text may be handed over in pieces, but an entity must not be cut in two.
        const cut = final ? xml.length : safeCut(xml, at);
        if (cut > at) this.#text(xml.slice(at, cut));
        this.#rest = xml.slice(cut);
        return;
      }
      if (tag > at) this.#text(xml.slice(at, tag));
      const next = this.#tag(xml, tag);
      if (next === -1) {
        if (final) throw malformed('a part of it ends inside a tag');
        if (xml.length - tag > MAX_TAG_LENGTH) throw malformed('a tag is too long');
        this.#rest = xml.slice(tag);
        return;
      }
      at = next;
    }
  }

  /** Handles the tag at `at` and returns where the text after it starts, or -1 when it is not complete. */
  #tag(xml: string, at: number): number {
    const sign = xml.charCodeAt(at + 1);
    if (sign === 47) {
      const end = xml.indexOf('>', at);
      if (end === -1) return -1;
      this.#handler.close?.(localName(xml.slice(at + 2, end).trimEnd()));
      return end + 1;
    }
    if (sign === 33) return this.#declaration(xml, at);
    if (sign === 63) return after(xml, '?>', at);
    const end = tagEnd(xml, at + 1);
    if (end === -1) return -1;
    const isClosed = xml.charCodeAt(end - 1) === 47;
    const inner = xml.slice(at + 1, isClosed ? end - 1 : end);
    const nameEnd = inner.search(/[\s]/);
    const name = localName(nameEnd === -1 ? inner : inner.slice(0, nameEnd));
    this.#handler.open?.(name, nameEnd === -1 ? '' : inner.slice(nameEnd));
    if (isClosed) this.#handler.close?.(name);
    return end + 1;
  }

  #declaration(xml: string, at: number): number {
    if (xml.startsWith('<!--', at)) return after(xml, '-->', at);
    if (xml.startsWith('<![CDATA[', at)) {
      const end = xml.indexOf(']]>', at);
      if (end === -1) return -1;
      this.#handler.text?.(xml.slice(at + 9, end));
      return end + 3;
    }
    if (xml.length - at < 9) return -1;
    throw malformed('it declares a document type');
  }

  #text(raw: string): void {
    if (this.#handler.text !== undefined) this.#handler.text(decodeEntities(raw));
  }
}

/** The value of an attribute, whatever its prefix; null when it is not there. */
export function attributeOf(attributes: string, name: string): string | null {
  const found = new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found === null ? null : decodeEntities(found[1] ?? found[2] ?? '');
}

/** Cells write characters that XML cannot hold as _x000D_. What would be half a character stays as written. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  const decoded = text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /\p{Cs}/u.test(decoded) ? text : decoded;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w+);/gi, (_, entity: string) => {
    if (!entity.startsWith('#')) {
      const character = named[entity];
      if (character === undefined) throw malformed('it uses an entity that is not defined');
      return character;
    }
    const isHex = entity[1] === 'x' || entity[1] === 'X';
    const code = Number.parseInt(entity.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw malformed('it refers to a character that does not exist');
    return String.fromCodePoint(code);
  });
}

/** A `>` inside an attribute's quotes does not end the tag. */
function tagEnd(xml: string, from: number): number {
  let quote = 0;
  for (let i = from; i < xml.length; i++) {
    const c = xml.charCodeAt(i);
    if (quote !== 0) {
      if (c === quote) quote = 0;
    } else if (c === 34 || c === 39) quote = c;
    else if (c === 62) return i;
  }
  return -1;
}

function safeCut(xml: string, from: number): number {
  const amp = xml.lastIndexOf('&');
  return amp >= from && xml.length - amp < 12 && !xml.includes(';', amp) ? amp : xml.length;
}

function after(xml: string, mark: string, at: number): number {
  const end = xml.indexOf(mark, at);
  return end === -1 ? -1 : end + mark.length;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

function malformed(reason: string): MillraceError {
  return new MillraceError('spreadsheet_damaged', { reason });
}
