// The images of a job: a ZIP archive of them, or one image alone. Sizes in an archive are claims: what is read is what its directory says lies in the file, and
// nothing is unpacked here.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type ByteSource, readSlice } from '../../../tabular/byte-source.ts';
import { MAX_IMAGE_BYTES } from './image-messages.ts';

export interface ArchivedImage {
  readonly name: string;
  readonly packedBytes: number;
  readonly isDeflated: boolean;
  /** Why it cannot be read, where that is known from the directory alone. */
  readonly fault?: string;
  readonly offset: number;
}

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_SEARCH_BYTES = 65_557;
const LOCAL_BYTES = 30;
export const MAX_IMAGES = 100_000;
const MAX_DIRECTORY_BYTES = 64 * 1024 ** 2;

/** Hidden files and folders of systems. A path that leads upwards is a name like any other: nothing is written under it. */
const IS_BESIDE = /(?:^|\/)(?:__MACOSX\/|\.(?!\.?\/))/;

/** In the order of the archive; folders, and what systems put beside images, are none. */
export async function listImages(source: ByteSource, fileName: string): Promise<ArchivedImage[]> {
  const head = await readSlice(source, 0, 4);
  if (head.length < 4 || (head.readUInt32LE(0) !== LOCAL_HEADER && head.readUInt32LE(0) !== END_RECORD))
    return [{ name: fileName, packedBytes: source.size, isDeflated: false, offset: -1 }];
  const start = Math.max(0, source.size - END_SEARCH_BYTES);
  const tail = await readSlice(source, start, source.size - start);
  let end = tail.length - 22;
  while (end >= 0 && tail.readUInt32LE(end) !== END_RECORD) end -= 1;
  if (end < 0) throw damaged('its directory is missing, so its end was cut off');
  const [count, length, offset] = [
    tail.readUInt16LE(end + 10),
    tail.readUInt32LE(end + 12),
    tail.readUInt32LE(end + 16),
  ];
  if (count === 0xffff || length > MAX_DIRECTORY_BYTES) throw damaged(`it has over ${0xffff - 1} parts`);
  if (offset + length > source.size) throw damaged('its directory lies outside the file');
  return entriesOf(await readSlice(source, offset, length), count).filter(
    ({ name }) => !name.endsWith('/') && !IS_BESIDE.test(name),
  );
}

function entriesOf(bytes: Buffer, count: number): ArchivedImage[] {
  const entries: ArchivedImage[] = [];
  for (let at = 0, seen = 0; seen < count; seen += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw damaged('its directory is incomplete');
    const [nameLength, extra, comment] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ];
    const method = bytes.readUInt16LE(at + 10);
    const packedBytes = bytes.readUInt32LE(at + 20);
    const fault =
      (bytes.readUInt16LE(at + 8) & 1) !== 0
        ? 'it is encrypted'
        : method !== 0 && method !== 8
          ? 'it is packed in an unknown way'
          : packedBytes > MAX_IMAGE_BYTES
            ? `it has over ${MAX_IMAGE_BYTES} bytes`
            : undefined;
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/'),
      packedBytes,
      isDeflated: method === 8,
      offset: bytes.readUInt32LE(at + 42),
      ...(fault === undefined ? {} : { fault }),
    });
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}

/** As it lies in the file. */
export async function readImage(source: ByteSource, image: ArchivedImage): Promise<Buffer> {
  if (image.packedBytes > MAX_IMAGE_BYTES) throw damaged(`it has over ${MAX_IMAGE_BYTES} bytes`);
  if (image.offset < 0) return readSlice(source, 0, image.packedBytes);
  const header = await readSlice(source, image.offset, LOCAL_BYTES);
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER)
    throw damaged('it does not start where the directory says');
  const start = image.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const bytes = await readSlice(source, start, image.packedBytes);
  if (bytes.length < image.packedBytes) throw damaged('it ends too early');
  return bytes;
}

function damaged(reason: string): MillraceError {
  return new MillraceError('archive_damaged', { reason });
}
