// Jobs of images: several parts or an archive, barcodes that go through the catalogue, near duplicates, and images that are none.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { useItems } from '../../../test/support/items.ts';
import { writeZip } from '../../tabular/write-zip.ts';
import { ImageReader } from './images/image-process.ts';
import { imageProcessor } from './processors/image.ts';

const reader = new ImageReader({ maxMemoryMb: 700, timeoutMs: 600_000 });
const bench = useItems({ processors: [imageProcessor(reader)], settings: { itemTimeoutMs: 60_000 } });
afterAll(() => reader.close());

/** A barcode on a picture that no other has. */
async function barcode(text: string, seed: number): Promise<Buffer> {
  const { image } = await writeBarcode(text, { format: 'EAN13', scale: 4 });
  const code = Buffer.from(await (image as Blob).arrayBuffer());
  const shade = Math.round(40 + ((seed * 61) % 180));
  const box = await sharp({
    create: { width: 260, height: 200, channels: 3, background: { r: shade, g: 20, b: 255 - shade } },
  })
    .png()
    .toBuffer();
  return sharp({ create: { width: 900, height: 700, channels: 3, background: '#ffffff' } })
    .composite([
      { input: code, top: 420, left: 40 },
      { input: box, top: 20 + ((seed * 37) % 150), left: 30 + ((seed * 211) % 560) },
    ])
    .jpeg()
    .toBuffer();
}

let files: Record<string, Buffer>;
beforeAll(async () => {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'));
  await prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer }, fireImmediately: true });
  const kettle = await barcode('4006381333931', 1);
  files = {
    'kettle.jpg': kettle,
    'unknown.png': await sharp(await barcode('4056489123453', 5))
      .png()
      .toBuffer(),
    'foreign.webp': await sharp(await barcode('9780201379624', 9))
      .webp()
      .toBuffer(),
    'kettle again.png': await sharp(kettle).resize(600).modulate({ brightness: 1.05 }).png().toBuffer(),
    'plain.png': await sharp({ create: { width: 64, height: 48, channels: 3, background: '#336699' } })
      .png()
      .toBuffer(),
    'cut.jpg': kettle.subarray(0, Math.floor(kettle.length / 3)),
    'page.png': Buffer.from('<html>no image at all</html>'),
    'both.gif': Buffer.concat([Buffer.from('GIF89a'), Buffer.from('%PDF-1.4\n/JS (x)')]),
  };
  await bench.upload(
    '/api/catalogs',
    'SKU,EAN,Title,Price\nKET-1,4006381333931,Kettle,39.90\nBOOK-1,9780201379624,Book,12\n',
    'shop.csv',
    {
      fields: { name: 'shop' },
    },
  );
});

async function submitParts(names: readonly string[], fields: Record<string, string>): Promise<string> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  for (const name of names) form.append('file', new Blob([files[name] as Buffer<ArrayBuffer>]), name);
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  const answer = await bench.api.server.inject({
    method: 'POST',
    url: '/api/jobs',
    headers: {
      authorization: `Bearer ${bench.admin.token}`,
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  expect([answer.statusCode, answer.json()]).toEqual([202, { jobId: expect.any(String) }]);
  return answer.json().jobId as string;
}

describe('images', () => {
  it('as several parts: barcodes are found in the catalogue, copies skipped with their twin, and what is no image is an error', async () => {
    const names = Object.keys(files);
    const job = await bench.ended(await submitParts(names, { catalog: 'shop' }));
    const items = await bench.items(job.jobId);
    expect(items.map(({ input, status, error_code: code }) => [input.File, status, code])).toEqual([
      ['kettle.jpg', 'DONE', null],
      ['unknown.png', 'NOT_FOUND', 'item_not_matched'],
      ['foreign.webp', 'DONE', null],
      ['kettle again.png', 'SKIPPED', 'image_repeated'],
      ['plain.png', 'NOT_FOUND', 'item_not_matched'],
      ['cut.jpg', 'ERROR', 'image_damaged'],
      ['page.png', 'ERROR', 'image_unknown'],
      ['both.gif', 'ERROR', 'image_damaged'],
    ]);
    expect(job).toMatchObject({
      queue_state: 'DONE',
      job_type: 'image',
      processor: 'image',
      total_items: names.length,
    });
    expect(items[0].result).toMatchObject({
      format: 'jpeg',
      width: 900,
      height: 700,
      barcode: '4006381333931',
      match: 'gtin',
      title: 'Kettle',
      price: 39.9,
    });
    expect(items[2].result).toMatchObject({ format: 'webp', title: 'Book' });
    expect(items[3].last_error).toBe('Nearly the same as the image of row 1.');
    expect(await bench.engine.verify(bench.admin.tenantId, job.jobId)).toMatchObject({ agrees: true });
    const asked = { params: { run_id: job.jobId } };
    for (const operation of ['runs.reading', 'runs.mapping'] as const)
      expect((await bench.call(operation, job.jobId, asked)).body.code).toBe('not_available');
  });

  it('as an archive: its images are the items, orientation and time are read, folders are none', async () => {
    const turned = await sharp(files['kettle.jpg'])
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD2: { DateTimeOriginal: '2026:06:01 12:30:00' } })
      .jpeg()
      .toBuffer();
    const parts = async function* () {
      yield { path: 'shots/', data: [] };
      yield { path: 'shots/turned.jpg', data: [turned] };
    };
    const chunks: Buffer[] = [];
    for await (const chunk of writeZip(parts(), 'stored')) chunks.push(chunk);
    const { status, body } = await bench.upload('/api/jobs', Buffer.concat(chunks), 'shots.zip');
    expect(status).toBe(202);
    await bench.ended(body.jobId);
    const items = await bench.items(body.jobId);
    expect(items).toMatchObject([
      {
        status: 'DONE',
        input: { File: 'shots/turned.jpg' },
        result: { orientation: 6, width: 700, height: 900, taken_at: '2026-06-01T12:30:00' },
      },
    ]);
  });

  it('of one colour are copies only where their bytes are the same: a picture without edges has no likeness', async () => {
    const plain = (background: string, width: number) =>
      sharp({ create: { width, height: 40, channels: 3, background } })
        .png()
        .toBuffer();
    files['red.png'] = await plain('#cc2200', 64);
    files['white.png'] = await plain('#ffffff', 50);
    files['red again.png'] = files['red.png'];
    const names = ['red.png', 'white.png', 'red again.png'];
    const job = await bench.ended(await submitParts(names, {}));
    const fates = (await bench.items(job.jobId)).map(({ status }) => status);
    expect([fates[1], [...fates].sort()]).toEqual(['DONE', ['DONE', 'DONE', 'SKIPPED']]);
  });

  it('a bomb is refused by its own process, and the next image is looked at', async () => {
    const bomb = await sharp({ create: { width: 11_000, height: 11_000, channels: 3, background: '#000000' } })
      .png()
      .toBuffer();
    expect(await reader.look(bomb, false, new AbortController().signal)).toMatchObject({ fault: 'image_too_large' });
    const plain = files['plain.png'] as Buffer;
    expect(await reader.look(plain, false, new AbortController().signal)).toMatchObject({
      facts: { format: 'png', width: 64 },
    });
    const slow = new ImageReader({ maxMemoryMb: 700, timeoutMs: 1 });
    expect(await slow.look(plain, false, new AbortController().signal)).toMatchObject({ fault: 'image_too_large' });
    slow.close();
  });

  it('rows for the processor of images, and images for one of rows, are refused with the reason', async () => {
    const rows = await bench.upload('/api/jobs', 'a\n1\n', 'rows.csv', { fields: { processor: 'image' } });
    expect(rows.body).toMatchObject({ code: 'processor_options_invalid' });
    const image = await bench.upload('/api/jobs', files['plain.png'] as Buffer, 'plain.png', {
      fields: { processor: 'catalog', catalog: 'shop' },
    });
    expect(image.body).toMatchObject({ code: 'processor_options_invalid' });
    const broken = await bench.upload('/api/jobs', Buffer.from('PK\u0003\u0004 no archive'), 'broken.zip');
    expect(await bench.ended(broken.body.jobId)).toMatchObject({
      queue_state: 'FAILED',
      last_error: expect.stringMatching(/archive/),
    });
  });
});
