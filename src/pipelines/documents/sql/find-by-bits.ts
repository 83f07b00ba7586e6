// Vectors without an extension: candidates by the Hamming distance of their signs, and the floats of a few to score exactly.
import type { Queryable } from '../../../platform/database.ts';
import { filterValues, isFiltering, passingVersions, type SearchFilter } from './search-filter.ts';

export interface PassageKey {
  readonly chunk_id: string;
  readonly passage_no: number;
}

export async function findByBits(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string },
  bits: string,
  filter: SearchFilter,
  limit: number,
): Promise<PassageKey[]> {
  const isFiltered = isFiltering(filter);
  const { rows } = await db.query<PassageKey>({
    name: isFiltered ? 'search-find-by-bits-filtered' : 'search-find-by-bits',
    text: `
      ${isFiltered ? `with passing as materialized (${passingVersions(5)})` : ''}
      select s.chunk_id, s.passage_no
      from public.chunk_signatures s
      where s.tenant_id = $1 and s.model_id = $2
        ${isFiltered ? 'and s.doc_version_id in (select doc_version_id from passing)' : ''}
      order by bit_count(s.bits # $3::varbit)
      limit $4`,
    values: [of.tenantId, of.modelId, bits, limit, ...(isFiltered ? filterValues(filter) : [])],
  });
  return rows;
}

export interface PassageVectors {
  readonly chunkIds: string[];
  readonly passageNos: number[];
  /** One after the other. */
  readonly floats: Buffer;
}

const nothing: PassageVectors = { chunkIds: [], passageNos: [], floats: Buffer.alloc(0) };

interface Gathered {
  readonly chunk_ids: string[] | null;
  readonly passage_nos: number[] | null;
  readonly floats: Buffer | null;
}

/** In one value: a row each would cost more than their bytes. */
export async function readVectors(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string },
  passages: readonly PassageKey[],
): Promise<PassageVectors> {
  if (passages.length === 0) return nothing;
  const { rows } = await db.query<Gathered>({
    name: 'search-read-vectors',
    text: `
      select array_agg(e.chunk_id::text order by k.no) as chunk_ids, array_agg(e.passage_no order by k.no) as passage_nos,
             string_agg(e.embedding, ''::bytea order by k.no) as floats
      from unnest($3::uuid[], $4::integer[]) with ordinality as k (chunk_id, passage_no, no)
      cross join lateral (
        select x.chunk_id, x.passage_no, x.model_id, x.embedding from public.chunk_embeddings x
        where x.tenant_id = $1 and x.chunk_id = k.chunk_id and x.passage_no = k.passage_no
        offset 0
      ) e
      where e.model_id = $2`,
    values: [
      of.tenantId,
      of.modelId,
      passages.map(({ chunk_id: id }) => id),
      passages.map(({ passage_no: number }) => number),
    ],
  });
  return gathered(rows[0]);
}

/** All passages of these chunks. */
export async function readChunkVectors(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string },
  chunkIds: readonly string[],
): Promise<PassageVectors> {
  if (chunkIds.length === 0) return nothing;
  const { rows } = await db.query<Gathered>({
    name: 'search-read-chunk-vectors',
    text: `
      select array_agg(e.chunk_id::text order by k.no, e.passage_no) as chunk_ids,
             array_agg(e.passage_no order by k.no, e.passage_no) as passage_nos,
             string_agg(e.embedding, ''::bytea order by k.no, e.passage_no) as floats
      from unnest($3::uuid[]) with ordinality as k (chunk_id, no)
      cross join lateral (
        select x.chunk_id, x.passage_no, x.model_id, x.embedding from public.chunk_embeddings x
        where x.tenant_id = $1 and x.chunk_id = k.chunk_id
        offset 0
      ) e
      where e.model_id = $2`,
    values: [of.tenantId, of.modelId, chunkIds],
  });
  return gathered(rows[0]);
}

function gathered(row: Gathered | undefined): PassageVectors {
  return {
    chunkIds: row?.chunk_ids ?? [],
    passageNos: row?.passage_nos ?? [],
    floats: row?.floats ?? Buffer.alloc(0),
  };
}
