// A zip archive on disk, read entry by entry. Sizes in it are claims: what an entry unpacks to is counted while it unpacks, its
// checksum verified, overlapping entries refused. Nothing is held in memory but the directory.
import type { FileHandle } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { SpreadsheetLimits } from '../limits.ts';

const END_RECORD = 0x06054b50;
const END_RECORD_64 = 0x06064b50;
const END_LOCATOR_64 = 0x07064b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_SEARCH_BYTES = 65_557;
const READ_BYTES = 64 * 1024;
const RATIO_GRACE_BYTES = 16 * 1024 * 1024;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly headerOffset: number;
}

export class ZipArchive {
  readonly #file: FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limits: SpreadsheetLimits;
  readonly #read = new Set<string>();
  #inflatedBytes = 0;
  /** Of the whole file. */
  readonly bytes: number;

  private constructor(file: FileHandle, bytes: number, entries: ReadonlyMap<string, Entry>, limits: SpreadsheetLimits) {
    this.#file = file;
    this.bytes = bytes;
    this.#entries = entries;
    this.#limits = limits;
  }

  static async open(file: FileHandle, limits: SpreadsheetLimits): Promise<ZipArchive> {
    const { size } = await file.stat();
    const directory = await readDirectory(file, size);
    const entries = parseDirectory(directory.bytes, directory.count, limits);
    refuseOverlaps(entries, directory.offset);
    const byName = new Map<string, Entry>();
    for (const entry of entries) {
      if (byName.has(partName(entry.name))) throw damaged(`${entry.name} is in it twice`);
      byName.set(partName(entry.name), entry);
    }
    return new ZipArchive(file, size, byName, limits);
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  /** Of every part, in small letters. */
  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** How many parts there are, folders not counted, and how many of them have been read. */
  get counts(): { readonly all: number; readonly read: number } {
    const parts = [...this.#entries.keys()].filter((name) => !name.endsWith('/'));
    return { all: parts.length, read: parts.filter((name) => this.#read.has(name)).length };
  }

  /** What a part takes of the file, with the header in front of it. */
  async packedBytes(name: string): Promise<number> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) return 0;
    return (await this.#contentStart(entry)) - entry.headerOffset + entry.packedBytes;
  }

  /** The unpacked bytes of an entry. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(partName(name));
    if (entry === undefined) throw damaged(`${name} is missing`);
    if (entry.isEncrypted) throw new MillraceError('spreadsheet_encrypted');
    if (entry.method !== 0 && entry.method !== 8) throw damaged(`${name} is packed in an unknown way`);
    this.#read.add(partName(name));
    const start = await this.#contentStart(entry);
    const packed = this.#packed(start, entry.packedBytes);
    const unpacked = entry.method === 0 ? packed : inflate(packed);
    let crc = 0;
    let bytes = 0;
    for await (const chunk of unpacked) {
      bytes += chunk.length;
      this.#inflatedBytes += chunk.length;
      this.#checkSize(bytes, entry.packedBytes);
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (crc >>> 0 !== entry.crc) throw damaged(`the checksum of ${name} is wrong`);
  }

  /** A small entry as text. */
  async readText(name: string, maxBytes: number): Promise<string> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of this.read(name)) {
      length += part.length;
      if (length > maxBytes)
        throw new MillraceError('spreadsheet_too_large', { reason: `${name} is over ${maxBytes} bytes` });
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  #checkSize(bytes: number, packedBytes: number): void {
    const { maxInflatedBytes, maxInflateRatio } = this.#limits;
    if (this.#inflatedBytes > maxInflatedBytes) {
      throw new MillraceError('spreadsheet_too_large', { reason: `over ${maxInflatedBytes} bytes when unpacked` });
    }
    if (bytes > RATIO_GRACE_BYTES && bytes > packedBytes * maxInflateRatio) {
      throw new MillraceError('spreadsheet_too_large', {
        reason: `it unpacks to over ${maxInflateRatio} times its size`,
      });
    }
  }

  async #contentStart(entry: Entry): Promise<number> {
    const header = await readExactly(this.#file, entry.headerOffset, 30);
    if (header.readUInt32LE(0) !== LOCAL_HEADER) throw damaged(`${entry.name} does not start where the directory says`);
    return entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  }

  async *#packed(start: number, length: number): AsyncGenerator<Buffer> {
    for (let at = start; at < start + length; at += READ_BYTES) {
      yield await readExactly(this.#file, at, Math.min(READ_BYTES, start + length - at));
    }
  }
}

/** Parts are found whatever the letter case in which they are named. */
function partName(name: string): string {
  return name.toLowerCase();
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: READ_BYTES });
  const feeding = feed(packed, inflater);
  // The reason is reported by the loop below or by the await after it; without this it would count as unhandled meanwhile.
  feeding.catch(() => undefined);
  try {
    for await (const chunk of inflater) yield chunk as Buffer;
    await feeding;
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw damaged(error instanceof Error ? error.message : 'it does not unpack');
  } finally {
    inflater.destroy();
  }
}

async function feed(packed: AsyncIterable<Buffer>, inflater: ReturnType<typeof createInflateRaw>): Promise<void> {
  try {
    for await (const chunk of packed) {
      if (inflater.destroyed) return;
      if (!inflater.write(chunk)) {
        await new Promise<void>((resolve) => {
          inflater.once('drain', resolve);
          inflater.once('close', resolve);
        });
      }
    }
    inflater.end();
  } catch (error) {
    inflater.destroy(error as Error);
    throw error;
  }
}

async function readDirectory(
  file: FileHandle,
  size: number,
): Promise<{ bytes: Buffer; count: number; offset: number }> {
  const tailStart = Math.max(0, size - END_SEARCH_BYTES);
  const tail = await readExactly(file, tailStart, size - tailStart);
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== END_RECORD) end--;
  if (end < 0) throw damaged('its directory is missing, so its end was cut off');
  let count = tail.readUInt16LE(end + 10);
  let length = tail.readUInt32LE(end + 12);
  let offset = tail.readUInt32LE(end + 16);
  if (count === 0xffff || length === 0xffffffff || offset === 0xffffffff) {
    if (end < 20 || tail.readUInt32LE(end - 20) !== END_LOCATOR_64) throw damaged('its directory is incomplete');
    const record = await readExactly(file, Number(tail.readBigUInt64LE(end - 12)), 56);
    if (record.readUInt32LE(0) !== END_RECORD_64) throw damaged('its directory is incomplete');
    count = Number(record.readBigUInt64LE(32));
    length = Number(record.readBigUInt64LE(40));
    offset = Number(record.readBigUInt64LE(48));
  }
  if (length > MAX_DIRECTORY_BYTES)
    throw new MillraceError('spreadsheet_too_large', { reason: 'its directory is too long' });
  if (offset + length > size) throw damaged('its directory lies outside the file');
  return { bytes: await readExactly(file, offset, length), count, offset };
}

function parseDirectory(bytes: Buffer, count: number, limits: SpreadsheetLimits): Entry[] {
  if (count > limits.maxEntries) {
    throw new MillraceError('spreadsheet_too_large', { reason: `it has over ${limits.maxEntries} parts` });
  }
  const entries: Entry[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw damaged('its directory is incomplete');
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const commentLength = bytes.readUInt16LE(at + 32);
    const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const sizes = wideSizes(
      extra,
      bytes.readUInt32LE(at + 24),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 42),
    );
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/'),
      method: bytes.readUInt16LE(at + 10),
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) !== 0,
      crc: bytes.readUInt32LE(at + 16),
      ...sizes,
    });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

/** Sizes of 4 GiB and more stand in an extra field, in this order and only those that did not fit. */
function wideSizes(
  extra: Buffer,
  unpacked: number,
  packed: number,
  offset: number,
): { packedBytes: number; headerOffset: number } {
  const values = [unpacked, packed, offset];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== 0xffffffff || from + 8 > extra.length) continue;
      values[i] = Number(extra.readBigUInt64LE(from));
      from += 8;
    }
  }
  return { packedBytes: values[1] ?? 0, headerOffset: values[2] ?? 0 };
}

/** Entries that share bytes are how a small archive unpacks to petabytes. */
function refuseOverlaps(entries: readonly Entry[], directoryOffset: number): void {
  const ordered = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  ordered.forEach((entry, i) => {
    const end = ordered[i + 1]?.headerOffset ?? directoryOffset;
    if (entry.headerOffset + 30 + entry.packedBytes > end) throw damaged('its parts overlap');
  });
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw damaged('it ends too early');
    done += bytesRead;
  }
  return bytes;
}

function damaged(reason: string): MillraceError {
  return new MillraceError('spreadsheet_damaged', { reason });
}
