// Reads a multipart/form-data body part by part, pulling from the source: nothing is read before somebody asks for it, so a slow
// disk slows the sender down instead of filling memory. Chunks of a part are slices of what the socket gave; nothing is copied
// but the few bytes that may belong to a boundary cut in two.
//
// Written here rather than taken from busboy because parts are pulled and every limit has its own answer; it is as fast
// (see docs/decisions/0002-blobs-and-intake.md), and tests compare the two byte by byte.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { BoundarySearch } from './boundary-search.ts';
import { malformed, type PartHeaders, parsePartHeaders } from './part-headers.ts';

const doubleDash = Buffer.from('--');
const lineEnd = Buffer.from('\r\n');
const headersEnd = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
/** Before the first boundary and after the last one; nobody sends more than a line there. */
const maxMarginBytes = 16 * 1024;

export interface MultipartLimits {
  readonly maxParts: number;
  readonly maxHeaderBytes: number;
}

export interface Part extends PartHeaders {
  /** To be read at most once; what is left unread is skipped when the next part is asked for. */
  readonly body: AsyncGenerator<Buffer>;
}

export async function* readParts(
  source: AsyncIterable<Buffer>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part> {
  const scanner = new Scanner(source, boundary);
  await scanner.skipToFirstBoundary();
  for (let count = 0; await scanner.hasAnotherPart(); count += 1) {
    if (count === limits.maxParts) throw new MillraceError('upload_too_many_parts', { limit: limits.maxParts });
    const headers = parsePartHeaders(await scanner.takeHeaders(limits.maxHeaderBytes));
    const body = scanner.takeBody();
    yield { ...headers, body };
    for await (const _ of body);
  }
  await scanner.skipToEnd();
}

class Scanner {
  readonly #source: AsyncIterator<Buffer>;
  readonly #search: BoundarySearch;
  // The body starts as if a line had just ended: the first boundary needs none before it.
  #pending: Buffer = lineEnd;

  constructor(source: AsyncIterable<Buffer>, boundary: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#search = new BoundarySearch(boundary);
  }

  async skipToFirstBoundary(): Promise<void> {
    let skipped = 0;
    for await (const chunk of this.takeBody()) {
      skipped += chunk.byteLength;
      if (skipped > maxMarginBytes) throw malformed('there is no boundary at its beginning');
    }
  }

  /** Just behind a boundary: "--" ends the body, a line end begins a part. */
  async hasAnotherPart(): Promise<boolean> {
    await this.#need(2);
    if (startsWith(this.#pending, doubleDash)) return false;
    const end = await this.#find(lineEnd, 256);
    if (end === undefined || !isBlank(this.#pending.subarray(0, end)))
      throw malformed('a boundary line has text after it');
    // The line end stays: a part may have no headers, and then it is the first half of the blank line.
    this.#pending = this.#pending.subarray(end);
    return true;
  }

  async takeHeaders(maxBytes: number): Promise<Buffer> {
    const end = await this.#find(headersEnd, maxBytes);
    if (end === undefined) throw malformed(`the headers of a part are longer than ${maxBytes} bytes`);
    const headers = this.#pending.subarray(Math.min(lineEnd.byteLength, end), end);
    // The second line end stays: it may also be the one that begins a boundary, when a part has no body at all.
    this.#pending = this.#pending.subarray(end + lineEnd.byteLength);
    return headers;
  }

  /** Everything from behind the line end that is pending up to the next boundary, which is taken too. */
  async *takeBody(): AsyncGenerator<Buffer> {
    let drop = lineEnd.byteLength;
    for (;;) {
      const at = this.#search.indexIn(this.#pending);
      if (at >= 0) {
        const last = this.#pending.subarray(Math.min(drop, at), at);
        this.#pending = this.#pending.subarray(at + this.#search.delimiter.byteLength);
        if (last.byteLength > 0) yield last;
        return;
      }
      const safe = this.#pending.byteLength - this.#search.prefixAtEnd(this.#pending);
      if (safe > 0) {
        const chunk = this.#pending.subarray(drop, safe);
        this.#pending = this.#pending.subarray(safe);
        drop = 0;
        if (chunk.byteLength > 0) yield chunk;
      }
      await this.#pull();
    }
  }

  async skipToEnd(): Promise<void> {
    let skipped = this.#pending.byteLength;
    this.#pending = nothing;
    for (;;) {
      const next = await this.#source.next();
      if (next.done === true) return;
      skipped += next.value.byteLength;
      if (skipped > maxMarginBytes) throw malformed('it has text after its last part');
    }
  }

  async #find(wanted: Buffer, maxBytes: number): Promise<number | undefined> {
    for (;;) {
      const at = this.#pending.indexOf(wanted);
      if (at >= 0) return at <= maxBytes ? at : undefined;
      if (this.#pending.byteLength > maxBytes) return undefined;
      await this.#pull();
    }
  }

  async #need(bytes: number): Promise<void> {
    while (this.#pending.byteLength < bytes) await this.#pull();
  }

  async #pull(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new MillraceError('upload_truncated');
    this.#pending = this.#pending.byteLength === 0 ? next.value : Buffer.concat([this.#pending, next.value]);
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.byteLength >= start.byteLength && bytes.compare(start, 0, start.byteLength, 0, start.byteLength) === 0;
}

/** Spaces and tabs after a boundary are allowed padding. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}
