import type { Queryable } from '../../../platform/database.ts';
import type { LexicalCandidate } from './rank-lexical.ts';
import { filterValues, isFiltering, passingVersions, type SearchFilter } from './search-filter.ts';

/** Chunks in which every phrase stands, found through the rarest word of them: whoever has the phrase has the word. */
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
      join public.document_versions v on v.tenant_id = $1 and v.doc_version_id = t.doc_version_id
      cross join lateral unnest(t.chunk_nos) as u (chunk_no)
      join public.chunks c on c.tenant_id = $1 and c.doc_version_id = t.doc_version_id and c.chunk_no = u.chunk_no
      join public.chunk_fts f on f.tenant_id = $1 and f.chunk_id = c.chunk_id
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
