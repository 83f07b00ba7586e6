// Fields that are recognised in files whatever their columns are called. What is recognised goes into normalized_json; everything stays in
// input_json under the names of the file.
import { FieldCatalogue } from '../../tabular/mapping/fields.ts';
import { headerName } from '../../tabular/mapping/header-name.ts';

const fieldNames = ['sku', 'gtin', 'brand', 'title', 'price'] as const;
export type FieldName = (typeof fieldNames)[number];

const words: Readonly<Record<FieldName, readonly string[]>> = {
  sku: [
    'sku',
    'article',
    'article number',
    'article no',
    'item number',
    'item no',
    'item id',
    'part number',
    'product code',
    'product id',
    'mpn',
    'artikelnummer',
    'reference',
  ],
  gtin: ['gtin', 'ean', 'upc', 'ean13', 'ean code', 'gtin13', 'gtin14', 'barcode', 'isbn', 'upc code', 'ean upc'],
  brand: ['brand', 'manufacturer', 'make', 'vendor', 'marke', 'hersteller', 'marque'],
  title: [
    'title',
    'name',
    'product',
    'product name',
    'product title',
    'item',
    'item name',
    'description',
    'bezeichnung',
    'produkt',
    'titre',
  ],
  price: ['price', 'unit price', 'list price', 'retail price', 'preis', 'prix', 'amount'],
};

/** The same fields as a person maps columns to them. None is required: a processor may use any column of the file. */
export const itemFields = new FieldCatalogue([
  { name: 'sku', title: 'SKU', kind: 'id', synonyms: words.sku },
  { name: 'gtin', title: 'GTIN', kind: 'id', synonyms: words.gtin },
  { name: 'brand', title: 'Brand', kind: 'text', synonyms: words.brand },
  { name: 'title', title: 'Title', kind: 'text', synonyms: words.title },
  { name: 'price', title: 'Price', kind: 'money', synonyms: words.price },
]);

const byWord = new Map(fieldNames.flatMap((field) => words[field].map((word) => [word, field] as const)));

/** Which column is which field; the first column that fits, in the order of the words. */
export function recogniseFields(columns: readonly string[]): ReadonlyMap<FieldName, string> {
  const found = new Map<FieldName, { column: string; rank: number }>();
  for (const column of columns) {
    const { looseKey, key } = headerName(column);
    const word = [looseKey, key].find((each) => byWord.has(each));
    if (word === undefined) continue;
    const field = byWord.get(word) as FieldName;
    const rank = words[field].indexOf(word);
    if (rank < (found.get(field)?.rank ?? Number.POSITIVE_INFINITY)) found.set(field, { column, rank });
  }
  return new Map([...found].map(([field, { column }]) => [field, column]));
}

/** Empty cells are no fields. */
export function fieldsOf(
  known: ReadonlyMap<FieldName, string>,
  cells: Readonly<Record<string, string>>,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [field, column] of known) {
    const text = (cells[column] ?? '').trim();
    if (text !== '') fields[field] = text;
  }
  return fields;
}

/** Every column has a name of its own: the second "Price" is "Price (2)". */
export function columnNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((given, index) => {
    const plain = given.trim() === '' ? `Column ${index + 1}` : given.trim();
    let name = plain;
    for (let copy = 2; used.has(name); copy += 1) name = `${plain} (${copy})`;
    used.add(name);
    return name;
  });
}
