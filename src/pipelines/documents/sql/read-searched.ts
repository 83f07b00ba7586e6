// What a search covers: how much is served, in which languages, and what the words of a query are called there.
import type { Queryable } from '../../../platform/database.ts';
import { filterValues, passingVersions, type SearchFilter } from './search-filter.ts';

export interface Searched {
  readonly documents: number;
  readonly chunks: number;
  /** Words of all chunks. */
  readonly length: number;
}

export interface Searchable extends Searched {
  /** The configurations that documents are stemmed by. */
  readonly configs: string[];
  /** The model that questions are asked with. */
  readonly model: { readonly model_id: string; readonly abstain_below: number | null } | null;
}

/** All that a search must know of a tenant beforehand, in one statement: each by itself would be a way to the server and back. */
export async function readSearchable(db: Queryable, tenantId: string): Promise<Searchable> {
  const { rows } = await db.query<Searchable>({
    name: 'search-read-searchable',
    // The languages are found by one step of the index each.
    text: `
      with recursive found (config) as (
        (select v.search_config from public.document_versions v
         where v.tenant_id = $1 and v.is_active = true order by v.search_config limit 1)
        union all
        select (select v.search_config from public.document_versions v
                where v.tenant_id = $1 and v.is_active = true and v.search_config > f.config order by v.search_config limit 1)
        from found f where f.config is not null
      )
      select s.documents, s.chunks, s.length,
             array(select f.config from found f where f.config is not null) as configs,
             (select jsonb_build_object('model_id', m.model_id, 'abstain_below', m.abstain_below) from public.embedding_models m
              where m.tenant_id = $1 and m.state = 'active') as model
      from (
        select count(*) as documents, coalesce(sum(v.chunk_count), 0)::bigint as chunks, coalesce(sum(v.term_length), 0)::bigint as length
        from public.document_versions v
        where v.tenant_id = $1 and v.is_active = true
      ) s`,
    values: [tenantId],
  });
  return rows[0] ?? { documents: 0, chunks: 0, length: 0, configs: [], model: null };
}

/** What filters leave of it. */
export async function countPassing(
  db: Queryable,
  tenantId: string,
  filter: SearchFilter,
): Promise<Omit<Searched, 'length'>> {
  const { rows } = await db.query<Omit<Searched, 'length'>>({
    name: 'search-count-passing',
    text: `
      select count(*) as documents, coalesce(sum(x.chunk_count), 0)::bigint as chunks
      from (${passingVersions(2)}) p
      join public.document_versions x on x.tenant_id = $1 and x.doc_version_id = p.doc_version_id`,
    values: [tenantId, ...filterValues(filter)],
  });
  return rows[0] ?? { documents: 0, chunks: 0 };
}

export interface LexemeRow {
  readonly word_no: number;
  readonly config: string;
  readonly lexemes: string[];
}

/** What each word is called in each of the configurations. None at all: it is so common that it says nothing. */
export async function readLexemes(
  db: Queryable,
  words: readonly string[],
  configs: readonly string[],
): Promise<LexemeRow[]> {
  const { rows } = await db.query<LexemeRow>({
    name: 'search-read-lexemes',
    text: `
      select w.no::integer - 1 as word_no, c.config, tsvector_to_array(to_tsvector(c.config::regconfig, w.word)) as lexemes
      from unnest($1::text[]) with ordinality as w (word, no) cross join unnest($2::text[]) as c (config)`,
    values: [words, configs],
  });
  return rows;
}

export interface TermCount {
  readonly term: string;
  /** Versions that have it, counted up to a limit. */
  readonly versions: number;
  /** Of a first few of them: how many, and how many of their chunks have it. */
  readonly sampled: number;
  readonly sampled_chunks: number;
}

/** A term that stands everywhere is not counted to its end. */
export async function countTerms(
  db: Queryable,
  tenantId: string,
  terms: readonly string[],
  most: number,
): Promise<TermCount[]> {
  const { rows } = await db.query<TermCount>({
    name: 'search-count-terms',
    text: `
      select q.term, n.versions, s.sampled, s.sampled_chunks
      from unnest($2::text[]) as q (term)
      cross join lateral (
        select count(*) as versions
        from (select from public.chunk_terms t where t.tenant_id = $1 and t.term = q.term limit $3) t
      ) n
      cross join lateral (
        select count(*) as sampled, coalesce(sum(cardinality(t.chunk_nos)), 0)::bigint as sampled_chunks
        from (select t.chunk_nos from public.chunk_terms t where t.tenant_id = $1 and t.term = q.term limit 300) t
      ) s`,
    values: [tenantId, terms, most],
  });
  return rows;
}

/** Terms of the tenant that begin with each of these, each by one step of the index. */
export async function listTermsFrom(
  db: Queryable,
  tenantId: string,
  prefixes: readonly string[],
  most: number,
): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ prefix: string; terms: string[] }>({
    name: 'search-list-terms-from',
    text: `
      select q.prefix, l.terms
      from unnest($2::text[]) as q (prefix)
      cross join lateral (
        with recursive found (term, no) as (
          (select t.term, 1 from public.chunk_terms t where t.tenant_id = $1 and t.term >= q.prefix order by t.term limit 1)
          union all
          select (select t.term from public.chunk_terms t where t.tenant_id = $1 and t.term > f.term order by t.term limit 1), f.no + 1
          from found f where f.term is not null and f.no < $3 and starts_with(f.term, q.prefix)
        )
        select array_agg(f.term) filter (where starts_with(f.term, q.prefix)) as terms from found f
      ) l
      where l.terms is not null`,
    values: [tenantId, prefixes, most],
  });
  return new Map(rows.map(({ prefix, terms }) => [prefix, terms]));
}
