// The process that looks at images: it has no database, no settings and no environment, and is killed when it takes too much. Whatever an image does to a
// decoder stays here.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import exifr from 'exifr';
import sharp, { type Sharp } from 'sharp';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import {
  type ImageAnswer,
  type ImageFacts,
  type ImageFault,
  type ImageRequest,
  MAX_IMAGE_BYTES,
  MAX_PIXELS,
} from './image-messages.ts';

class Fault extends Error {
  readonly code: ImageFault;
  constructor(code: ImageFault, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Barcodes are looked for in no larger picture than this: it costs time and finds nothing more. */
const BARCODE_PIXELS = 1_600;
const HASH_WIDTH = 9;
const HASH_HEIGHT = 8;
/** With fewer edges than this a picture is so plain that others which have nothing to do with it have the same hash. */
const LEAST_EDGES = 6;
const MAX_BARCODES = 8;
const MAX_TEXT = 200;
/** Only these decoders are used, whatever the bytes claim: none of them reads other files or draws documents. */
const decoders: Readonly<Record<string, string>> = { jpeg: 'jpeg', png: 'png', webp: 'webp', gif: 'gif', tiff: 'tiff' };

sharp.cache(false);
sharp.concurrency(1);

const zxing = (async () => {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const bytes = await readFile(file);
  await prepareZXingModule({
    overrides: { wasmBinary: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer },
    fireImmediately: true,
  });
})();

async function look({ packed, isDeflated }: ImageRequest): Promise<ImageFacts> {
  const bytes = unpack(packed, isDeflated);
  const known = formatOf(bytes);
  if (known === undefined) throw new Fault('image_unknown', 'its bytes are none of JPEG, PNG, WebP, GIF or TIFF');
  const open = () => sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, pages: 1 });
  const facts = await open().metadata();
  if (decoders[facts.format ?? ''] !== known) throw new Fault('image_damaged', 'it is two kinds of file at once');
  const { width = 0, height = 0, orientation } = facts;
  if (width * height > MAX_PIXELS) throw new Fault('image_too_large', `it has ${width} × ${height} pixels`);
  const upright = () => open().autoOrient();
  const seen = await hashOf(upright());
  const hash = isPlain(seen) ? createHash('sha256').update(bytes).digest('hex').slice(0, 16) : seen;
  const isTurned = orientation !== undefined && orientation >= 5;
  return {
    format: known,
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    orientation: orientation ?? null,
    takenAt: await timeOf(bytes, known),
    hash,
    barcodes: await barcodesOf(upright()),
  };
}

function unpack(packed: Uint8Array, isDeflated: boolean): Buffer {
  if (!isDeflated) return Buffer.from(packed);
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_IMAGE_BYTES });
  } catch (error) {
    const isLarge = error instanceof RangeError;
    throw new Fault(
      isLarge ? 'image_too_large' : 'image_damaged',
      isLarge ? `it unpacks to over ${MAX_IMAGE_BYTES} bytes` : 'it does not unpack',
    );
  }
}

function formatOf(bytes: Buffer): string | undefined {
  const starts = (...signature: number[]) => signature.every((byte, at) => bytes[at] === byte);
  if (starts(0xff, 0xd8, 0xff)) return 'jpeg';
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'gif';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  if (starts(0x49, 0x49, 0x2a, 0) || starts(0x4d, 0x4d, 0, 0x2a)) return 'tiff';
  return undefined;
}

/** Whether each of 8 × 8 fields is darker than the one to its right. */
async function hashOf(image: Sharp): Promise<string> {
  const pixels = await image
    .flatten({ background: '#ffffff' })
    .greyscale()
    .resize(HASH_WIDTH, HASH_HEIGHT, { fit: 'fill' })
    .raw()
    .toBuffer();
  let hash = 0n;
  for (let row = 0; row < HASH_HEIGHT; row += 1)
    for (let column = 0; column < HASH_WIDTH - 1; column += 1) {
      const at = row * HASH_WIDTH + column;
      hash = (hash << 1n) | ((pixels[at] ?? 0) < (pixels[at + 1] ?? 0) ? 1n : 0n);
    }
  return hash.toString(16).padStart(16, '0');
}

/** Its copies are known by their bytes alone. */
function isPlain(hash: string): boolean {
  const edges = [...BigInt(`0x${hash}`).toString(2)].filter((bit) => bit === '1').length;
  return Math.min(edges, HASH_HEIGHT * (HASH_WIDTH - 1) - edges) < LEAST_EDGES;
}

async function barcodesOf(image: Sharp): Promise<ImageFacts['barcodes']> {
  await zxing;
  const { data, info } = await image
    .resize(BARCODE_PIXELS, BARCODE_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const picture = {
    data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length),
    width: info.width,
    height: info.height,
  };
  const found = await readBarcodes(picture as never, {
    tryHarder: true,
    maxNumberOfSymbols: MAX_BARCODES,
  });
  return found
    .filter(({ isValid, text }) => isValid && text !== '')
    .map(({ format, text }) => ({ format: String(format), text: text.slice(0, MAX_TEXT) }));
}

/** A damaged EXIF block is no fault of the picture. */
async function timeOf(bytes: Buffer, format: string): Promise<string | null> {
  if (format === 'gif') return null;
  try {
    const tags = (await exifr.parse(bytes, {
      pick: ['DateTimeOriginal', 'OffsetTimeOriginal', 'CreateDate', 'DateTime'],
      reviveValues: false,
    })) as Record<string, unknown> | undefined;
    const said = [tags?.DateTimeOriginal, tags?.CreateDate, tags?.DateTime].find((tag) => typeof tag === 'string');
    const [, date = '', time = ''] = /^(\d{4}:\d\d:\d\d) (\d\d:\d\d:\d\d)/.exec(String(said ?? '')) ?? [];
    if (date === '' || date.startsWith('0000')) return null;
    const offset = typeof tags?.OffsetTimeOriginal === 'string' ? tags.OffsetTimeOriginal.trim() : '';
    return `${date.replaceAll(':', '-')}T${time}${/^[+-]\d\d:\d\d$/.test(offset) ? offset : ''}`;
  } catch {
    return null;
  }
}

process.on('message', (request: ImageRequest) => {
  void look(request)
    .then(
      (facts): ImageAnswer => ({ id: request.id, facts }),
      (error: unknown): ImageAnswer => {
        const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200) ?? '';
        const isLarge = /pixel limit|too large/i.test(reason);
        const fault = error instanceof Fault ? error.code : isLarge ? 'image_too_large' : 'image_damaged';
        return { id: request.id, fault, reason };
      },
    )
    .then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
