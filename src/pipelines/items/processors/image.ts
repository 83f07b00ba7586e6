// The processor `image`: format, size, EXIF time, orientation and perceptual hash of every image, and the barcodes in it, which go through the catalogue. A near
// duplicate of another image of the job is SKIPPED and names it. Images are looked at in a process of their own that can be killed.
import { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type ArchivedImage, listImages, readImage } from '../images/image-archive.ts';
import type { ImageFacts } from '../images/image-messages.ts';
import type { ImageReader } from '../images/image-process.ts';
import { type MatchedRow, readCatalog } from '../sql/catalogs.ts';
import { findTwin } from '../sql/images.ts';
import { catalogResult } from './catalog.ts';
import { gtinKey, skuKey } from './catalog-keys.ts';
import { matchGtins, matchSkus } from './catalog-matcher.ts';
import {
  defineProcessor,
  found,
  type JobFile,
  notFound,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  type Processor,
  refused,
  retry,
  skipped,
} from './processor.ts';

const ImageOptions = z.strictObject({
  catalog_id: z.uuid().optional(),
  catalog: z.string().optional(),
  /** Of 64 bits, in how many two images may differ and still be one. */
  max_distance: z.int().min(0).max(16).default(4),
});
type ImageOptions = z.infer<typeof ImageOptions>;
type Context = ProcessContext<ImageOptions>;

export function imageProcessor(reader: ImageReader): Processor<ImageOptions> {
  const archives = new Archives();
  return defineProcessor<ImageOptions>({
    name: 'image',
    version: 1,
    title: 'Look at images',
    options: ImageOptions,
    output: z.record(z.string(), z.unknown()),
    columns: [
      { name: 'format', title: 'Format', type: 'text' },
      { name: 'width', title: 'Width', type: 'number' },
      { name: 'height', title: 'Height', type: 'number' },
      { name: 'taken_at', title: 'Taken', type: 'date' },
      { name: 'orientation', title: 'Orientation', type: 'number' },
      { name: 'hash', title: 'Perceptual hash', type: 'text' },
      { name: 'barcode', title: 'Barcode', type: 'text' },
      { name: 'barcode_format', title: 'Kind of barcode', type: 'text' },
      { name: 'match', title: 'Matched by', type: 'text' },
      { name: 'catalog_row', title: 'Catalogue row', type: 'number' },
      { name: 'sku', title: 'Catalogue SKU', type: 'text' },
      { name: 'brand', title: 'Catalogue brand', type: 'text' },
      { name: 'title', title: 'Catalogue title', type: 'text' },
      { name: 'price', title: 'Catalogue price', type: 'number' },
    ],
    strategies: ['look'],
    limits: { concurrency: 2, key: () => 'images' },
    takesImages: true,
    process: (item, context) => processImage(item, context, reader, archives),
  });
}

async function processImage(
  item: ProcessedItem,
  context: Context,
  reader: ImageReader,
  archives: Archives,
): Promise<Outcome> {
  const { options, signal, jobId, tenantId } = context;
  const file = await context.file();
  if (file === undefined) return refused('upload_file_gone', 'The file of the job is no longer stored.');
  const startedAt = performance.now();
  const image = (await archives.of(jobId, file))[item.rowIndex];
  if (image === undefined) return refused('image_damaged', 'The archive has no such part.');
  if (image.fault !== undefined) return refused('image_damaged', `The image cannot be read: ${image.fault}.`);
  const packed = await readImage(file.source, image).catch((error: unknown) => {
    if (error instanceof MillraceError && error.kind === 'input') return error;
    throw error;
  });
  if (packed instanceof MillraceError) return refused('image_damaged', packed.message);
  const looked = await reader.look(packed, image.isDeflated, signal);
  context.tell({ provider: 'images', ms: performance.now() - startedAt, outcome: outcomeWord(looked) });
  if ('lost' in looked) return retry('transient', `The process that reads images ended: ${looked.lost}.`);
  if ('fault' in looked) return refused(looked.fault, `The image cannot be read: ${looked.reason}.`);
  const { facts } = looked;
  const twin = await context.read((db) =>
    findTwin(db, {
      tenantId,
      jobId,
      itemId: item.id,
      rowIndex: item.rowIndex,
      hash: facts.hash,
      maxDistance: options.max_distance,
    }),
  );
  if (twin !== undefined)
    return skipped(`Nearly the same as the image of row ${twin.row_index + 1}.`, {
      code: 'image_repeated',
      answer: { row: twin.row_index + 1, differing_bits: twin.distance, hash: facts.hash },
    });
  return settle(facts, context);
}

function outcomeWord(looked: Awaited<ReturnType<ImageReader['look']>>): string {
  return 'facts' in looked ? 'looked' : 'fault' in looked ? looked.fault : 'lost';
}

/** Without a catalogue an image that could be looked at is found; with one, it is what its barcode says. */
async function settle(facts: ImageFacts, { options, read }: Context): Promise<Outcome> {
  const [first] = facts.barcodes;
  const seen = {
    format: facts.format,
    width: facts.width,
    height: facts.height,
    taken_at: facts.takenAt,
    orientation: facts.orientation,
    hash: facts.hash,
    barcode: first?.text ?? null,
    barcode_format: first?.format ?? null,
  };
  const { catalog_id: catalogId, catalog = '' } = options;
  if (catalogId === undefined) return found(seen, { answer: { barcodes: facts.barcodes } });
  if (first === undefined)
    return notFound({ isFinal: true, detail: 'No barcode was read in the image.', answer: seen });
  return read(async (db) => {
    const known = await readCatalog(db, catalogId);
    if (known === undefined || known.is_gone)
      return refused('catalog_gone', `The catalogue ${catalog || catalogId} was deleted.`);
    const texts = facts.barcodes.map(({ text }) => text);
    const gtins = await matchGtins(
      db,
      catalogId,
      texts.flatMap((text) => gtinKey(text) ?? []),
    );
    const skus = await matchSkus(
      db,
      catalogId,
      texts.flatMap((text) => skuKey(text) ?? []),
    );
    for (const { text, format } of facts.barcodes) {
      const byGtin: MatchedRow | undefined = gtins.get(gtinKey(text) ?? '');
      const row = byGtin ?? skus.get(skuKey(text) ?? '');
      if (row === undefined) continue;
      const { score: _, ...matched } = catalogResult(row, byGtin === undefined ? 'sku' : 'gtin', 1);
      const { match, catalog_row, sku, brand, title, price } = matched;
      return found(
        { ...seen, barcode: text, barcode_format: format, match, catalog_row, sku, brand, title, price },
        { answer: { barcodes: facts.barcodes } },
      );
    }
    return notFound({ isFinal: true, detail: `The catalogue has no ${texts.join(', ')}.`, answer: seen });
  });
}

/** The directory of an archive is read once per job and process. */
class Archives {
  readonly #kept = new Map<string, Promise<ArchivedImage[]>>();

  of(jobId: string, file: JobFile): Promise<ArchivedImage[]> {
    const known = this.#kept.get(jobId);
    if (known !== undefined) return known;
    if (this.#kept.size >= MOST_ARCHIVES) this.#kept.clear();
    const listed = listImages(file.source, file.name);
    listed.catch(() => this.#kept.delete(jobId));
    this.#kept.set(jobId, listed);
    return listed;
  }
}

const MOST_ARCHIVES = 20;
