// What the recount of a receipt goes by: the chunks and passages that a version has.
import type { Queryable } from '../../../platform/database.ts';
import { lookUpByIndex } from './look-up-by-index.ts';

export interface ChunkCounts {
  readonly chunks: number;
  readonly tokens: number;
  readonly passages: number;
}

export async function countChunks(db: Queryable, tenantId: string, versionId: string): Promise<ChunkCounts> {
  await lookUpByIndex(db);
  const { rows } = await db.query<ChunkCounts>({
    name: 'documents-count-chunks',
    text: `
      select count(*) as chunks, coalesce(sum(c.token_count), 0) as tokens,
             (select count(*) from public.chunk_passages p where p.tenant_id = $1 and p.doc_version_id = $2) as passages
      from public.chunks c
      where c.tenant_id = $1 and c.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
  return rows[0] ?? { chunks: 0, tokens: 0, passages: 0 };
}
