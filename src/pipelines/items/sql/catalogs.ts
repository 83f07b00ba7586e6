// Catalogues: their versions, their rows by SKU and GTIN, and the trigrams of their names.
import type { Queryable } from '../../../platform/database.ts';

export interface CatalogRow {
  readonly catalog_id: string;
  readonly name: string;
  readonly version: number;
  readonly file_name: string;
  readonly row_count: number;
  readonly skipped_rows: number;
  readonly columns: string[];
  readonly created_at: Date;
}

const columns = 'catalog_id, name, version, file_name, row_count, skipped_rows, columns, created_at';

/** A new version of the name. Two at a time: the second is told by the unique key and tried again by its caller. */
export async function insertCatalog(
  db: Queryable,
  catalog: {
    catalogId: string;
    tenantId: string;
    name: string;
    fileName: string;
    columns: readonly string[];
    by: string | null;
  },
): Promise<CatalogRow> {
  const { rows } = await db.query<CatalogRow>({
    name: 'items-insert-catalog',
    text: `
      insert into public.item_catalogs (catalog_id, tenant_id, name, version, file_name, columns, created_by)
      select $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, $6
      from public.item_catalogs where tenant_id = $2 and name = $3
      returning ${columns}`,
    values: [
      catalog.catalogId,
      catalog.tenantId,
      catalog.name,
      catalog.fileName,
      JSON.stringify(catalog.columns),
      catalog.by,
    ],
  });
  return rows[0] as CatalogRow;
}

export interface NewCatalogRow {
  readonly row_no: number;
  readonly sku_key: string | null;
  readonly gtin: string | null;
  readonly name_key: string;
  readonly data: Readonly<Record<string, string>>;
}

export async function insertCatalogRows(
  db: Queryable,
  tenantId: string,
  catalogId: string,
  rows: readonly NewCatalogRow[],
): Promise<void> {
  await db.query({
    name: 'items-insert-catalog-rows',
    text: `
      insert into public.item_catalog_rows (tenant_id, catalog_id, row_no, sku_key, gtin, name_key, data)
      select $1, $2, g.row_no, g.sku_key, g.gtin, g.name_key, g.data
      from jsonb_to_recordset($3::jsonb) as g (row_no int, sku_key text, gtin text, name_key text, data jsonb)`,
    values: [tenantId, catalogId, JSON.stringify(rows)],
  });
}

export async function insertCatalogGrams(
  db: Queryable,
  tenantId: string,
  catalogId: string,
  grams: readonly { readonly gram: string; readonly row_nos: readonly number[] }[],
): Promise<void> {
  await db.query({
    name: 'items-insert-catalog-grams',
    text: `
      insert into public.item_catalog_grams as c (tenant_id, catalog_id, gram, row_nos)
      select $1, $2, g.gram, array(select jsonb_array_elements_text(g.row_nos)::int)
      from jsonb_to_recordset($3::jsonb) as g (gram text, row_nos jsonb)
      order by g.gram
      on conflict (catalog_id, gram) do update set row_nos = c.row_nos || excluded.row_nos`,
    values: [tenantId, catalogId, JSON.stringify(grams)],
  });
}

export async function finishCatalog(
  db: Queryable,
  catalogId: string,
  counts: { readonly rows: number; readonly skipped: number },
): Promise<CatalogRow> {
  const { rows } = await db.query<CatalogRow>({
    name: 'items-finish-catalog',
    text: `update public.item_catalogs set row_count = $2, skipped_rows = $3 where catalog_id = $1 returning ${columns}`,
    values: [catalogId, counts.rows, counts.skipped],
  });
  return rows[0] as CatalogRow;
}

/** The newest version of a name. */
export async function findCatalog(db: Queryable, tenantId: string, name: string): Promise<CatalogRow | undefined> {
  const { rows } = await db.query<CatalogRow>({
    name: 'items-find-catalog',
    text: `
      select ${columns} from public.item_catalogs
      where tenant_id = $1 and name = $2 and deleted_at is null order by version desc limit 1`,
    values: [tenantId, name],
  });
  return rows[0];
}

/** Until the transaction ends, nobody else who asks for this lock looks for the name or loads it. */
export async function lockCatalogName(db: Queryable, tenantId: string, name: string): Promise<void> {
  await db.query({
    name: 'items-lock-catalog-name',
    text: `select pg_advisory_xact_lock(hashtextextended('item_catalogs:' || $1::text || ':' || $2::text, 0))`,
    values: [tenantId, name],
  });
}

/** The one that was uploaded last, for jobs that name none. */
export async function findNewestCatalog(db: Queryable, tenantId: string): Promise<CatalogRow | undefined> {
  const { rows } = await db.query<CatalogRow>({
    name: 'items-find-newest-catalog',
    text: `
      select ${columns} from public.item_catalogs
      where tenant_id = $1 and deleted_at is null order by created_at desc limit 1`,
    values: [tenantId],
  });
  return rows[0];
}

/** With whether it was deleted. */
export async function readCatalog(
  db: Queryable,
  catalogId: string,
): Promise<(CatalogRow & { readonly is_gone: boolean }) | undefined> {
  const { rows } = await db.query<CatalogRow & { is_gone: boolean }>({
    name: 'items-read-catalog',
    text: `select ${columns}, deleted_at is not null as is_gone from public.item_catalogs where catalog_id = $1`,
    values: [catalogId],
  });
  return rows[0];
}

export async function listCatalogs(db: Queryable, tenantId: string): Promise<CatalogRow[]> {
  const { rows } = await db.query<CatalogRow>({
    name: 'items-list-catalogs',
    text: `
      select distinct on (name) ${columns} from public.item_catalogs
      where tenant_id = $1 and deleted_at is null order by name, version desc limit 500`,
    values: [tenantId],
  });
  return rows;
}

/** False: it is not there, or was deleted before. */
export async function deleteCatalog(db: Queryable, tenantId: string, catalogId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'items-delete-catalog',
    text: `update public.item_catalogs set deleted_at = engine.now() where tenant_id = $1 and catalog_id = $2 and deleted_at is null`,
    values: [tenantId, catalogId],
  });
  return rowCount === 1;
}

export async function deleteCatalogRows(db: Queryable, catalogId: string): Promise<void> {
  await db.query({
    name: 'items-delete-catalog-grams',
    text: `delete from public.item_catalog_grams where catalog_id = $1`,
    values: [catalogId],
  });
  await db.query({
    name: 'items-delete-catalog-rows',
    text: `delete from public.item_catalog_rows where catalog_id = $1`,
    values: [catalogId],
  });
}

export interface MatchedRow {
  readonly row_no: number;
  readonly sku_key: string | null;
  readonly gtin: string | null;
  readonly name_key: string;
  readonly data: Record<string, string>;
}

const matched = 'row_no, sku_key, gtin, name_key, data';

/** The first row of each key. One step into the index of the keys for each: asked for a list, a catalogue read from its beginning looks as good. */
const firstOfEach = (key: 'sku_key' | 'gtin') => `
      select r.* from (select distinct key from unnest($2::text[]) as g (key)) k
      cross join lateral (
        select ${matched} from public.item_catalog_rows
        where catalog_id = $1 and ${key} >= k.key order by ${key}, row_no limit 1
      ) r
      where r.${key} = k.key`;

export async function rowsBySku(db: Queryable, catalogId: string, keys: readonly string[]): Promise<MatchedRow[]> {
  const { rows } = await db.query<MatchedRow>({
    name: 'items-catalog-rows-by-sku',
    text: firstOfEach('sku_key'),
    values: [catalogId, keys],
  });
  return rows;
}

export async function rowsByGtin(db: Queryable, catalogId: string, keys: readonly string[]): Promise<MatchedRow[]> {
  const { rows } = await db.query<MatchedRow>({
    name: 'items-catalog-rows-by-gtin',
    text: firstOfEach('gtin'),
    values: [catalogId, keys],
  });
  return rows;
}

export async function rowsByNumber(
  db: Queryable,
  catalogId: string,
  numbers: readonly number[],
): Promise<MatchedRow[]> {
  const { rows } = await db.query<MatchedRow>({
    name: 'items-catalog-rows-by-number',
    text: `select ${matched} from public.item_catalog_rows where catalog_id = $1 and row_no = any ($2)`,
    values: [catalogId, numbers],
  });
  return rows;
}

/** How many names hold each trigram. */
export async function countGrams(
  db: Queryable,
  catalogId: string,
  grams: readonly string[],
): Promise<{ readonly gram: string; readonly names: number }[]> {
  const { rows } = await db.query<{ gram: string; names: number }>({
    name: 'items-count-grams',
    text: `select gram, cardinality(row_nos) as names from public.item_catalog_grams where catalog_id = $1 and gram = any ($2)`,
    values: [catalogId, grams],
  });
  return rows;
}

export async function rowsWithGrams(
  db: Queryable,
  catalogId: string,
  grams: readonly string[],
): Promise<{ readonly gram: string; readonly row_nos: number[] }[]> {
  const { rows } = await db.query<{ gram: string; row_nos: number[] }>({
    name: 'items-rows-with-grams',
    text: `select gram, row_nos from public.item_catalog_grams where catalog_id = $1 and gram = any ($2)`,
    values: [catalogId, grams],
  });
  return rows;
}
