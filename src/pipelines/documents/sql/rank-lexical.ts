// BM25 over the inverted table. Candidates come from the rarest words, then every word scores them: a word that stands everywhere costs as
// many lookups as there are candidates, not as many as there are chunks.
import type { Queryable } from '../../../platform/database.ts';
import { filterValues, isFiltering, passingVersions, type SearchFilter } from './search-filter.ts';

export interface WeighedTerm {
  readonly term: string;
  readonly idf: number;
}

export interface Lengths {
  /** Words of an average chunk. */
  readonly average: number;
  readonly k1: number;
  readonly b: number;
  /** What a word in title or headings counts in the text. */
  readonly headWeight: number;
}

/** $2 and $3 are the terms and their idf; $4 to $7 the lengths. */
const weight = (posting: string, idf: string) => {
  const times = `(${posting}.times + $7::real * ${posting}.head_times)`;
  return `${idf} * ${times} * ($5::real + 1) / (${times} + $5::real * (1 - $6::real + $6::real * ${posting}.words / $4::real))`;
};

export interface LexicalCandidate {
  readonly doc_version_id: string;
  readonly chunk_no: number;
  readonly score: number;
}

export async function findLexicalCandidates(
  db: Queryable,
  tenantId: string,
  terms: readonly WeighedTerm[],
  lengths: Lengths,
  filter: SearchFilter,
  limit: number,
): Promise<LexicalCandidate[]> {
  const isFiltered = isFiltering(filter);
  const { rows } = await db.query<LexicalCandidate>({
    name: isFiltered ? 'search-lexical-candidates-filtered' : 'search-lexical-candidates',
    text: `
      ${isFiltered ? `with passing as materialized (${passingVersions(9)})` : ''}
      select p.doc_version_id, u.chunk_no, sum(${weight('u', 'q.idf')})::real as score
      from unnest($2::text[], $3::real[]) as q (term, idf)
      cross join lateral (
        select t.doc_version_id, t.chunk_nos, t.counts, t.head_counts, t.lengths
        from public.chunk_terms t
        where t.tenant_id = $1 and t.term = q.term
          ${isFiltered ? 'and t.doc_version_id in (select doc_version_id from passing)' : ''}
        offset 0
      ) p
      cross join lateral unnest(p.chunk_nos, p.counts, p.head_counts, p.lengths) as u (chunk_no, times, head_times, words)
      group by p.doc_version_id, u.chunk_no
      order by score desc, p.doc_version_id, u.chunk_no
      limit $8`,
    values: [
      tenantId,
      terms.map(({ term }) => term),
      terms.map(({ idf }) => idf),
      ...lengthValues(lengths),
      limit,
      ...(isFiltered ? filterValues(filter) : []),
    ],
  });
  return rows;
}

export interface ScoredChunk {
  readonly chunk_id: string;
  readonly doc_version_id: string;
  readonly chunk_no: number;
  /** What each of the terms adds, in their order. */
  readonly parts: number[];
}

/**
 * All terms over these chunks: those with an id, those by version and number, and the first one of each of their documents. Chunks and postings are
 * found as the first at or behind their place in the order of the one index that has it: by equality the planner may as well take the index of the
 * version alone, and read all chunks or all words of a document for each.
 */
export async function scoreChunks(
  db: Queryable,
  tenantId: string,
  terms: readonly WeighedTerm[],
  lengths: Lengths,
  chunks: {
    readonly ids: readonly string[];
    readonly numbers: readonly { readonly doc_version_id: string; readonly chunk_no: number }[];
  },
): Promise<ScoredChunk[]> {
  const { rows } = await db.query<ScoredChunk>({
    name: 'search-score-chunks',
    text: `
      with named as (
        select c.chunk_id, c.doc_version_id, c.chunk_no
        from unnest($8::uuid[]) as k (chunk_id)
        cross join lateral (select x.* from public.chunks x where x.tenant_id = $1 and x.chunk_id = k.chunk_id offset 0) c
        union
        select c.chunk_id, c.doc_version_id, c.chunk_no
        from unnest($9::uuid[], $10::integer[]) as k (doc_version_id, chunk_no)
        cross join lateral (
          select x.* from public.chunks x
          where x.tenant_id = $1 and x.doc_version_id = k.doc_version_id and x.chunk_no >= k.chunk_no
          order by x.chunk_no limit 1
        ) c
        where c.chunk_no = k.chunk_no
      ), wanted as (
        select * from named
        union
        select c.chunk_id, c.doc_version_id, c.chunk_no
        from (select distinct doc_version_id from named) n
        cross join lateral (
          select x.* from public.chunks x
          where x.tenant_id = $1 and x.doc_version_id = n.doc_version_id
          order by x.chunk_no limit 1
        ) c
        where c.chunk_no = 0
      ), versions as materialized (
        select doc_version_id, array_agg(chunk_no) as chunk_nos from wanted group by doc_version_id
      ), found as materialized (
        select v.doc_version_id, u.chunk_no, q.no, ${weight('u', 'q.idf')} as part
        from versions v
        cross join unnest($2::text[], $3::real[]) with ordinality as q (term, idf, no)
        cross join lateral (
          select t.term, t.doc_version_id, t.chunk_nos, t.counts, t.head_counts, t.lengths from public.chunk_terms t
          where t.tenant_id = $1 and (t.term, t.doc_version_id) >= (q.term, v.doc_version_id)
          order by t.term, t.doc_version_id limit 1
        ) p
        cross join lateral unnest(p.chunk_nos, p.counts, p.head_counts, p.lengths) as u (chunk_no, times, head_times, words)
        where p.term = q.term and p.doc_version_id = v.doc_version_id and u.chunk_no = any (v.chunk_nos)
      ), gathered as (
        select f.doc_version_id, f.chunk_no, array_agg(f.no::integer) as nos, array_agg(f.part::real) as parts
        from found f group by f.doc_version_id, f.chunk_no
      )
      select w.chunk_id, w.doc_version_id, w.chunk_no, coalesce(g.nos, '{}') as nos, coalesce(g.parts, '{}') as parts
      from wanted w
      left join gathered g on g.doc_version_id = w.doc_version_id and g.chunk_no = w.chunk_no`,
    values: [
      tenantId,
      terms.map(({ term }) => term),
      terms.map(({ idf }) => idf),
      ...lengthValues(lengths),
      chunks.ids,
      chunks.numbers.map(({ doc_version_id: version }) => version),
      chunks.numbers.map(({ chunk_no: number }) => number),
    ],
  });
  return (rows as (ScoredChunk & { nos: number[] })[]).map(({ nos, ...chunk }) => {
    const parts = new Array<number>(terms.length).fill(0);
    for (const [at, no] of nos.entries()) parts[no - 1] = chunk.parts[at] ?? 0;
    return { ...chunk, parts };
  });
}

function lengthValues({ average, k1, b, headWeight }: Lengths): number[] {
  return [Math.max(1, average), k1, b, headWeight];
}
