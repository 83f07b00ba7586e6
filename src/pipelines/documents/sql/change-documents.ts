// What people change of documents, as documents_api; and the purge, as documents_purge.
import type { Queryable } from '../../../platform/database.ts';

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
  for (const { doc_version_id: version } of rows) {
    await tx.query({
      name: 'documents-unserve-vectors',
      text: `delete from public.chunk_embeddings e where e.tenant_id = $1 and e.doc_version_id = $2`,
      values: [tenantId, version],
    });
    await tx.query({
      name: 'documents-unserve-terms',
      text: `delete from public.chunk_terms t where t.tenant_id = $1 and t.doc_version_id = $2`,
      values: [tenantId, version],
    });
  }
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
  readonly blobs: readonly string[];
}

/** Everything of a document but its tombstones. Vectors stay that a passage of another document still uses. */
export async function purgeDocument(tx: Queryable, tenantId: string, docId: string): Promise<Purged> {
  const { rows } = await tx.query<{ pages: number; chunks: number; versions: number; blobs: string[] | null }>({
    name: 'documents-purge-count',
    text: `
      select (select count(*) from public.document_pages p join public.document_versions v using (tenant_id, doc_version_id)
              where v.tenant_id = $1 and v.doc_id = $2) as pages,
             (select count(*) from public.chunks c where c.tenant_id = $1 and c.doc_version_id in (
                select v.doc_version_id from public.document_versions v where v.tenant_id = $1 and v.doc_id = $2)) as chunks,
             count(*) as versions, array_agg(distinct v.blob_id) filter (where v.blob_id is not null) as blobs
      from public.document_versions v
      where v.tenant_id = $1 and v.doc_id = $2`,
    values: [tenantId, docId],
  });
  const { rowCount: vectors } = await tx.query({
    name: 'documents-purge-vectors',
    text: `
      with own as (
        select distinct p.text_hash from public.chunk_passages p
        join public.document_versions v on v.tenant_id = p.tenant_id and v.doc_version_id = p.doc_version_id
        where v.tenant_id = $1 and v.doc_id = $2
      )
      delete from public.vector_ledger l using own
      where l.tenant_id = $1 and l.text_hash = own.text_hash
        and not exists (
          select from public.chunk_passages p
          join public.document_versions v on v.tenant_id = p.tenant_id and v.doc_version_id = p.doc_version_id
          where p.tenant_id = $1 and p.text_hash = own.text_hash and v.doc_id <> $2)`,
    values: [tenantId, docId],
  });
  await tx.query({
    name: 'documents-purge-versions',
    text: `delete from public.document_versions v where v.tenant_id = $1 and v.doc_id = $2`,
    values: [tenantId, docId],
  });
  await tx.query({
    name: 'documents-purge-document',
    text: `delete from public.documents d where d.tenant_id = $1 and d.doc_id = $2`,
    values: [tenantId, docId],
  });
  const [counted] = rows;
  return {
    versions: counted?.versions ?? 0,
    pages: counted?.pages ?? 0,
    chunks: counted?.chunks ?? 0,
    vectors: vectors ?? 0,
    blobs: counted?.blobs ?? [],
  };
}
