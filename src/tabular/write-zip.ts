// A ZIP archive as a stream: the writer passes each entry on while it comes, as it is or deflated (off the event loop's thread), and writes its
// sizes behind it. The caller keeps each entry below 4 GiB; the archive may be larger.
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly path: string;
  readonly data: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** `stored`: as it is, for files that are compressed already. */
export type Packing = 'deflated' | 'stored';

interface Written {
  readonly path: Buffer;
  readonly offset: number;
  crc: number;
  bytes: number;
  packedBytes: number;
}

const LARGEST = 0xffff_ffff;
const OUTPUT_BYTES = 128 * 1024;
/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808;
const LONGEST_PATH = 0xffff;
const [VERSION, VERSION_64] = [20, 45];
/** The same entries make the same bytes, whenever they come: 1980-01-01, or no date. An upload that was sent before is known by its bytes. */
const marks: Readonly<Record<Packing, { readonly method: number; readonly date: number }>> = {
  deflated: { method: 8, date: 0x21 },
  stored: { method: 0, date: 0 },
};

export async function* writeZip(
  entries: AsyncIterable<ZipEntry>,
  packing: Packing = 'deflated',
): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { path, data } of entries) {
    const named = Buffer.from(path).subarray(0, LONGEST_PATH);
    const entry: Written = { path: named, offset, crc: 0, bytes: 0, packedBytes: 0 };
    const header = localHeader(entry, packing);
    yield header;
    yield* packing === 'stored' ? stored(data, entry) : deflated(data, entry);
    const sizes = descriptor(entry);
    yield sizes;
    offset += header.length + entry.packedBytes + sizes.length;
    written.push(entry);
  }
  const directory = Buffer.concat(written.map((entry) => directoryEntry(entry, packing)));
  yield directory;
  yield endOf(written.length, offset, directory.length);
}

async function* counted(data: ZipEntry['data'], entry: Written): AsyncGenerator<Buffer> {
  for await (const chunk of data) {
    entry.crc = crc32(chunk, entry.crc);
    entry.bytes += chunk.length;
    yield chunk;
  }
}

async function* stored(data: ZipEntry['data'], entry: Written): AsyncGenerator<Buffer> {
  yield* counted(data, entry);
  entry.packedBytes = entry.bytes;
}

async function* deflated(data: ZipEntry['data'], entry: Written): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ chunkSize: OUTPUT_BYTES });
  const feeding = pipeline(() => counted(data, entry), deflate);
  // Its failure breaks the loop below, or is thrown behind it.
  feeding.catch(() => undefined);
  for await (const packed of deflate as AsyncIterable<Buffer>) {
    entry.packedBytes += packed.length;
    yield packed;
  }
  await feeding;
}

function localHeader({ path }: Written, packing: Packing): Buffer {
  const { method, date } = marks[packing];
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(path.length, 26);
  return Buffer.concat([header, path]);
}

function descriptor({ crc, packedBytes, bytes }: Written): Buffer {
  const sizes = Buffer.alloc(16);
  sizes.writeUInt32LE(0x0807_4b50, 0);
  sizes.writeUInt32LE(crc, 4);
  sizes.writeUInt32LE(packedBytes, 8);
  sizes.writeUInt32LE(bytes, 12);
  return sizes;
}

/** An entry that begins behind 4 GiB says so in an extra field. */
function directoryEntry({ path, offset, crc, packedBytes, bytes }: Written, packing: Packing): Buffer {
  const { method, date } = marks[packing];
  const isFar = offset >= LARGEST;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x0201_4b50, 0);
  entry.writeUInt16LE(isFar ? VERSION_64 : VERSION, 4);
  entry.writeUInt16LE(isFar ? VERSION_64 : VERSION, 6);
  entry.writeUInt16LE(FLAGS, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt16LE(date, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(packedBytes, 20);
  entry.writeUInt32LE(bytes, 24);
  entry.writeUInt16LE(path.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(isFar ? LARGEST : offset, 42);
  return Buffer.concat([entry, path, extra]);
}

function endOf(entries: number, offset: number, bytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(Math.min(offset, LARGEST), 16);
  if (offset < LARGEST) return end;
  const far = Buffer.alloc(76);
  far.writeUInt32LE(0x0606_4b50, 0);
  far.writeBigUInt64LE(44n, 4);
  far.writeUInt16LE(VERSION_64, 12);
  far.writeUInt16LE(VERSION_64, 14);
  far.writeBigUInt64LE(BigInt(entries), 24);
  far.writeBigUInt64LE(BigInt(entries), 32);
  far.writeBigUInt64LE(BigInt(bytes), 40);
  far.writeBigUInt64LE(BigInt(offset), 48);
  // Where that record is.
  far.writeUInt32LE(0x0706_4b50, 56);
  far.writeBigUInt64LE(BigInt(offset + bytes), 64);
  far.writeUInt32LE(1, 72);
  return Buffer.concat([far, end]);
}
