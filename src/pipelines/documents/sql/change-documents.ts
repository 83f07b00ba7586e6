// What people change of documents, as documents_api; and the purge, as documents_purge.
import type { Queryable } from '../../../platform/database.ts';
import { eraseQuotes } from './erase-quotes.ts';
import { lookUpByIndex } from './look-up-by-index.ts';
import { unserveVersion } from './unserve-version.ts';

export async function updateDocument(
  tx: Queryable,
  tenantId: string,
  docId: string,
  change: { readonly title: string | null; readonly tags: readonly string[] | null },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'documents-update',
    text: `
      update public.documents d
      set title = coalesce($3, d.title), tags = coalesce($4::text[], d.tags), updated_at = engine.now()
      where d.tenant_id = $1 and d.doc_id = $2`,
    values: [tenantId, docId, change.title, change.tags],
  });
  return rowCount === 1;
}

/** The next observation of a document: a deactivation counts as one, so that a run that ends later cannot revive it. */
export async function observe(tx: Queryable, tenantId: string, docId: string): Promise<number> {
  const { rows } = await tx.query<{ observed_seq: number }>({
    name: 'documents-observe',
    text: `
      update public.documents d set observed_seq = d.observed_seq + 1
      where d.tenant_id = $1 and d.doc_id = $2
      returning d.observed_seq`,
    values: [tenantId, docId],
  });
  return rows[0]?.observed_seq ?? 0;
}

/** Not served any more, and gone from the search tables in the same transaction. Says whether one was. */
export async function deactivateDocument(tx: Queryable, tenantId: string, docId: string): Promise<boolean> {
  const { rows } = await tx.query<{ doc_version_id: string }>({
    name: 'documents-deactivate',
    text: `
      update public.document_versions v set is_active = false, deactivated_at = engine.now()
      where v.tenant_id = $1 and v.doc_id = $2 and v.is_active
      returning v.doc_version_id`,
    values: [tenantId, docId],
  });
  for (const { doc_version_id: version } of rows) await unserveVersion(tx, tenantId, version);
  return rows.length > 0;
}

export interface NewTombstone {
  readonly tombstoneId: string;
  readonly tenantId: string;
  readonly docId: string;
  readonly sourceUri: string;
  readonly kind: 'deactivated' | 'source_deleted' | 'purged';
  readonly sourceSeq: number;
  readonly by: string;
  readonly reason: string | null;
}

export async function insertTombstone(tx: Queryable, tombstone: NewTombstone): Promise<void> {
  await tx.query({
    name: 'documents-insert-tombstone',
    text: `
      insert into public.document_tombstones (tombstone_id, tenant_id, doc_id, source_uri, kind, source_seq, made_by, reason)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      tombstone.tombstoneId,
      tombstone.tenantId,
      tombstone.docId,
      tombstone.sourceUri,
      tombstone.kind,
      tombstone.sourceSeq,
      tombstone.by,
      tombstone.reason,
    ],
  });
}

export async function reactivateVersion(tx: Queryable, versionId: string): Promise<boolean> {
  const { rows } = await tx.query<{ done: boolean }>({
    name: 'documents-reactivate',
    text: `select public.reactivate_document_version($1) as done`,
    values: [versionId],
  });
  return rows[0]?.done === true;
}

export interface Purged {
  readonly versions: number;
  readonly pages: number;
  readonly chunks: number;
  readonly vectors: number;
  /** Answers that quoted it. */
  readonly answers: number;
  readonly blobs: readonly string[];
}

/** Everything of a document but its tombstones, version by version. Vectors stay that a passage of another document still uses. */
export async function purgeDocument(tx: Queryable, tenantId: string, docId: string): Promise<Purged> {
  await lookUpByIndex(tx);
  const { rows: versions } = await tx.query<{ doc_version_id: string; blob_id: string | null }>({
    name: 'documents-purge-list-versions',
    text: `select v.doc_version_id, v.blob_id from public.document_versions v where v.tenant_id = $1 and v.doc_id = $2`,
    values: [tenantId, docId],
  });
  const counted = { pages: 0, chunks: 0, vectors: 0 };
  for (const { doc_version_id: version } of versions) {
    const { pages, chunks } = await countContent(tx, tenantId, version);
    counted.pages += pages;
    counted.chunks += chunks;
    counted.vectors += await purgeVectors(tx, tenantId, docId, version);
  }
  counted.vectors += await purgeLeftVectors(tx, tenantId, docId);
  const answers = await eraseQuotes(tx, tenantId, docId);
  const files = await listFiles(tx, tenantId, docId);
  for (const { doc_version_id: version } of versions)
    await tx.query({
      name: 'documents-purge-version',
      text: `delete from public.document_versions v where v.tenant_id = $1 and v.doc_version_id = $2`,
      values: [tenantId, version],
    });
  await tx.query({
    name: 'documents-purge-document',
    text: `delete from public.documents d where d.tenant_id = $1 and d.doc_id = $2`,
    values: [tenantId, docId],
  });
  const blobs = new Set([...versions.flatMap(({ blob_id: blob }) => blob ?? []), ...files]);
  return { ...counted, versions: versions.length, answers, blobs: [...blobs] };
}

/**
 * Of every run of the document, failed ones too. Those of an upload that were taken in before document_files was there are found by their bytes: they
 * are its identity.
 */
async function listFiles(tx: Queryable, tenantId: string, docId: string): Promise<string[]> {
  const { rows } = await tx.query<{ blob_id: string }>({
    name: 'documents-purge-list-files',
    text: `
      select f.blob_id from public.document_files f where f.tenant_id = $1 and f.doc_id = $2
      union
      select b.blob_id
      from (
        select decode(substring(d.source_uri from '^upload://sha256:([0-9a-f]{64})$'), 'hex') as sha256 from public.documents d
        where d.tenant_id = $1 and d.doc_id = $2
        offset 0
      ) u
      cross join lateral (select x.blob_id from engine.blobs x where x.tenant_id = $1 and x.sha256 = u.sha256 offset 0) b
      where (select true from (
               select r.pipeline, r.input from engine.all_runs r where r.tenant_id = $1 and r.blob_id = b.blob_id offset 0
             ) r
             where r.pipeline = 'documents' and r.input ->> 'doc_id' = $2::text
             limit 1)`,
    values: [tenantId, docId],
  });
  return rows.map(({ blob_id }) => blob_id);
}

async function countContent(
  tx: Queryable,
  tenantId: string,
  version: string,
): Promise<{ readonly pages: number; readonly chunks: number }> {
  const { rows } = await tx.query<{ pages: number; chunks: number }>({
    name: 'documents-purge-count',
    text: `
      select (select count(*) from public.document_pages p where p.tenant_id = $1 and p.doc_version_id = $2) as pages,
             (select count(*) from public.chunks c where c.tenant_id = $1 and c.doc_version_id = $2) as chunks`,
    values: [tenantId, version],
  });
  return rows[0] ?? { pages: 0, chunks: 0 };
}

async function purgeVectors(tx: Queryable, tenantId: string, docId: string, version: string): Promise<number> {
  const { rows } = await tx.query<OwnVectors>({
    name: 'documents-purge-list-vectors',
    text: `
      select m.model_id, array_agg(own.text_hash) as hashes
      from (
        select o.text_hash
        from (
          select distinct h.text_hash from (
            select p.text_hash from public.chunk_passages p
            where p.tenant_id = $1 and p.doc_version_id between $2 and $2 order by p.doc_version_id offset 0
          ) h
        ) o
        where (
          select true from public.chunk_passages p
          cross join lateral (
            select from public.document_versions v
            where v.tenant_id = $1 and v.doc_version_id = p.doc_version_id and v.doc_id <> $3
            limit 1
          ) other
          where p.tenant_id = $1 and p.text_hash = o.text_hash
          limit 1) is null
        offset 0
      ) own
      cross join (select e.model_id from public.embedding_models e where e.tenant_id = $1 offset 0) m
      group by m.model_id`,
    values: [tenantId, version, docId],
  });
  return deleteVectors(tx, tenantId, rows);
}

/** Those that failed runs left: their passages are gone. */
async function purgeLeftVectors(tx: Queryable, tenantId: string, docId: string): Promise<number> {
  const { rows } = await tx.query<OwnVectors>({
    name: 'documents-purge-list-left-vectors',
    text: `
      select m.model_id, array_agg(own.text_hash) as hashes
      from (
        select o.text_hash
        from (
          select e.text_hash from public.embedded_texts e
          where e.tenant_id = $1 and e.doc_id between $2 and $2 order by e.doc_id, e.text_hash offset 0
        ) o
        where (
          select true from public.chunk_passages p
          cross join lateral (
            select from public.document_versions v
            where v.tenant_id = $1 and v.doc_version_id = p.doc_version_id and v.doc_id <> $2
            limit 1
          ) other
          where p.tenant_id = $1 and p.text_hash = o.text_hash
          limit 1) is null
        offset 0
      ) own
      cross join (select e.model_id from public.embedding_models e where e.tenant_id = $1 offset 0) m
      group by m.model_id`,
    values: [tenantId, docId],
  });
  await tx.query({
    name: 'documents-purge-embedded-texts',
    text: `delete from public.embedded_texts where tenant_id = $1 and doc_id = $2`,
    values: [tenantId, docId],
  });
  return deleteVectors(tx, tenantId, rows);
}

interface OwnVectors {
  readonly model_id: string;
  readonly hashes: readonly Buffer[];
}

async function deleteVectors(tx: Queryable, tenantId: string, vectors: readonly OwnVectors[]): Promise<number> {
  let deleted = 0;
  for (const { model_id: model, hashes } of vectors) {
    const { rowCount } = await tx.query({
      name: 'documents-purge-vectors',
      text: `
        delete from public.vector_ledger l
        where l.tenant_id = $1 and l.model_id = $2 and l.text_hash = any ($3::bytea[])`,
      values: [tenantId, model, hashes],
    });
    deleted += rowCount ?? 0;
  }
  return deleted;
}
