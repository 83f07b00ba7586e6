// Chunks and their passages.
import type { Queryable } from '../../../platform/database.ts';
import { storableJson } from '../../../platform/storable-text.ts';
import type { Chunk } from '../chunking/chunk-pages.ts';
import type { Passage } from '../chunking/passages.ts';
import { lookUpByIndex, readInOrder } from './look-up-by-index.ts';

export interface ChunkRow extends Chunk {
  readonly chunkId: string;
}

export interface PassageRow extends Passage {
  readonly chunkId: string;
  readonly tokens: number;
  readonly hash: Buffer;
}

/** Passages have no number of their own over the whole version: the chunk's times this, plus theirs. */
const PASSAGES_PER_CHUNK = 1_000;

export async function insertChunks(
  tx: Queryable,
  tenantId: string,
  { versionId, docId }: { readonly versionId: string; readonly docId: string },
  chunks: readonly ChunkRow[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map(({ parts: _, ...chunk }) => chunk);
  await tx.query({
    name: 'documents-insert-chunks',
    text: `
      insert into public.chunks
        (chunk_id, tenant_id, doc_version_id, doc_id, chunk_no, page_from, page_to, text, token_count, heading_path, boxes)
      select c."chunkId", $1, $2, $3, c."chunkNo", c."pageFrom", c."pageTo", c.text, c.tokens,
             array(select jsonb_array_elements_text(c."headingPath")), c.boxes
      from jsonb_to_recordset($4::jsonb) as c (
        "chunkId" uuid, "chunkNo" integer, "pageFrom" integer, "pageTo" integer, text text, tokens integer, "headingPath" jsonb,
        boxes jsonb)`,
    values: [tenantId, versionId, docId, storableJson(rows)],
  });
}

export async function insertPassages(
  tx: Queryable,
  tenantId: string,
  versionId: string,
  passages: readonly PassageRow[],
): Promise<void> {
  if (passages.length === 0) return;
  await tx.query({
    name: 'documents-insert-passages',
    text: `
      insert into public.chunk_passages
        (tenant_id, doc_version_id, chunk_id, passage_no, page_no, char_start, char_end, token_count, text_hash)
      select $1, $2, p.*
      from unnest($3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::integer[], $9::bytea[]) as p`,
    values: [
      tenantId,
      versionId,
      passages.map(({ chunkId }) => chunkId),
      passages.map(({ passageNo }) => passageNo),
      passages.map(({ pageNo }) => pageNo),
      passages.map(({ start }) => start),
      passages.map(({ end }) => end),
      passages.map(({ tokens }) => tokens),
      passages.map(({ hash }) => hash),
    ],
  });
}

/** Of an attempt that died after it had made them. */
export async function deleteChunks(tx: Queryable, tenantId: string, versionId: string): Promise<void> {
  await lookUpByIndex(tx);
  await tx.query({
    name: 'documents-delete-chunks',
    text: `delete from public.chunks c where c.tenant_id = $1 and c.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
}

export interface PassageToEmbed {
  readonly position: number;
  readonly hash: Buffer;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** Offsets count as JavaScript does, not as Postgres: the text is cut here. */
interface FoundPassage {
  readonly position: number;
  readonly text_hash: Buffer;
  readonly heading_path: string[];
  readonly text: string;
  readonly char_start: number;
  readonly char_end: number;
}

export async function listPassages(
  tx: Queryable,
  tenantId: string,
  versionId: string,
  from: number,
  limit: number,
): Promise<PassageToEmbed[]> {
  await readInOrder(tx);
  const { rows } = await tx.query<FoundPassage>({
    name: 'documents-list-passages',
    text: `
      select c.chunk_no::bigint * ${PASSAGES_PER_CHUNK} + p.passage_no as position, p.text_hash, c.heading_path, c.text,
             p.char_start, p.char_end
      from public.chunks c
      cross join lateral (
        select * from public.chunk_passages q
        where q.tenant_id = $1 and q.chunk_id = c.chunk_id and c.chunk_no::bigint * ${PASSAGES_PER_CHUNK} + q.passage_no >= $3
        order by q.passage_no
      ) p
      where c.tenant_id = $1 and c.doc_version_id = $2 and c.chunk_no >= $3::bigint / ${PASSAGES_PER_CHUNK}
      order by c.chunk_no, p.passage_no
      limit $4`,
    values: [tenantId, versionId, from, limit],
  });
  return rows.map((row) => ({
    position: row.position,
    hash: row.text_hash,
    headingPath: row.heading_path,
    text: row.text.slice(row.char_start, row.char_end),
  }));
}

export interface ChunkText {
  readonly chunkId: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export async function listChunkTexts(
  tx: Queryable,
  tenantId: string,
  versionId: string,
  from: number,
  limit: number,
): Promise<ChunkText[]> {
  await readInOrder(tx);
  const { rows } = await tx.query<{ chunk_id: string; heading_path: string[]; text: string }>({
    name: 'documents-list-chunk-texts',
    text: `
      select c.chunk_id, c.heading_path, c.text from public.chunks c
      where c.tenant_id = $1 and c.doc_version_id = $2 and c.chunk_no >= $3
      order by c.chunk_no
      limit $4`,
    values: [tenantId, versionId, from, limit],
  });
  return rows.map((row) => ({ chunkId: row.chunk_id, headingPath: row.heading_path, text: row.text }));
}
