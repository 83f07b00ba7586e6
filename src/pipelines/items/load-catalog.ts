// A file becomes a version of a catalogue, in one transaction: rows with their keys, then the trigrams of their names. Rows without any key are left out and
// counted.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { storableText } from '../../platform/storable-text.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { readTable } from '../../tabular/read-table.ts';
import type { RowBatch } from '../../tabular/row-batch.ts';
import { columnNames, type FieldName, fieldsOf, recogniseFields } from './fields.ts';
import { gramsOf, gtinKey, nameKey, skuKey } from './processors/catalog-keys.ts';
import {
  type CatalogRow,
  finishCatalog,
  insertCatalog,
  insertCatalogGrams,
  insertCatalogRows,
  type NewCatalogRow,
} from './sql/catalogs.ts';

export interface CatalogFile {
  readonly tenantId: string;
  readonly name: string;
  readonly fileName: string;
  readonly by: string | null;
  readonly source: ByteSource;
}

const TRIES = 3;
const ROWS_PER_INSERT = 1_000;
/** Trigrams are gathered over so many rows: each insert touches most of them. */
const ROWS_PER_GRAMS = 20_000;

/** `tx` has the rights of items_worker for the tenant. */
export async function loadCatalog(tx: Queryable, file: CatalogFile): Promise<CatalogRow> {
  const table = await readTable(file.source, {
    fileName: file.fileName,
    isKnownHeader: (name) => recogniseFields([name]).size > 0,
  });
  const columns = columnNames(table.reading.header.value.names);
  const fields = recogniseFields(columns);
  if (!(['sku', 'gtin', 'title'] as const).some((field) => fields.has(field)))
    throw new MillraceError('catalog_unusable', { reason: 'it has no column with a SKU, a GTIN or a title' });
  const { catalog_id: catalogId } = await insertCatalog(tx, { ...file, catalogId: uuidv7(), columns });
  const writer = new CatalogWriter(tx, file.tenantId, catalogId);
  for await (const batch of table.batches())
    for (const row of batch.dataRows()) await writer.add(rowOf(batch, row, columns, fields));
  const counts = await writer.end();
  if (counts.rows === 0)
    throw new MillraceError('catalog_unusable', { reason: 'no row of it has a SKU, a GTIN or a title' });
  return finishCatalog(tx, catalogId, counts);
}

/** Two made the same version at a time, or both found that the sample is not there yet: the second looks again. */
export async function againIfTaken<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (tried === TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

/** Null: nothing to find it by. */
function rowOf(
  batch: RowBatch,
  row: number,
  columns: readonly string[],
  known: ReadonlyMap<FieldName, string>,
): Omit<NewCatalogRow, 'row_no'> | null {
  if (batch.faults[row] !== 0) return null;
  const cells: Record<string, string> = {};
  batch.texts(row).forEach((text, index) => {
    cells[columns[index] ?? `Column ${index + 1}`] = storableText(text);
  });
  const fields = fieldsOf(known, cells);
  const key = {
    sku_key: fields.sku === undefined ? null : skuKey(fields.sku),
    gtin: fields.gtin === undefined ? null : (gtinKey(fields.gtin) ?? null),
    name_key: nameKey(fields.brand, fields.title),
  };
  if (key.sku_key === null && key.gtin === null && key.name_key === '') return null;
  return { ...key, data: fields };
}

class CatalogWriter {
  readonly #tx: Queryable;
  readonly #tenantId: string;
  readonly #catalogId: string;
  #rows: NewCatalogRow[] = [];
  #grams = new Map<string, number[]>();
  #number = 0;
  #skipped = 0;
  #named = 0;

  constructor(tx: Queryable, tenantId: string, catalogId: string) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#catalogId = catalogId;
  }

  async add(row: Omit<NewCatalogRow, 'row_no'> | null): Promise<void> {
    const number = this.#number;
    this.#number += 1;
    if (row === null) {
      this.#skipped += 1;
      return;
    }
    this.#rows.push({ row_no: number, ...row });
    for (const gram of gramsOf(row.name_key)) {
      const list = this.#grams.get(gram);
      if (list === undefined) this.#grams.set(gram, [number]);
      else list.push(number);
    }
    this.#named += 1;
    if (this.#rows.length >= ROWS_PER_INSERT) await this.#flushRows();
    if (this.#named >= ROWS_PER_GRAMS) await this.#flushGrams();
  }

  async end(): Promise<{ rows: number; skipped: number }> {
    await this.#flushRows();
    await this.#flushGrams();
    return { rows: this.#number - this.#skipped, skipped: this.#skipped };
  }

  async #flushRows(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) await insertCatalogRows(this.#tx, this.#tenantId, this.#catalogId, rows);
  }

  async #flushGrams(): Promise<void> {
    const grams = [...this.#grams].map(([gram, numbers]) => ({ gram, row_nos: numbers }));
    this.#grams = new Map();
    this.#named = 0;
    if (grams.length > 0) await insertCatalogGrams(this.#tx, this.#tenantId, this.#catalogId, grams);
  }
}
