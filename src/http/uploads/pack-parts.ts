// Several files of one upload as one: a ZIP archive, written while they arrive. Nothing is compressed: images are already.
import { crc32 } from 'node:zlib';

export interface PackedPart {
  readonly name: string;
  readonly body: AsyncIterable<Uint8Array>;
}

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_RECORD = 0x06054b50;
/** Sizes stand behind the bytes, names are UTF-8. */
const FLAGS = 0x0808;
const VERSION = 20;

export async function* packParts(parts: AsyncIterable<PackedPart>): AsyncGenerator<Uint8Array> {
  const entries: Buffer[] = [];
  let at = 0;
  for await (const { name, body } of parts) {
    const named = Buffer.from(name, 'utf8').subarray(0, 0xffff);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(LOCAL_HEADER, 0);
    header.writeUInt16LE(VERSION, 4);
    header.writeUInt16LE(FLAGS, 6);
    header.writeUInt16LE(named.length, 26);
    yield header;
    yield named;
    let [crc, bytes] = [0, 0];
    for await (const chunk of body) {
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      yield chunk;
    }
    const told = Buffer.alloc(16);
    told.writeUInt32LE(DESCRIPTOR, 0);
    told.writeUInt32LE(crc >>> 0, 4);
    told.writeUInt32LE(bytes, 8);
    told.writeUInt32LE(bytes, 12);
    yield told;
    entries.push(directoryEntry(named, crc >>> 0, bytes, at));
    at += header.length + named.length + bytes + told.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END_RECORD, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  yield directory;
  yield end;
}

function directoryEntry(name: Buffer, crc: number, bytes: number, offset: number): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(DIRECTORY_ENTRY, 0);
  entry.writeUInt16LE(VERSION, 4);
  entry.writeUInt16LE(VERSION, 6);
  entry.writeUInt16LE(FLAGS, 8);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(bytes, 20);
  entry.writeUInt32LE(bytes, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, name]);
}
