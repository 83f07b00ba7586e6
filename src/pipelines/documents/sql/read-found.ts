// The chunks that were found, with what is shown of them; and which of them a phrase or an excluded word takes out.
import type { Queryable } from '../../../platform/database.ts';

export interface FoundChunk {
  readonly chunk_id: string;
  readonly doc_id: string;
  readonly doc_version_id: string;
  readonly version_no: number;
  readonly title: string;
  readonly source_type: string;
  readonly unit: 'page' | 'section';
  readonly chunk_no: number;
  readonly page_from: number;
  readonly page_to: number;
  readonly heading_path: string[];
  readonly text: string;
  readonly boxes: { page: number; x?: number; y?: number; w?: number; h?: number; start?: number; end?: number }[];
  readonly passages: { passage_no: number; page_no: number; char_start: number; char_end: number }[];
}

/** Only of versions that are served at this moment. */
export async function readFound(db: Queryable, tenantId: string, chunkIds: readonly string[]): Promise<FoundChunk[]> {
  const { rows } = await db.query<FoundChunk>({
    name: 'search-read-found',
    text: `
      select c.chunk_id, c.doc_id, c.doc_version_id, v.version_no, d.title, d.source_type, v.unit, c.chunk_no, c.page_from, c.page_to,
             c.heading_path, c.text, c.boxes,
             coalesce((select jsonb_agg(jsonb_build_object('passage_no', p.passage_no, 'page_no', p.page_no,
                                                           'char_start', p.char_start, 'char_end', p.char_end) order by p.passage_no)
                       from public.chunk_passages p where p.tenant_id = $1 and p.chunk_id = c.chunk_id), '[]') as passages
      from unnest($2::uuid[]) as k (chunk_id)
      cross join lateral (select x.* from public.chunks x where x.tenant_id = $1 and x.chunk_id = k.chunk_id offset 0) c
      cross join lateral (
        select x.version_no, x.unit from public.document_versions x
        where x.tenant_id = $1 and x.doc_version_id = c.doc_version_id and x.is_active = true
        offset 0
      ) v
      cross join lateral (
        select x.title, x.source_type from public.documents x where x.tenant_id = $1 and x.doc_id = c.doc_id offset 0
      ) d`,
    values: [tenantId, chunkIds],
  });
  return rows;
}

/** Those in which every phrase stands and no excluded word does, in the language of their document. */
export async function keepMatching(
  db: Queryable,
  tenantId: string,
  chunkIds: readonly string[],
  rule: { readonly phrases: readonly string[]; readonly excluded: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await db.query<{ chunk_id: string }>({
    name: 'search-keep-matching',
    text: `
      select f.chunk_id
      from unnest($2::uuid[]) as k (chunk_id)
      cross join lateral (select x.* from public.chunk_fts x where x.tenant_id = $1 and x.chunk_id = k.chunk_id offset 0) f
      cross join lateral (
        select x.search_config from public.document_versions x where x.tenant_id = $1 and x.doc_version_id = f.doc_version_id offset 0
      ) v
      where not exists (select from unnest($3::text[]) as p (phrase)
                        where numnode(phraseto_tsquery(v.search_config::regconfig, p.phrase)) > 0
                          and not f.tsv @@ phraseto_tsquery(v.search_config::regconfig, p.phrase))
        and not exists (select from unnest($4::text[]) as x (word) where f.tsv @@ plainto_tsquery(v.search_config::regconfig, x.word))`,
    values: [tenantId, chunkIds, rule.phrases, rule.excluded],
  });
  return new Set(rows.map(({ chunk_id: id }) => id));
}

/** The model a tenant's questions are asked with. */
export interface ActiveModel {
  readonly model_id: string;
  readonly dims: number;
  readonly abstain_below: number | null;
}

export async function readActiveModel(db: Queryable, tenantId: string): Promise<ActiveModel | undefined> {
  const { rows } = await db.query<ActiveModel>({
    name: 'search-read-active-model',
    text: `select m.model_id, m.dims, m.abstain_below from public.embedding_models m where m.tenant_id = $1 and m.state = 'active'`,
    values: [tenantId],
  });
  return rows[0];
}
