// Versions: made while their run works, finished and served in one transaction, taken away when the run fails.
import type { Queryable } from '../../../platform/database.ts';
import type { Grade, GradeShares } from '../grade.ts';
import type { ProcessState } from '../process-state.ts';
import { lookUpByIndex } from './look-up-by-index.ts';
import { unserveVersion } from './unserve-version.ts';

export interface NewVersion {
  readonly versionId: string;
  readonly tenantId: string;
  readonly docId: string;
  readonly runId: string;
  readonly blobId: string | null;
  readonly contentHash: string;
  readonly sourceSeq: number;
  readonly sourceType: string;
  readonly unit: string;
}

/** Two runs of one document may begin at once: the second waits and takes the next number. */
export async function insertVersion(tx: Queryable, version: NewVersion): Promise<void> {
  await lockDocument(tx, version.docId);
  await deleteLeftVersions(tx, version);
  await tx.query({
    name: 'documents-insert-version',
    text: `
      insert into public.document_versions
        (doc_version_id, tenant_id, doc_id, version_no, content_hash, run_id, blob_id, source_seq, source_type, unit)
      select $1, $2, $3, coalesce(max(v.version_no), 0) + 1, $4, $5, $6, $7, $8, $9
      from public.document_versions v
      where v.tenant_id = $2 and v.doc_id = $3`,
    values: [
      version.versionId,
      version.tenantId,
      version.docId,
      version.contentHash,
      version.runId,
      version.blobId,
      version.sourceSeq,
      version.sourceType,
      version.unit,
    ],
  });
}

/** What runs that have ended left half built of the document: a retry begins at once, and must not take the number behind one that nobody sees. */
async function deleteLeftVersions(
  tx: Queryable,
  { tenantId, docId, runId }: Pick<NewVersion, 'tenantId' | 'docId' | 'runId'>,
): Promise<void> {
  await lookUpByIndex(tx);
  await tx.query({
    name: 'documents-delete-left-versions',
    text: `
      delete from public.document_versions v
      where v.tenant_id = $1 and v.doc_id = $2 and v.ready_at is null and v.run_id <> $3
        and (select r.finished_at from engine.all_runs r where r.id = v.run_id limit 1) is not null`,
    values: [tenantId, docId, runId],
  });
}

/** A transaction that changes which version of a document is served holds this to its end. */
export async function lockDocument(tx: Queryable, docId: string): Promise<void> {
  await tx.query({
    name: 'documents-lock',
    text: `select pg_advisory_xact_lock(hashtextextended($1, 160))`,
    values: [docId],
  });
}

export interface Standing {
  readonly activeHash: string | null;
  /** The newest observation of the source that was served, or taken away. */
  readonly newestSeq: number;
  /** The newest that was taken away: no run of an earlier observation may bring the document back. */
  readonly takenAwaySeq: number;
}

export async function readStanding(tx: Queryable, tenantId: string, docId: string): Promise<Standing> {
  const { rows } = await tx.query<{ active_hash: string | null; served_seq: number; taken_away_seq: number }>({
    name: 'documents-read-standing',
    text: `
      select (select v.content_hash from public.document_versions v where v.tenant_id = $1 and v.doc_id = $2 and v.is_active) as active_hash,
             coalesce((select max(v.source_seq) from public.document_versions v
                       where v.tenant_id = $1 and v.doc_id = $2 and v.activated_at is not null), 0) as served_seq,
             coalesce((select max(t.source_seq) from public.document_tombstones t
                       where t.tenant_id = $1 and t.doc_id = $2), 0) as taken_away_seq`,
    values: [tenantId, docId],
  });
  const { active_hash: activeHash = null, served_seq: servedSeq = 0, taken_away_seq: takenAwaySeq = 0 } = rows[0] ?? {};
  return { activeHash, newestSeq: Math.max(servedSeq, takenAwaySeq), takenAwaySeq };
}

export async function finishVersion(
  tx: Queryable,
  tenantId: string,
  state: ProcessState,
  facts: {
    readonly grade: Grade;
    readonly shares: GradeShares;
    readonly modelId: string;
    /** As it was embedded with. */
    readonly title: string;
    readonly artifactUri: string;
  },
): Promise<void> {
  await lookUpByIndex(tx);
  await tx.query({
    name: 'documents-finish-version',
    text: `
      update public.document_versions v
      set page_count = $3, text_pages = $4, ocr_pages = $5, empty_pages = $6, rejected_pages = $7, chunk_count = $8,
          passage_count = $9, token_count = $10, language = $11, search_config = $12, grade = $13, grade_shares = $14,
          notes = $15, model_id = $16, artifact_uri = $17, title = $18, ready_at = engine.now(),
          term_length = coalesce((
            select sum(cardinality(array_positions(u.weights, 'D')))
            from public.chunk_fts f cross join lateral unnest(f.tsv) u
            where f.tenant_id = $1 and f.doc_version_id = $2), 0)
      where v.tenant_id = $1 and v.doc_version_id = $2`,
    values: [
      tenantId,
      state.versionId,
      state.pages,
      state.fates.text,
      state.fates.ocr,
      state.fates.empty,
      state.fates.rejected,
      state.chunks,
      state.passages,
      state.tokens,
      state.language,
      state.config,
      facts.grade,
      JSON.stringify(facts.shares),
      JSON.stringify(state.notes),
      facts.modelId,
      facts.artifactUri,
      facts.title,
    ],
  });
}

/** The versions that were served so far leave the search tables. */
export async function deactivateOthers(
  tx: Queryable,
  tenantId: string,
  docId: string,
  versionId: string,
): Promise<void> {
  const { rows } = await tx.query<{ doc_version_id: string }>({
    name: 'documents-deactivate-others',
    text: `
      update public.document_versions v
      set is_active = false, deactivated_at = engine.now()
      where v.tenant_id = $1 and v.doc_id = $2 and v.is_active and v.doc_version_id <> $3
      returning v.doc_version_id`,
    values: [tenantId, docId, versionId],
  });
  for (const { doc_version_id: old } of rows) await unserveVersion(tx, tenantId, old);
}

export async function serveVersion(tx: Queryable, tenantId: string, versionId: string, modelId: string): Promise<void> {
  await tx.query({
    name: 'documents-serve-version',
    text: `
      update public.document_versions v
      set is_active = true, activated_at = engine.now(), deactivated_at = null
      where v.tenant_id = $1 and v.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
  await tx.query({
    name: 'documents-fill-search-tables',
    text: `select public.fill_search_tables($1, $2, $3)`,
    values: [tenantId, versionId, modelId],
  });
}

/** The bytes that are served were observed again: what was observed in between does not take their place any more. */
export async function observeServed(tx: Queryable, tenantId: string, docId: string, sourceSeq: number): Promise<void> {
  await tx.query({
    name: 'documents-observe-served',
    text: `
      update public.document_versions v set source_seq = greatest(v.source_seq, $3)
      where v.tenant_id = $1 and v.doc_id = $2 and v.is_active`,
    values: [tenantId, docId, sourceSeq],
  });
}

/** With everything that was made for it. Nothing is there to take away when the run failed before its first page. */
export async function deleteVersionOfRun(tx: Queryable, tenantId: string, runId: string): Promise<void> {
  await lookUpByIndex(tx);
  await tx.query({
    name: 'documents-delete-version-of-run',
    text: `delete from public.document_versions v where v.tenant_id = $1 and v.run_id = $2 and v.ready_at is null`,
    values: [tenantId, runId],
  });
}

/** How activation ended, for a run whose process died between the commit and its end. */
export async function readVersionEnd(
  tx: Queryable,
  tenantId: string,
  versionId: string,
): Promise<'active' | 'superseded' | 'unchanged'> {
  const { rows } = await tx.query<{ activated_at: Date | null }>({
    name: 'documents-read-version-end',
    text: `select v.activated_at from public.document_versions v where v.tenant_id = $1 and v.doc_version_id = $2`,
    values: [tenantId, versionId],
  });
  if (rows[0] === undefined) return 'unchanged';
  return rows[0].activated_at === null ? 'superseded' : 'active';
}
