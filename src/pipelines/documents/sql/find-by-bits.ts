// Vectors without an extension: those whose signs come nearest by Hamming distance, of them the best by the numbers of the question against
// their signs, and the floats of these to be scored exactly.
import type { Queryable } from '../../../platform/database.ts';
import { filterValues, isFiltering, passingVersions, type SearchFilter } from './search-filter.ts';

export interface AskedBits {
  readonly signs: string;
  /** Of weight 1, 2, 4 and -8. */
  readonly planes: readonly [string, string, string, string];
}

export interface HowMany {
  /** Nearest by signs. */
  readonly met: number;
  /** Of them, those whose floats are read. */
  readonly read: number;
}

export interface PassageVectors {
  /** By signs, before the best of them were chosen. */
  readonly met: number;
  readonly chunkIds: string[];
  readonly passageNos: number[];
  /** One after the other. */
  readonly floats: Buffer;
}

interface Gathered {
  readonly met?: number;
  readonly chunk_ids: string[] | null;
  readonly passage_nos: number[] | null;
  readonly floats: Buffer | null;
}

/** What $5 to $8, the planes of the question, say of signs: the greater the nearer. */
const nearness = `bit_count(m.bits & $5::varbit) + 2 * bit_count(m.bits & $6::varbit)
               + 4 * bit_count(m.bits & $7::varbit) - 8 * bit_count(m.bits & $8::varbit)`;

/** The floats of the $9 nearest of `met`, in one value: a row each would cost more than their bytes. */
export const readNearest = `
      near as materialized (
        select m.chunk_id, m.passage_no from met m order by ${nearness} desc limit $9
      )
      select array_agg(e.chunk_id::text) as chunk_ids, array_agg(e.passage_no) as passage_nos, string_agg(e.embedding, ''::bytea) as floats,
             (select count(*) from met) as met
      from near n
      cross join lateral (
        select x.chunk_id, x.passage_no, x.model_id, x.embedding from public.chunk_embeddings x
        where x.tenant_id = $1 and x.chunk_id = n.chunk_id and x.passage_no = n.passage_no
        offset 0
      ) e
      where e.model_id = $2`;

export async function findByBits(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string },
  { signs, planes }: AskedBits,
  filter: SearchFilter,
  { met, read }: HowMany,
): Promise<PassageVectors> {
  const isFiltered = isFiltering(filter);
  const { rows } = await db.query<Gathered>({
    name: isFiltered ? 'search-find-by-bits-filtered' : 'search-find-by-bits',
    text: `
      with ${isFiltered ? `passing as materialized (${passingVersions(10)}),` : ''} met as materialized (
        select s.chunk_id, s.passage_no, s.bits
        from public.chunk_signatures s
        where s.tenant_id = $1 and s.model_id = $2
          ${isFiltered ? 'and s.doc_version_id in (select doc_version_id from passing)' : ''}
        order by bit_count(s.bits # $3::varbit)
        limit $4
      ), ${readNearest}`,
    values: [of.tenantId, of.modelId, signs, met, ...planes, read, ...(isFiltered ? filterValues(filter) : [])],
  });
  return gathered(rows[0]);
}

/** All passages of these chunks. */
export async function readChunkVectors(
  db: Queryable,
  of: { readonly tenantId: string; readonly modelId: string },
  chunkIds: readonly string[],
): Promise<PassageVectors> {
  if (chunkIds.length === 0) return gathered(undefined);
  const { rows } = await db.query<Gathered>({
    name: 'search-read-chunk-vectors',
    text: `
      select array_agg(e.chunk_id::text) as chunk_ids, array_agg(e.passage_no) as passage_nos, string_agg(e.embedding, ''::bytea) as floats
      from unnest($3::uuid[]) as k (chunk_id)
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

export function gathered(row: Gathered | undefined): PassageVectors {
  return {
    met: row?.met ?? 0,
    chunkIds: row?.chunk_ids ?? [],
    passageNos: row?.passage_nos ?? [],
    floats: row?.floats ?? Buffer.alloc(0),
  };
}
