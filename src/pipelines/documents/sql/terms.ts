import type { Queryable } from '../../../platform/database.ts';

export interface TermsRow {
  readonly chunkId: string;
  readonly title: string;
  readonly headings: string;
  readonly text: string;
}

/** Again after a crash: the same rows. */
export async function insertTerms(
  tx: Queryable,
  of: { readonly tenantId: string; readonly versionId: string; readonly config: string },
  rows: readonly TermsRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'documents-insert-terms',
    text: `
      insert into public.chunk_fts (tenant_id, doc_version_id, chunk_id, tsv)
      select $1, $2, t.chunk_id,
             setweight(to_tsvector($3::regconfig, t.title), 'A') || setweight(to_tsvector($3::regconfig, t.headings), 'B')
               || to_tsvector($3::regconfig, t.text)
      from unnest($4::uuid[], $5::text[], $6::text[], $7::text[]) as t (chunk_id, title, headings, text)
      on conflict do nothing`,
    values: [
      of.tenantId,
      of.versionId,
      of.config,
      rows.map(({ chunkId }) => chunkId),
      rows.map(({ title }) => title),
      rows.map(({ headings }) => headings),
      rows.map(({ text }) => text),
    ],
  });
}
