import type { Queryable } from '../../../platform/database.ts';
import type { LexicalCandidate } from './rank-lexical.ts';
import { filterValues, isFiltering, passingVersions, type SearchFilter } from './search-filter.ts';

/** Chunks in which every phrase stands, found through its rarest word: a chunk with the phrase has the word. */
export async function findPhrase(
  db: Queryable,
  tenantId: string,
  term: string,
  phrases: readonly string[],
  filter: SearchFilter,
  limit: number,
): Promise<LexicalCandidate[]> {
  const isFiltered = isFiltering(filter);
  const { rows } = await db.query<LexicalCandidate>({
    name: isFiltered ? 'search-find-phrase-filtered' : 'search-find-phrase',
    text: `
      ${isFiltered ? `with passing as materialized (${passingVersions(5)})` : ''}
      select c.doc_version_id, c.chunk_no, 0::real as score
      from public.chunk_terms t
      cross join lateral (
        select x.search_config from public.document_versions x where x.tenant_id = $1 and x.doc_version_id = t.doc_version_id offset 0
      ) v
      cross join lateral unnest(t.chunk_nos) as u (chunk_no)
      cross join lateral (
        select x.chunk_id, x.doc_version_id, x.chunk_no from public.chunks x
        where x.tenant_id = $1 and x.doc_version_id = t.doc_version_id and x.chunk_no = u.chunk_no
        offset 0
      ) c
      cross join lateral (select x.tsv from public.chunk_fts x where x.tenant_id = $1 and x.chunk_id = c.chunk_id offset 0) f
      where t.tenant_id = $1 and t.term = $2
        ${isFiltered ? 'and t.doc_version_id in (select doc_version_id from passing)' : ''}
        and not exists (select from unnest($3::text[]) as p (phrase)
                        where numnode(phraseto_tsquery(v.search_config::regconfig, p.phrase)) > 0
                          and not f.tsv @@ phraseto_tsquery(v.search_config::regconfig, p.phrase))
      limit $4`,
    values: [tenantId, term, phrases, limit, ...(isFiltered ? filterValues(filter) : [])],
  });
  return rows;
}
