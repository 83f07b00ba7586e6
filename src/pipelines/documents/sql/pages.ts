// Pages of a version: written while it is read, read again for chunks, artifact, export and the console.
import type { Queryable } from '../../../platform/database.ts';
import { storableJson, storableText } from '../../../platform/storable-text.ts';
import type { Fate, PlacedBlock, ReadPage } from '../extract/page.ts';
import { lookUpByIndex } from './look-up-by-index.ts';

/** The same pages again (a part whose checkpoint was lost) change nothing. */
export async function insertPages(
  tx: Queryable,
  tenantId: string,
  versionId: string,
  pages: readonly ReadPage[],
): Promise<void> {
  const rows = pages.map((page) => ({ ...page, text: storableText(page.text) }));
  await tx.query({
    name: 'documents-insert-pages',
    text: `
      insert into public.document_pages
        (tenant_id, doc_version_id, page_no, fate, reason, width, height, text, blocks, char_start, char_end, ocr_confidence,
         garbled_share, tables, tables_lost)
      select $1, $2, p."pageNo", p.fate, p.reason, p.width, p.height, p.text, p.blocks, p."charStart", p."charEnd", p."ocrConfidence",
             p."garbledShare", p.tables, p."tablesLost"
      from jsonb_to_recordset($3::jsonb) as p (
        "pageNo" integer, fate text, reason text, width real, height real, text text, blocks jsonb, "charStart" bigint,
        "charEnd" bigint, "ocrConfidence" real, "garbledShare" real, tables integer, "tablesLost" integer)
      on conflict do nothing`,
    values: [tenantId, versionId, storableJson(rows)],
  });
}

interface PageRow {
  page_no: number;
  fate: Fate;
  reason: string | null;
  width: number | null;
  height: number | null;
  text: string;
  blocks: PlacedBlock[];
  char_start: number;
  char_end: number;
  ocr_confidence: number | null;
  garbled_share: number;
  tables: number;
  tables_lost: number;
}

const columns = `p.page_no, p.fate, p.reason, p.width, p.height, p.text, p.blocks, p.char_start, p.char_end, p.ocr_confidence,
  p.garbled_share, p.tables, p.tables_lost`;

export async function selectPages(
  db: Queryable,
  tenantId: string,
  versionId: string,
  after: number,
  limit: number,
): Promise<ReadPage[]> {
  const { rows } = await db.query<PageRow>({
    name: 'documents-select-pages',
    text: `
      select ${columns} from public.document_pages p
      where p.tenant_id = $1 and p.doc_version_id = $2 and p.page_no > $3
      order by p.page_no
      limit $4`,
    values: [tenantId, versionId, after, limit],
  });
  return rows.map(viewPage);
}

export interface PageFacts {
  readonly page_no: number;
  readonly fate: Fate;
  readonly reason: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly chars: number;
  readonly char_start: number;
  readonly char_end: number;
  readonly ocr_confidence: number | null;
  readonly tables: number;
  readonly tables_lost: number;
}

/** Without their text. `fates`: only pages that ended so. */
export async function listPages(
  db: Queryable,
  of: { readonly tenantId: string; readonly versionId: string },
  page: { readonly fates: readonly string[] | null; readonly after: number; readonly limit: number },
): Promise<PageFacts[]> {
  const { rows } = await db.query<PageFacts>({
    name: 'documents-list-pages',
    text: `
      select p.page_no, p.fate, p.reason, p.width, p.height, length(p.text) as chars, p.char_start, p.char_end, p.ocr_confidence,
             p.tables, p.tables_lost
      from public.document_pages p
      where p.tenant_id = $1 and p.doc_version_id = $2 and p.page_no > $3 and ($4::text[] is null or p.fate = any ($4))
      order by p.page_no
      limit $5`,
    values: [of.tenantId, of.versionId, page.after, page.fates, page.limit],
  });
  return rows;
}

/** What the recount of a receipt goes by. */
export async function countFates(db: Queryable, tenantId: string, versionId: string): Promise<Record<string, number>> {
  await lookUpByIndex(db);
  const { rows } = await db.query<{ fate: string; pages: number }>({
    name: 'documents-count-fates',
    text: `
      select p.fate, count(*) as pages from public.document_pages p
      where p.tenant_id = $1 and p.doc_version_id = $2
      group by p.fate`,
    values: [tenantId, versionId],
  });
  return Object.fromEntries(rows.map(({ fate, pages }) => [fate, pages]));
}

function viewPage(row: PageRow): ReadPage {
  return {
    pageNo: row.page_no,
    fate: row.fate,
    reason: row.reason,
    width: row.width,
    height: row.height,
    text: row.text,
    blocks: row.blocks,
    charStart: row.char_start,
    charEnd: row.char_end,
    ocrConfidence: row.ocr_confidence,
    garbledShare: row.garbled_share,
    tables: row.tables,
    tablesLost: row.tables_lost,
  };
}
