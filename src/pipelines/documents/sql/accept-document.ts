// A file becomes a document: the statements of the specification's step 4, as documents_api.
import type { Queryable } from '../../../platform/database.ts';

/** For the rest of the transaction: the rights of the API on documents, for one tenant. */
export async function becomeDocumentsApi(tx: Queryable, tenantId: string): Promise<void> {
  await tx.query({
    name: 'documents-become-api',
    text: `select set_config('role', 'documents_api', true), set_config('millrace.tenant_id', $1, true)`,
    values: [tenantId],
  });
}

export async function becomeEngineAgain(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'documents-become-engine',
    text: `select set_config('role', 'millrace_engine', true), set_config('millrace.tenant_id', '', true)`,
  });
}

export interface WantedDocument {
  readonly docId: string;
  readonly tenantId: string;
  readonly sourceType: string;
  readonly sourceUri: string;
  readonly title: string;
  /** Only a title that was given renames a document that is there. */
  readonly renames: boolean;
  readonly tags: readonly string[] | null;
}

export interface FoundDocument {
  readonly doc_id: string;
  readonly title: string;
  readonly is_new: boolean;
  readonly source_seq: number;
}

/** The second of two uploads waits for the commit of the first: `do update` takes the row's lock. */
export async function getOrCreateDocument(tx: Queryable, wanted: WantedDocument): Promise<FoundDocument> {
  const { rows } = await tx.query<FoundDocument>({
    name: 'documents-get-or-create',
    text: `
      insert into public.documents as d (doc_id, tenant_id, source_type, source_uri, title, tags)
      values ($1, $2, $3, $4, $5, coalesce($7::text[], '{}'))
      on conflict (tenant_id, source_uri) do update
      set title = case when $6 then excluded.title else d.title end,
          tags = coalesce($7::text[], d.tags),
          observed_seq = d.observed_seq + 1,
          updated_at = engine.now()
      returning d.doc_id, d.title, (d.observed_seq = 1) as is_new, d.observed_seq as source_seq`,
    values: [
      wanted.docId,
      wanted.tenantId,
      wanted.sourceType,
      wanted.sourceUri,
      wanted.title,
      wanted.renames,
      wanted.tags,
    ],
  });
  return rows[0] as FoundDocument;
}

/** So that a purge finds the file whatever becomes of its run. */
export async function addFile(tx: Queryable, tenantId: string, docId: string, blobId: string): Promise<void> {
  await tx.query({
    name: 'documents-add-file',
    text: `
      insert into public.document_files (tenant_id, doc_id, blob_id) values ($1, $2, $3)
      on conflict do nothing`,
    values: [tenantId, docId, blobId],
  });
}

/** What is served of a document, and the run that made it. */
export async function readServed(
  tx: Queryable,
  tenantId: string,
  docId: string,
): Promise<{ readonly content_hash: string; readonly run_id: string; readonly source_seq: number } | undefined> {
  const { rows } = await tx.query<{ content_hash: string; run_id: string; source_seq: number }>({
    name: 'documents-read-served',
    text: `
      select v.content_hash, v.run_id, v.source_seq from public.document_versions v
      where v.tenant_id = $1 and v.doc_id = $2 and v.is_active`,
    values: [tenantId, docId],
  });
  return rows[0];
}

export interface Tombstone {
  readonly tombstone_id: string;
  readonly doc_id: string;
  readonly kind: 'deactivated' | 'source_deleted' | 'purged';
}

export async function findTombstone(
  tx: Queryable,
  tenantId: string,
  sourceUri: string,
): Promise<Tombstone | undefined> {
  const { rows } = await tx.query<Tombstone>({
    name: 'documents-find-tombstone',
    text: `
      select t.tombstone_id, t.doc_id, t.kind from public.document_tombstones t
      where t.tenant_id = $1 and t.source_uri = $2 and t.lifted_at is null
      order by t.created_at desc
      limit 1`,
    values: [tenantId, sourceUri],
  });
  return rows[0];
}

export async function liftTombstones(tx: Queryable, tenantId: string, sourceUri: string, by: string): Promise<void> {
  await tx.query({
    name: 'documents-lift-tombstones',
    text: `
      update public.document_tombstones t set lifted_at = engine.now(), lifted_by = $3
      where t.tenant_id = $1 and t.source_uri = $2 and t.lifted_at is null`,
    values: [tenantId, sourceUri, by],
  });
}

/** The newest finished version that was made of these bytes. */
export async function findVersionOf(
  tx: Queryable,
  tenantId: string,
  docId: string,
  contentHash: string,
): Promise<{ doc_version_id: string; run_id: string } | undefined> {
  const { rows } = await tx.query<{ doc_version_id: string; run_id: string }>({
    name: 'documents-find-version-of',
    text: `
      select v.doc_version_id, v.run_id from public.document_versions v
      where v.tenant_id = $1 and v.doc_id = $2 and v.content_hash = $3 and v.ready_at is not null
      order by v.version_no desc
      limit 1`,
    values: [tenantId, docId, contentHash],
  });
  return rows[0];
}
