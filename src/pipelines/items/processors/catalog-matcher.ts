// Finds rows of a catalogue for many items at once: by SKU, by GTIN, by brand and title. Names are compared by trigrams: candidates share the
// rarest trigrams with the item, then each candidate is compared exactly.
import type { Queryable } from '../../../platform/database.ts';
import { countGrams, type MatchedRow, rowsByGtin, rowsByNumber, rowsBySku, rowsWithGrams } from '../sql/catalogs.ts';
import { gramsOf, similarity } from './catalog-keys.ts';

/** A name must share this much with the row it is said to be. */
const NAME_THRESHOLD = 0.45;
/** And more than the next best by this, or it is no match but a guess. */
const NAME_MARGIN = 0.02;
/** The rarest trigrams of a name, which the candidates are found by. */
const RARE_GRAMS = 6;
const MAX_CANDIDATES = 200;
/** A trigram that so many names hold finds nothing. */
const COMMON = 20_000;

export interface NameMatch {
  readonly row: MatchedRow | undefined;
  /** Of the best candidate, whether or not it is a match. */
  readonly score: number;
  readonly best: MatchedRow | undefined;
}

export async function matchSkus(
  db: Queryable,
  catalogId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MatchedRow>> {
  const rows = keys.length === 0 ? [] : await rowsBySku(db, catalogId, [...new Set(keys)]);
  return new Map(rows.map((row) => [row.sku_key ?? '', row]));
}

export async function matchGtins(
  db: Queryable,
  catalogId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, MatchedRow>> {
  const rows = keys.length === 0 ? [] : await rowsByGtin(db, catalogId, [...new Set(keys)]);
  return new Map(rows.map((row) => [row.gtin ?? '', row]));
}

/** In the order of the names. */
export async function matchNames(db: Queryable, catalogId: string, names: readonly string[]): Promise<NameMatch[]> {
  const wanted = names.map(gramsOf);
  const all = [...new Set(wanted.flatMap((grams) => [...grams]))];
  if (all.length === 0) return names.map(() => ({ row: undefined, score: 0, best: undefined }));
  const counts = new Map((await countGrams(db, catalogId, all)).map(({ gram, names: many }) => [gram, many]));
  const rare = wanted.map((grams) => rarest(grams, counts));
  const listed = await rowsWithGrams(db, catalogId, [...new Set(rare.flat())]);
  const lists = new Map(listed.map(({ gram, row_nos: numbers }) => [gram, numbers]));
  const candidates = rare.map((grams) => mostShared(grams, lists));
  const rows = await rowsByNumber(db, catalogId, [...new Set(candidates.flat())]);
  const byNumber = new Map(rows.map((row) => [row.row_no, { row, grams: gramsOf(row.name_key) }]));
  return wanted.map((grams, index) => best(grams, candidates[index] ?? [], byNumber));
}

function rarest(grams: ReadonlySet<string>, counts: ReadonlyMap<string, number>): string[] {
  return [...grams]
    .map((gram) => ({ gram, names: counts.get(gram) ?? 0 }))
    .filter(({ names }) => names > 0 && names <= COMMON)
    .sort((a, b) => a.names - b.names)
    .slice(0, RARE_GRAMS)
    .map(({ gram }) => gram);
}

function mostShared(grams: readonly string[], lists: ReadonlyMap<string, readonly number[]>): number[] {
  const shared = new Map<number, number>();
  for (const gram of grams)
    for (const number of lists.get(gram) ?? []) shared.set(number, (shared.get(number) ?? 0) + 1);
  return [...shared]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_CANDIDATES)
    .map(([number]) => number);
}

function best(
  grams: ReadonlySet<string>,
  candidates: readonly number[],
  rows: ReadonlyMap<number, { readonly row: MatchedRow; readonly grams: ReadonlySet<string> }>,
): NameMatch {
  const scored = candidates
    .flatMap((number) => rows.get(number) ?? [])
    .map(({ row, grams: other }) => ({ row, score: similarity(grams, other) }))
    .sort((a, b) => b.score - a.score || a.row.row_no - b.row.row_no);
  const [first, second] = scored;
  if (first === undefined) return { row: undefined, score: 0, best: undefined };
  const isClear =
    second === undefined || first.score - second.score >= NAME_MARGIN || first.row.name_key === second.row.name_key;
  const isMatch = first.score >= NAME_THRESHOLD && isClear;
  return { row: isMatch ? first.row : undefined, score: first.score, best: first.row };
}
