// A ZIP archive as a stream: entries are deflated while they come, off the event loop's thread, and their sizes follow them. An entry stays below 4 GiB, which is its writer's
// affair; the archive may be larger.
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly path: string;
  readonly data: Iterable<Buffer> | AsyncIterable<Buffer>;
}

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
const DEFLATED = 8;
const [VERSION, VERSION_64] = [20, 45];
/** 1980-01-01: the same rows make the same bytes. */
const DATE = 0x21;

export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { path, data } of entries) {
    const entry: Written = { path: Buffer.from(path), offset, crc: 0, bytes: 0, packedBytes: 0 };
    const header = localHeader(entry);
    yield header;
    for await (const packed of deflated(data, entry)) yield packed;
    const sizes = descriptor(entry);
    yield sizes;
    offset += header.length + entry.packedBytes + sizes.length;
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield endOf(written.length, offset, directory.length);
}

async function* deflated(data: ZipEntry['data'], entry: Written): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ chunkSize: OUTPUT_BYTES });
  async function* counted() {
    for await (const chunk of data) {
      entry.crc = crc32(chunk, entry.crc);
      entry.bytes += chunk.length;
      yield chunk;
    }
  }
  const feeding = pipeline(counted, deflate);
  // Its failure breaks the loop below, or is thrown behind it.
  feeding.catch(() => undefined);
  for await (const packed of deflate as AsyncIterable<Buffer>) {
    entry.packedBytes += packed.length;
    yield packed;
  }
  await feeding;
}

function localHeader({ path }: Written): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(DEFLATED, 8);
  header.writeUInt16LE(DATE, 12);
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
function directoryEntry({ path, offset, crc, packedBytes, bytes }: Written): Buffer {
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
  entry.writeUInt16LE(DEFLATED, 10);
  entry.writeUInt16LE(DATE, 14);
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
