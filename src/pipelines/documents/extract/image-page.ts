// A page as an image and nothing else: a PDF of one page around the pixels, so that its text layer, which cannot be trusted, has no part in
// what the OCR reads. Its size is that of the page, so that boxes fit both.
import { deflateSync, inflateSync } from 'node:zlib';
import { type PdfObject, writePdf } from './write-pdf.ts';

const CHANNELS = 4;

/** `png`: eight bits, RGBA, as pages are drawn. */
export function imagePage(png: Buffer, width: number, height: number): Buffer {
  const { columns, rows, grey } = readGrey(png);
  const pixels = deflateSync(grey, { level: 1 });
  const content = Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`, 'latin1');
  const objects: PdfObject[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R >>`,
    { dict: '', bytes: content },
    {
      dict: `/Type /XObject /Subtype /Image /Width ${columns} /Height ${rows} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
      bytes: pixels,
    },
  ];
  return writePdf(objects);
}

function readGrey(png: Buffer): { columns: number; rows: number; grey: Buffer } {
  const columns = png.readUInt32BE(16);
  const rows = png.readUInt32BE(20);
  if (png[24] !== 8 || png[25] !== 6 || png[28] !== 0) throw new Error('the image of the page is not plain RGBA');
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = columns * CHANNELS;
  const grey = Buffer.alloc(columns * rows);
  let above: Buffer = Buffer.alloc(stride);
  for (let row = 0; row < rows; row++) {
    const start = row * (stride + 1);
    const line = unfilter(raw[start] ?? 0, raw.subarray(start + 1, start + 1 + stride), above);
    for (let x = 0; x < columns; x++) {
      const at = x * CHANNELS;
      const alpha = (line[at + 3] ?? 255) / 255;
      const light = 0.299 * (line[at] ?? 0) + 0.587 * (line[at + 1] ?? 0) + 0.114 * (line[at + 2] ?? 0);
      grey[row * columns + x] = Math.round(light * alpha + 255 * (1 - alpha));
    }
    above = line;
  }
  return { columns, rows, grey };
}

/** The five filters of PNG, of one line. */
function unfilter(filter: number, bytes: Buffer, above: Buffer): Buffer {
  const line = Buffer.alloc(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const left = at >= CHANNELS ? (line[at - CHANNELS] ?? 0) : 0;
    const up = above[at] ?? 0;
    const corner = at >= CHANNELS ? (above[at - CHANNELS] ?? 0) : 0;
    line[at] = ((bytes[at] ?? 0) + predictor(filter, left, up, corner)) & 0xff;
  }
  return line;
}

function predictor(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
