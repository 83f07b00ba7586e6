// What two models are compared on: questions that were asked, and passages of the tenant's own documents.
import type { Queryable } from '../../../platform/database.ts';

/** The newest questions, each once. Those of conversations are their owners' alone. */
export async function listAskedQuestions(db: Queryable, tenantId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ question: string }>({
    name: 'documents-list-asked-questions',
    text: `
      select q.question from (
        select r.question, max(r.query_id::text) as newest
        from (select p.question, p.query_id from public.queries p
              where p.tenant_id = $1 and p.conversation_id is null
              order by p.query_id desc limit 2000) r
        group by r.question
      ) q
      order by q.newest desc
      limit $2`,
    values: [tenantId, limit],
  });
  return rows.map(({ question }) => question);
}

export interface ProbeChunk {
  readonly chunk_id: string;
  readonly text: string;
}

/** The same for the same documents, spread over all of them. */
export async function listProbeChunks(db: Queryable, tenantId: string, limit: number): Promise<ProbeChunk[]> {
  const { rows } = await db.query<ProbeChunk>({
    name: 'documents-list-probe-chunks',
    text: `
      with spread as materialized (
        select v.doc_version_id, v.chunk_count from public.document_versions v
        where v.tenant_id = $1 and v.is_active and v.chunk_count > 0
        order by md5(v.doc_version_id::text)
        limit $2
      )
      select c.chunk_id, c.text
      from (
        select s.doc_version_id, n as chunk_no, row_number() over (partition by s.doc_version_id order by md5(s.doc_version_id::text || n::text)) as turn
        from spread s cross join lateral generate_series(0, least(s.chunk_count, 200) - 1) n
      ) pick
      join public.chunks c on c.tenant_id = $1 and c.doc_version_id = pick.doc_version_id and c.chunk_no = pick.chunk_no
      order by pick.turn, md5(c.chunk_id::text)
      limit $2`,
    values: [tenantId, limit],
  });
  return rows;
}

export interface ChunkPlace {
  readonly chunk_id: string;
  readonly doc_id: string;
  readonly title: string;
  readonly page: number;
}

export async function readChunkPlaces(
  db: Queryable,
  tenantId: string,
  chunkIds: readonly string[],
): Promise<Map<string, ChunkPlace>> {
  if (chunkIds.length === 0) return new Map();
  const { rows } = await db.query<ChunkPlace>({
    name: 'documents-read-chunk-places',
    text: `
      select c.chunk_id, c.doc_id, d.title, c.page_from as page
      from unnest($2::uuid[]) as k (chunk_id)
      cross join lateral (
        select x.chunk_id, x.doc_id, x.page_from from public.chunks x where x.tenant_id = $1 and x.chunk_id = k.chunk_id limit 1
      ) c
      cross join lateral (
        select x.title from public.documents x where x.tenant_id = $1 and x.doc_id = c.doc_id limit 1
      ) d`,
    values: [tenantId, chunkIds],
  });
  return new Map(rows.map((row) => [row.chunk_id, row]));
}
