// Documents, versions and chunks as they are shown, under the tenant's row-level security.
import type { Queryable } from '../../../platform/database.ts';
import { lookUpByIndex, readInOrder } from './look-up-by-index.ts';

export interface DocumentRow {
  readonly doc_id: string;
  readonly title: string;
  readonly tags: string[];
  readonly source_type: string;
  readonly source_uri: string;
  readonly is_active: boolean;
  readonly version_label: string | null;
  readonly versions: number;
  readonly pages: number;
  readonly chunks: number;
  readonly grade: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | null;
  readonly content_hash: string | null;
  readonly created_at: Date;
  readonly activated_at: Date | null;
}

export interface DocumentFilter {
  readonly tenantId: string;
  readonly status: 'active' | 'inactive' | 'all';
  /** Lower case. */
  readonly search: string | null;
  readonly tags: readonly string[] | null;
  readonly beforeId: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** The version that is served, or else the newest one that is ready. Documents without one are not listed. */
const shown = `
  cross join lateral (
    select v.*, count(*) over () as versions
    from public.document_versions v
    where v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and v.ready_at is not null
    order by v.is_active desc, v.version_no desc
    limit 1
  ) v`;

const matches = `
  d.tenant_id = $1
  and ($2 = 'all' or v.is_active = ($2 = 'active'))
  and ($3::text is null or position($3 in lower(d.title)) > 0)
  and ($4::text[] is null or d.tags && $4)`;

const columns = `
  d.doc_id, d.title, d.tags, d.source_type, d.source_uri, v.is_active, v.version_label, v.versions, v.page_count as pages,
  v.chunk_count as chunks, v.grade, v.content_hash, d.created_at, v.activated_at`;

export async function listDocuments(db: Queryable, filter: DocumentFilter): Promise<DocumentRow[]> {
  const { rows } = await db.query<DocumentRow>({
    name: 'documents-list',
    text: `
      select ${columns}
      from public.documents d ${shown}
      where ${matches} and ($5::uuid is null or d.doc_id < $5)
      order by d.doc_id desc
      offset $6 limit $7`,
    values: [filter.tenantId, filter.status, filter.search, filter.tags, filter.beforeId, filter.offset, filter.limit],
  });
  return rows;
}

export async function countDocuments(db: Queryable, filter: DocumentFilter): Promise<number> {
  const { rows } = await db.query<{ total: number }>({
    name: 'documents-count',
    text: `select count(*) as total from public.documents d ${shown} where ${matches}`,
    values: [filter.tenantId, filter.status, filter.search, filter.tags],
  });
  return rows[0]?.total ?? 0;
}

export interface OrphanRow {
  readonly doc_id: string;
  readonly title: string;
  readonly source_type: string;
  readonly source_uri: string;
  readonly created_at: Date;
}

export async function listOrphans(
  db: Queryable,
  tenantId: string,
  beforeId: string | null,
  limit: number,
): Promise<OrphanRow[]> {
  const { rows } = await db.query<OrphanRow>({
    name: 'documents-list-orphans',
    text: `
      select d.doc_id, d.title, d.source_type, d.source_uri, d.created_at
      from public.documents d
      where d.tenant_id = $1 and ($2::uuid is null or d.doc_id < $2)
        -- Looked up for each document until the page is full. As "not exists" it may be joined, and a server without statistics read
        -- all versions of the tenant for each document: 12 million rows for a page of twenty among 30,000.
        and (select true from public.document_versions v
             where v.tenant_id = $1 and v.doc_id = d.doc_id and v.ready_at is not null limit 1) is null
      order by d.doc_id desc
      limit $3`,
    values: [tenantId, beforeId, limit],
  });
  return rows;
}

export interface BareDocument {
  readonly doc_id: string;
  readonly title: string;
  readonly tags: string[];
  readonly source_type: string;
  readonly source_uri: string;
  readonly created_at: Date;
}

export async function findDocument(db: Queryable, tenantId: string, docId: string): Promise<BareDocument | undefined> {
  const { rows } = await db.query<BareDocument>({
    name: 'documents-find',
    text: `
      select d.doc_id, d.title, d.tags, d.source_type, d.source_uri, d.created_at
      from public.documents d where d.tenant_id = $1 and d.doc_id = $2`,
    values: [tenantId, docId],
  });
  return rows[0];
}

export interface VersionRow {
  readonly doc_version_id: string;
  readonly version_no: number;
  readonly version_label: string;
  readonly content_hash: string;
  readonly is_active: boolean;
  readonly run_id: string;
  readonly blob_id: string | null;
  readonly source_type: 'pdf' | 'docx' | 'html' | 'txt' | 'md';
  readonly unit: 'page' | 'section';
  readonly page_count: number;
  readonly text_pages: number;
  readonly ocr_pages: number;
  readonly empty_pages: number;
  readonly rejected_pages: number;
  readonly chunk_count: number;
  readonly passage_count: number;
  readonly token_count: number;
  readonly language: string | null;
  readonly grade: DocumentRow['grade'];
  readonly grade_shares: Record<string, number> | null;
  readonly notes: string[];
  readonly model_id: string | null;
  readonly created_at: Date;
  readonly activated_at: Date | null;
  readonly deactivated_at: Date | null;
}

/** Newest first; without those that are still being built. */
export async function listVersions(db: Queryable, tenantId: string, docId: string): Promise<VersionRow[]> {
  const { rows } = await db.query<VersionRow>({
    name: 'documents-list-versions',
    text: `
      select v.doc_version_id, v.version_no, v.version_label, v.content_hash, v.is_active, v.run_id, v.blob_id, v.source_type, v.unit,
             v.page_count, v.text_pages, v.ocr_pages, v.empty_pages, v.rejected_pages, v.chunk_count, v.passage_count,
             v.token_count, v.language, v.grade, v.grade_shares, v.notes, v.model_id, v.created_at, v.activated_at, v.deactivated_at
      from public.document_versions v
      where v.tenant_id = $1 and v.doc_id = $2 and v.ready_at is not null
      order by v.version_no desc`,
    values: [tenantId, docId],
  });
  return rows;
}

export async function findVersionOfRun(db: Queryable, tenantId: string, runId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ doc_version_id: string }>({
    name: 'documents-find-version-of-run',
    text: `select v.doc_version_id from public.document_versions v where v.tenant_id = $1 and v.run_id = $2`,
    values: [tenantId, runId],
  });
  return rows[0]?.doc_version_id;
}

/** Chunks by their text: how many a version added to the one before, took away and kept. */
export async function compareVersions(
  db: Queryable,
  tenantId: string,
  newer: string,
  older: string,
): Promise<{ added: number; removed: number; kept: number }> {
  await lookUpByIndex(db);
  const { rows } = await db.query<{ added: number; removed: number; kept: number }>({
    name: 'documents-compare-versions',
    text: `
      select count(*) filter (where b.is_new and not b.is_old) as added, count(*) filter (where b.is_old and not b.is_new) as removed,
             count(*) filter (where b.is_new and b.is_old) as kept
      from (
        select bool_or(c.is_new) as is_new, bool_or(not c.is_new) as is_old
        from (
          select true as is_new, md5(n.text) as h from public.chunks n where n.tenant_id = $1 and n.doc_version_id = $2
          union all
          select false, md5(o.text) from public.chunks o where o.tenant_id = $1 and o.doc_version_id = $3
        ) c
        group by c.h
      ) b`,
    values: [tenantId, newer, older],
  });
  return rows[0] ?? { added: 0, removed: 0, kept: 0 };
}

export interface ChangedChunk {
  /** In the list of all changes. */
  readonly place: number;
  readonly change: 'added' | 'removed';
  readonly chunk_id: string;
  readonly chunk_no: number;
  readonly page_from: number;
  readonly page_to: number;
  readonly heading_path: string[];
  readonly text: string;
}

/** By their place in the version they stand in; at the same place what was removed comes after what was added. */
export async function listChanges(
  db: Queryable,
  of: { readonly tenantId: string; readonly newer: string; readonly older: string },
  after: number,
  limit: number,
): Promise<ChangedChunk[]> {
  await lookUpByIndex(db);
  const { rows } = await db.query<ChangedChunk>({
    name: 'documents-list-changes',
    text: `
      with both_versions as (
             select true as is_new, n.chunk_id, n.chunk_no, md5(n.text) as h from public.chunks n
             where n.tenant_id = $1 and n.doc_version_id = $2
             union all
             select false, o.chunk_id, o.chunk_no, md5(o.text) from public.chunks o
             where o.tenant_id = $1 and o.doc_version_id = $3
           ),
           told as (select b.*, bool_or(b.is_new) over same and bool_or(not b.is_new) over same as is_kept
                    from both_versions b window same as (partition by b.h)),
           changed as (
             select case when t.is_new then 'added' else 'removed' end as change,
                    2 * t.chunk_no::bigint + case when t.is_new then 0 else 1 end as place, t.chunk_id
             from told t
             where not t.is_kept and 2 * t.chunk_no::bigint + case when t.is_new then 0 else 1 end > $4
             order by 2
             limit $5
           )
      select p.change, p.place, c.chunk_id, c.chunk_no, c.page_from, c.page_to, c.heading_path, c.text
      from changed p
      cross join lateral (
        select x.* from public.chunks x where x.tenant_id = $1 and x.chunk_id = p.chunk_id limit 1
      ) c
      order by p.place`,
    values: [of.tenantId, of.newer, of.older, after, limit],
  });
  return rows;
}

/**
 * The newest run of a document that has not ended, by its active key (documents.pipeline.ts); `otherThan`: only such as bring other bytes.
 */
export async function findLiveRun(
  db: Queryable,
  tenantId: string,
  docId: string,
  otherThan: string | null = null,
): Promise<{ run_id: string; status: string } | undefined> {
  const { rows } = await db.query<{ run_id: string; status: string }>({
    name: 'documents-find-live-run',
    text: `
      select r.run_id, r.status
      from (
        select x.id as run_id, x.status, x.input ->> 'content_hash' as content_hash from engine.runs x
        where x.tenant_id = $1 and x.pipeline = 'documents'
          and x.active_key collate "C" > $2 || ':' and x.active_key collate "C" < $2 || ';'
        offset 0
      ) r
      where $3::text is null or r.content_hash <> $3
      order by r.run_id desc
      limit 1`,
    values: [tenantId, docId, otherThan],
  });
  return rows[0];
}

export interface EndOfRun {
  readonly run_id: string;
  readonly phase: string;
  readonly error_code: string | null;
  readonly error_text: string | null;
  readonly finished_at: Date | null;
}

/** A source may have brought thousands of files for a document; its newest run is of one of the last. */
const NEWEST_FILES = 10;

/** How the newest run of a document stands, by its files: they are kept in mind for every run, whatever became of it. */
export async function findNewestRun(db: Queryable, tenantId: string, docId: string): Promise<EndOfRun | undefined> {
  const { rows } = await db.query<EndOfRun>({
    name: 'documents-find-newest-run',
    text: `
      select r.run_id, r.phase, r.error_code, r.error_text, r.finished_at
      from (
        select f.blob_id from public.document_files f
        where f.tenant_id = $1 and f.doc_id = $2
        order by f.tenant_id desc, f.doc_id desc, f.blob_id desc
        limit $3
      ) f
      cross join lateral (
        select x.id as run_id, x.tenant_id, x.pipeline, x.input ->> 'doc_id' as doc_id, x.phase, x.error_code, x.error_text, x.finished_at
        from engine.all_runs x
        where x.blob_id = f.blob_id
        offset 0
      ) r
      where r.tenant_id = $1 and r.pipeline = 'documents' and r.doc_id = $2::text
      order by r.run_id desc
      limit 1`,
    values: [tenantId, docId, NEWEST_FILES],
  });
  return rows[0];
}

export interface ShownChunk {
  readonly chunk_id: string;
  readonly chunk_no: number;
  readonly page_from: number;
  readonly page_to: number;
  readonly heading_path: string[];
  readonly text: string;
  readonly tokens: number;
  readonly boxes: { page: number; x?: number; y?: number; w?: number; h?: number; start?: number; end?: number }[];
  readonly passages: { passage_no: number; page_no: number; char_start: number; char_end: number }[];
}

/** In reading order; `page`: only those that stand on it. */
export async function listChunks(
  db: Queryable,
  of: { readonly tenantId: string; readonly versionId: string; readonly page: number | null },
  after: number,
  limit: number,
): Promise<ShownChunk[]> {
  await readInOrder(db);
  const { rows } = await db.query<ShownChunk>({
    name: 'documents-list-chunks',
    text: `
      select c.chunk_id, c.chunk_no, c.page_from, c.page_to, c.heading_path, c.text, c.token_count as tokens, c.boxes,
             coalesce((
               select jsonb_agg(jsonb_build_object('passage_no', p.passage_no, 'page_no', p.page_no, 'char_start', p.char_start,
                                                   'char_end', p.char_end) order by p.passage_no)
               from public.chunk_passages p where p.tenant_id = $1 and p.chunk_id = c.chunk_id), '[]') as passages
      from public.chunks c
      where c.tenant_id = $1 and c.doc_version_id = $2 and c.chunk_no > $3
        and ($4::integer is null or $4 between c.page_from and c.page_to)
      order by c.chunk_no
      limit $5`,
    values: [of.tenantId, of.versionId, after, of.page, limit],
  });
  return rows;
}

export async function findByUri(db: Queryable, tenantId: string, sourceUri: string): Promise<string | undefined> {
  const { rows } = await db.query<{ doc_id: string }>({
    name: 'documents-find-by-uri',
    text: `select d.doc_id from public.documents d where d.tenant_id = $1 and d.source_uri = $2`,
    values: [tenantId, sourceUri],
  });
  return rows[0]?.doc_id;
}
