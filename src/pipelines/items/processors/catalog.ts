// The processor `catalog`: matches rows with a catalogue or price list that the tenant keeps in Millrace. By SKU, then by GTIN, then by brand and
// title. The result says by what it was found, how well, and which row of the catalogue it is; it never claims to be a shop.
// A job keeps the version of the catalogue it was submitted with, so asking again cannot change the answer.
import { z } from 'zod';
import type { Queryable } from '../../../platform/database.ts';
import { type MatchedRow, readCatalog } from '../sql/catalogs.ts';
import { gtinKey, nameKey, skuKey } from './catalog-keys.ts';
import { matchGtins, matchNames, matchSkus } from './catalog-matcher.ts';
import {
  defineProcessor,
  found,
  notFound,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  refused,
} from './processor.ts';

const CatalogOptions = z.strictObject({
  catalog_id: z.uuid(),
  /** For people. */
  catalog: z.string().optional(),
});
type CatalogOptions = z.infer<typeof CatalogOptions>;

type Context = ProcessContext<CatalogOptions>;
type Work = { readonly item: ProcessedItem; readonly context: Context };
type Strategy = 'sku' | 'gtin' | 'title';

const BATCH = 500;

export const catalogProcessor = defineProcessor<CatalogOptions>({
  name: 'catalog',
  version: 1,
  title: 'Match with a catalogue',
  options: CatalogOptions,
  output: z.record(z.string(), z.unknown()),
  columns: [
    { name: 'match', title: 'Matched by', type: 'text' },
    { name: 'score', title: 'Score', type: 'number' },
    { name: 'catalog_row', title: 'Catalogue row', type: 'number' },
    { name: 'sku', title: 'Catalogue SKU', type: 'text' },
    { name: 'gtin', title: 'Catalogue GTIN', type: 'text' },
    { name: 'brand', title: 'Catalogue brand', type: 'text' },
    { name: 'title', title: 'Catalogue title', type: 'text' },
    { name: 'price', title: 'Catalogue price', type: 'number' },
  ],
  strategies: ['sku, gtin, title'],
  limits: { batch: BATCH },
  process: async (item, context) => (await processAll([{ item, context }]))[0] as Outcome,
  processBatch: processAll,
});

async function processAll(work: readonly Work[]): Promise<Outcome[]> {
  const [first] = work;
  if (first === undefined) return [];
  const { catalog_id: catalogId, catalog = '' } = first.context.options;
  return first.context.read(async (db) => {
    const known = await readCatalog(db, catalogId);
    if (known === undefined || known.is_gone)
      return work.map(() => refused('catalog_gone', `The catalogue ${catalog || catalogId} was deleted.`));
    return matchAll(db, catalogId, work, `${known.name} v${known.version}`);
  });
}

async function matchAll(db: Queryable, catalogId: string, work: readonly Work[], provider: string): Promise<Outcome[]> {
  const outcomes = new Array<Outcome | undefined>(work.length).fill(undefined);
  const open = () => work.flatMap((each, index) => (outcomes[index] === undefined ? [{ ...each, index }] : []));
  const keys = work.map(({ item }) => keysOf(item));

  await timed(work, provider, 'sku', outcomes, async () => {
    const rows = await matchSkus(
      db,
      catalogId,
      keys.flatMap(({ sku }) => sku ?? []),
    );
    for (const { index } of open()) settle(outcomes, index, 'sku', 1, rows.get(keys[index]?.sku ?? ''));
  });
  await timed(work, provider, 'gtin', outcomes, async () => {
    const rows = await matchGtins(
      db,
      catalogId,
      keys.flatMap(({ gtin }) => gtin ?? []),
    );
    for (const { index } of open()) settle(outcomes, index, 'gtin', 1, rows.get(keys[index]?.gtin ?? ''));
  });
  // A number that is wrong would be found by nobody; what its name suggests may be another product.
  for (const { item, index } of open())
    if (keys[index]?.gtin === null)
      outcomes[index] = refused(
        'gtin_invalid',
        `The number ${item.fields.gtin} is not a GTIN: its check digit is wrong.`,
      );
  await timed(work, provider, 'title', outcomes, async () => {
    const asked = open();
    const matches = await matchNames(
      db,
      catalogId,
      asked.map(({ index }) => keys[index]?.name ?? ''),
    );
    asked.forEach(({ index }, at) => {
      const match = matches[at];
      settle(outcomes, index, 'title', match?.score ?? 0, match?.row);
      outcomes[index] ??= notFound({
        isFinal: true,
        detail: 'Neither SKU nor GTIN nor brand and title are in the catalogue.',
        ...(match?.best === undefined
          ? {}
          : {
              answer: {
                nearest: match.best.row_no + 1,
                score: round(match.score),
                title: match.best.data.title ?? match.best.name_key,
              },
            }),
      });
    });
  });
  return outcomes as Outcome[];
}

function keysOf({ fields }: ProcessedItem): { sku: string | null; gtin: string | null | undefined; name: string } {
  return {
    sku: fields.sku === undefined ? null : skuKey(fields.sku),
    gtin: fields.gtin === undefined ? undefined : gtinKey(fields.gtin),
    name: nameKey(fields.brand, fields.title),
  };
}

/** Tells of the look-up for every item it was made for. */
async function timed(
  work: readonly Work[],
  provider: string,
  strategy: Strategy,
  outcomes: readonly (Outcome | undefined)[],
  look: () => Promise<void>,
): Promise<void> {
  const asked = work.filter((_, index) => outcomes[index] === undefined);
  const places = work.map((_, index) => index).filter((index) => outcomes[index] === undefined);
  const startedAt = performance.now();
  await look();
  const ms = Math.round((performance.now() - startedAt) / Math.max(1, asked.length));
  asked.forEach(({ context }, at) => {
    const isFound = outcomes[places[at] ?? -1]?.kind === 'found';
    context.tell({ provider, strategy, ms, outcome: isFound ? 'found' : 'not_found' });
  });
}

function settle(
  outcomes: (Outcome | undefined)[],
  index: number,
  match: Strategy,
  score: number,
  row: MatchedRow | undefined,
): void {
  if (row === undefined) return;
  const result = catalogResult(row, match, score);
  const answer = { row: result.catalog_row, score: result.score };
  outcomes[index] = found(result, { strategy: match, answer });
}

/** What is shown of a row of the catalogue. */
export function catalogResult({ data, row_no: number, gtin }: MatchedRow, match: Strategy, score: number) {
  const price = data.price === undefined ? undefined : plainNumber(data.price);
  return {
    match,
    score: round(score),
    catalog_row: number + 1,
    sku: data.sku ?? null,
    gtin: gtin === null ? null : gtin.replace(/^0(?=\d{13}$)/, ''),
    brand: data.brand ?? null,
    title: data.title ?? null,
    price: price ?? data.price ?? null,
  };
}

/** More digits than a number keeps are shown as they are written. */
const MAX_DIGITS = 15;

function plainNumber(text: string): number | undefined {
  const plain = text
    .replace(/^[^\d-]+|[^\d]+$/g, '')
    .replace(/,(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  const digits = plain.replace(/\D/g, '').replace(/^0+/, '').length;
  return /^-?\d+(\.\d+)?$/.test(plain) && digits <= MAX_DIGITS ? Number(plain) : undefined;
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
