import type { Queryable } from '../../../platform/database.ts';
import type { PlacedBlock } from '../extract/page.ts';

export interface PageOfVersion {
  readonly doc_version_id: string;
  readonly page_no: number;
  readonly text: string;
  readonly blocks: PlacedBlock[];
}

export async function readPagesOf(
  db: Queryable,
  tenantId: string,
  wanted: readonly { readonly versionId: string; readonly page: number }[],
): Promise<PageOfVersion[]> {
  const { rows } = await db.query<PageOfVersion>({
    name: 'search-read-pages-of',
    text: `
      select p.doc_version_id, p.page_no, p.text, p.blocks
      from (select distinct * from unnest($2::uuid[], $3::integer[]) as k (doc_version_id, page_no)) k
      cross join lateral (
        select x.* from public.document_pages x where x.tenant_id = $1 and x.doc_version_id = k.doc_version_id and x.page_no = k.page_no offset 0
      ) p`,
    values: [tenantId, wanted.map(({ versionId }) => versionId), wanted.map(({ page }) => page)],
  });
  return rows;
}
