-- Documents: identity, versions, pages, chunks, passages, vectors and terms, and the tracking view of the specification.
--
-- Content tables (document_versions, document_pages, chunks, chunk_passages, chunk_fts, vector_ledger) keep every version. Search tables
-- (chunk_embeddings, chunk_terms) hold active versions only: they are filled when a version is activated and emptied when it is not served
-- any more, from what the content tables keep.
--
-- Who writes what (the specification's table of write ownership) is held by roles:
--   documents_api      documents, tombstones; of a version only is_active = false, and the search rows of versions that are not served
--   documents_worker   versions, pages, chunks, passages, vectors, terms; no document
--   documents_purge    erases a document for good, for an admin
--   documents_cleanup  takes away what failed runs left
do $$
declare
  wanted text;
begin
  foreach wanted in array array['documents_api', 'documents_worker', 'documents_purge', 'documents_cleanup'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin noinherit', wanted);
      end if;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end
$$;
grant usage on schema engine, public to documents_api, documents_worker, documents_purge, documents_cleanup;

-- ── Identity ─────────────────────────────────────────────────────────────────────────────────────────────────────────
create table public.documents (
  doc_id uuid primary key,
  tenant_id uuid not null references public.tenants (tenant_id),
  source_type text not null check (source_type in ('pdf', 'docx', 'html', 'txt', 'md')),
  source_uri text collate "C" not null check (length(source_uri) between 1 and 2048),
  title text not null check (length(title) between 1 and 500),
  tags text[] not null default '{}' check (cardinality(tags) <= 50),
  -- Raised by everything that is observed of the source: an upload, a changed object, a deactivation. The newest observation decides what
  -- is served, not the run that happens to end last.
  observed_seq bigint not null default 1,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint documents_of_tenant unique (tenant_id, doc_id)
);
create index idx_documents_tenant on public.documents (tenant_id, created_at desc, doc_id desc);
create unique index idx_documents_source_uri on public.documents (tenant_id, source_uri);

-- ── Content: kept for every version ──────────────────────────────────────────────────────────────────────────────────
create table public.document_versions (
  doc_version_id uuid not null,
  tenant_id uuid not null,
  doc_id uuid not null,
  version_no integer not null check (version_no >= 1),
  version_label text not null generated always as ('v' || version_no::text) stored,
  content_hash text not null,
  is_active boolean not null default false,
  run_id uuid not null,
  blob_id uuid,
  -- documents.observed_seq when these bytes were taken in.
  source_seq bigint not null,
  source_type text not null,
  -- page: of a PDF · section: a numbered part of a document that has no pages.
  unit text not null check (unit in ('page', 'section')),
  page_count integer not null default 0,
  text_pages integer not null default 0,
  ocr_pages integer not null default 0,
  empty_pages integer not null default 0,
  rejected_pages integer not null default 0,
  chunk_count integer not null default 0,
  passage_count integer not null default 0,
  token_count bigint not null default 0,
  -- Words of all its chunks as search counts them: the length BM25 divides by.
  term_length bigint not null default 0,
  language text,
  search_config text not null default 'simple',
  grade text check (grade in ('A', 'B', 'C', 'D', 'E', 'F')),
  grade_shares jsonb,
  -- What was set aside and said: embedded files, scripts, external references.
  notes jsonb not null default '[]',
  model_id text,
  artifact_uri text,
  created_at timestamptz not null default engine.now(),
  -- Null while its run is still building it: such a version is shown to nobody.
  ready_at timestamptz,
  activated_at timestamptz,
  deactivated_at timestamptz,
  primary key (tenant_id, doc_version_id),
  foreign key (tenant_id, doc_id) references public.documents (tenant_id, doc_id),
  constraint document_versions_number unique (tenant_id, doc_id, version_no),
  constraint document_versions_run unique (tenant_id, run_id),
  constraint document_versions_active_is_ready check (not is_active or ready_at is not null)
);
create unique index idx_doc_versions_one_active on public.document_versions (tenant_id, doc_id) where is_active = true;
create index idx_doc_versions_dedup on public.document_versions (tenant_id, doc_id, content_hash) where is_active = true;
create index document_versions_building on public.document_versions (created_at) where ready_at is null;
create index document_versions_served on public.document_versions (tenant_id, doc_version_id) include (chunk_count, term_length)
  where is_active = true;

create table public.document_pages (
  tenant_id uuid not null,
  doc_version_id uuid not null,
  page_no integer not null check (page_no >= 1),
  -- text: its own text layer · ocr: read from its image · empty: nothing is on it · rejected: see reason.
  fate text not null check (fate in ('text', 'ocr', 'empty', 'rejected')),
  reason text,
  width real,
  height real,
  text text not null default '',
  -- Blocks in reading order: kind, level, where they stand in `text`, box, table cells.
  blocks jsonb not null default '[]',
  -- Of a section: where it begins and ends in the text of the whole document.
  char_start bigint not null default 0,
  char_end bigint not null default 0,
  ocr_confidence real,
  garbled_share real not null default 0,
  tables integer not null default 0,
  tables_lost integer not null default 0,
  primary key (tenant_id, doc_version_id, page_no),
  foreign key (tenant_id, doc_version_id) references public.document_versions on delete cascade,
  constraint document_pages_rejected_says_why check (fate <> 'rejected' or reason is not null)
);

create table public.chunks (
  chunk_id uuid not null,
  tenant_id uuid not null,
  doc_version_id uuid not null,
  doc_id uuid not null,
  chunk_no integer not null check (chunk_no >= 0),
  page_from integer not null,
  page_to integer not null,
  text text not null,
  token_count integer not null check (token_count between 0 and 800),
  heading_path text[] not null default '{}',
  -- [{page, x, y, w, h}] in points from the top left; of sections [{page, start, end}] in characters.
  boxes jsonb not null default '[]',
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, chunk_id),
  foreign key (tenant_id, doc_version_id) references public.document_versions on delete cascade,
  constraint chunks_number unique (tenant_id, doc_version_id, chunk_no)
);
create index idx_chunks_tenant_version on public.chunks (tenant_id, doc_version_id);

-- What is embedded: about 120 words inside one chunk and one page.
create table public.chunk_passages (
  tenant_id uuid not null,
  chunk_id uuid not null,
  passage_no integer not null check (passage_no >= 0),
  doc_version_id uuid not null,
  page_no integer not null,
  -- Where it stands in the text of its chunk.
  char_start integer not null,
  char_end integer not null,
  token_count integer not null,
  -- SHA-256 of what is embedded: title, heading path and the passage.
  text_hash bytea not null,
  primary key (tenant_id, chunk_id, passage_no),
  foreign key (tenant_id, chunk_id) references public.chunks on delete cascade
);
create index chunk_passages_version on public.chunk_passages (tenant_id, doc_version_id);
create index chunk_passages_hash on public.chunk_passages (tenant_id, text_hash);

create table public.chunk_fts (
  tenant_id uuid not null,
  chunk_id uuid not null,
  doc_version_id uuid not null,
  -- Title with weight A, heading path with weight B, the text without one.
  tsv tsvector not null,
  primary key (tenant_id, chunk_id),
  foreign key (tenant_id, chunk_id) references public.chunks on delete cascade
);
create index idx_chunk_fts_gin on public.chunk_fts using gin (tsv);
create index idx_chunk_fts_tenant on public.chunk_fts (tenant_id, doc_version_id);

-- The models a tenant's vectors were made with. One is active: questions are asked with it.
create table public.embedding_models (
  tenant_id uuid not null,
  model_id text collate "C" not null,
  name text not null,
  provider text not null check (provider in ('embedded', 'http', 'local')),
  dims integer not null check (dims between 1 and 16000),
  max_tokens integer not null,
  state text not null check (state in ('active', 'building', 'retired')),
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, model_id)
);
create unique index embedding_models_one_active on public.embedding_models (tenant_id) where state = 'active';

-- A text that was embedded once costs nothing the next time, in whatever version or document of the tenant it stands.
create table public.vector_ledger (
  tenant_id uuid not null,
  model_id text collate "C" not null,
  text_hash bytea not null,
  -- float32, little endian, length 1.
  embedding bytea not null,
  -- The sign of every component.
  bits bit varying not null,
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, model_id, text_hash)
);

-- ── Search: active versions only ─────────────────────────────────────────────────────────────────────────────────────
create table public.chunk_embeddings (
  tenant_id uuid not null,
  model_id text collate "C" not null,
  doc_version_id uuid not null,
  chunk_id uuid not null,
  passage_no integer not null,
  embedding bytea not null,
  -- The sign of every component: candidates are found by Hamming distance, then scored exactly.
  bits bit varying not null,
  primary key (tenant_id, chunk_id, passage_no, model_id),
  foreign key (tenant_id, chunk_id) references public.chunks on delete cascade
);
create index idx_chunk_embeddings_tenant on public.chunk_embeddings (tenant_id, model_id, doc_version_id);
create index chunk_embeddings_version on public.chunk_embeddings (tenant_id, doc_version_id);

-- Keyed by term, because @@ is no index condition under row-level security. A row per term and version, an element per chunk.
create table public.chunk_terms (
  tenant_id uuid not null,
  term text collate "C" not null,
  doc_version_id uuid not null,
  chunk_nos integer[] not null,
  -- How often it stands in the text, and how often in title and headings.
  counts integer[] not null,
  head_counts integer[] not null,
  -- Words of each of these chunks.
  lengths integer[] not null,
  primary key (tenant_id, term, doc_version_id),
  foreign key (tenant_id, doc_version_id) references public.document_versions on delete cascade
);
create index chunk_terms_version on public.chunk_terms (tenant_id, doc_version_id);

-- ── What is not served any more ──────────────────────────────────────────────────────────────────────────────────────
create table public.document_tombstones (
  tombstone_id uuid primary key,
  tenant_id uuid not null,
  doc_id uuid not null,
  source_uri text collate "C" not null,
  kind text not null check (kind in ('deactivated', 'source_deleted', 'purged')),
  source_seq bigint not null,
  made_by text not null,
  reason text,
  created_at timestamptz not null default engine.now(),
  lifted_at timestamptz,
  lifted_by text
);
create index document_tombstones_standing on public.document_tombstones (tenant_id, source_uri) where lifted_at is null;
create index document_tombstones_of on public.document_tombstones (tenant_id, doc_id);

-- ── The specification's tracking table, as a view over the ledger ────────────────────────────────────────────────────
create view public.ingestion_runs with (security_invoker = true) as
  select r.id as run_id,
         r.tenant_id,
         r.status,
         coalesce(r.input ->> 'run_type', 'manual_upload') as run_type,
         case when r.source_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then r.source_id::uuid end as source_id,
         r.created_by as initiated_by,
         jsonb_build_object(
           'source_type', r.input -> 'channel',
           'upload_uri', '/v1/uploads/' || r.id::text || '/original',
           'title', r.input -> 'title',
           'original_filename', r.input -> 'original_filename',
           'content_type', r.input -> 'content_type',
           'file_size_bytes', r.input -> 'file_size_bytes',
           'content_hash', r.input -> 'content_hash',
           'created_by_user_id', r.created_by
         ) as config,
         r.receipt as stats,
         case when r.phase in ('failed', 'dead') then r.error_text end as error,
         r.created_at,
         r.started_at,
         greatest(r.updated_at, g.updated_at) as updated_at,
         r.finished_at
  from engine.all_runs r
  left join engine.progress g on g.run_id = r.id and g.tenant_id = r.tenant_id
  where r.pipeline = 'documents';

-- ── Rights ───────────────────────────────────────────────────────────────────────────────────────────────────────────
grant select on public.ingestion_runs to millrace_app, documents_api, documents_worker;
grant select on engine.progress to documents_api, documents_worker;
grant select on engine.blobs to documents_api, documents_worker, documents_purge;
grant update (keep_until) on engine.blobs to documents_worker;
grant update (deleted_at) on engine.blobs to documents_purge;

do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['documents', 'document_versions', 'document_pages', 'chunks', 'chunk_passages', 'chunk_fts',
                                 'embedding_models', 'vector_ledger', 'chunk_embeddings', 'chunk_terms', 'document_tombstones'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format('create policy tenant_only on public.%I to millrace_app, documents_api, documents_worker, documents_purge
                      using (%s) with check (%s)', secured, own_tenant, own_tenant);
    execute format('grant select on public.%I to millrace_app, documents_api, documents_worker, documents_purge', secured);
  end loop;

  -- The worker owns content and never a document.
  foreach secured in array array['document_versions', 'document_pages', 'chunks', 'chunk_passages', 'chunk_fts', 'chunk_embeddings',
                                 'chunk_terms'] loop
    execute format('grant insert, update, delete on public.%I to documents_worker', secured);
  end loop;
  grant insert on public.vector_ledger, public.embedding_models to documents_worker;

  -- The API owns documents. Of content it may only say that a version is not served any more.
  grant insert, update (title, tags, observed_seq, updated_at) on public.documents to documents_api;
  grant insert, update (lifted_at, lifted_by) on public.document_tombstones to documents_api;
  grant update (is_active, deactivated_at) on public.document_versions to documents_api;
  execute 'create policy only_deactivate on public.document_versions as restrictive for update to documents_api
             using (true) with check (is_active = false)';
  grant delete on public.chunk_embeddings, public.chunk_terms to documents_api;
  foreach secured in array array['chunk_embeddings', 'chunk_terms'] loop
    execute format(
      'create policy only_of_unserved on public.%I as restrictive for delete to documents_api
         using (not exists (select from public.document_versions v where v.doc_version_id = %I.doc_version_id and v.is_active))',
      secured, secured);
  end loop;

  foreach secured in array array['documents', 'document_versions', 'document_pages', 'chunks', 'chunk_passages', 'chunk_fts',
                                 'vector_ledger', 'chunk_embeddings', 'chunk_terms'] loop
    execute format('grant delete on public.%I to documents_purge', secured);
  end loop;
  grant insert on public.document_tombstones to documents_purge;

  foreach secured in array array['runs', 'past_runs', 'kept_runs', 'progress', 'leases', 'blobs'] loop
    execute format('create policy documents_tenant_only on engine.%I for select to documents_api, documents_worker, documents_purge using (%s)',
                   secured, own_tenant);
  end loop;
  execute format('create policy documents_keep on engine.blobs for update to documents_worker, documents_purge using (%s) with check (%s)',
                 own_tenant, own_tenant);

  -- Versions that failed runs left half built, of whichever tenant.
  execute 'create policy expired_any_tenant on public.document_versions to documents_cleanup using (ready_at is null)';
end
$$;
grant select on engine.runs, engine.past_runs, engine.kept_runs, engine.all_runs to documents_api, documents_worker, documents_purge;
grant select (doc_version_id, run_id, created_at, ready_at), delete on public.document_versions to documents_cleanup;

-- ── Serving a version ────────────────────────────────────────────────────────────────────────────────────────────────
-- Fills the search tables from the content of a version. In the rights of the caller.
create function public.fill_search_tables(of_tenant uuid, of_version uuid, with_model text) returns void
  language sql
  set search_path = pg_catalog, public, pg_temp
  as $$
    insert into public.chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
    select p.tenant_id, l.model_id, p.doc_version_id, p.chunk_id, p.passage_no, l.embedding, l.bits
    from public.chunk_passages p
    join public.vector_ledger l on l.tenant_id = p.tenant_id and l.model_id = with_model and l.text_hash = p.text_hash
    where p.tenant_id = of_tenant and p.doc_version_id = of_version
    on conflict do nothing;

    insert into public.chunk_terms (tenant_id, term, doc_version_id, chunk_nos, counts, head_counts, lengths)
    select c.tenant_id, t.lexeme, c.doc_version_id,
           array_agg(c.chunk_no order by c.chunk_no), array_agg(t.body order by c.chunk_no),
           array_agg(t.head order by c.chunk_no), array_agg(c.words order by c.chunk_no)
    from (
      select k.tenant_id, k.doc_version_id, k.chunk_no, f.tsv,
             (select coalesce(sum(cardinality(array_positions(u.weights, 'D'))), 0)::integer from unnest(f.tsv) u) as words
      from public.chunks k
      join public.chunk_fts f on f.tenant_id = k.tenant_id and f.chunk_id = k.chunk_id
      where k.tenant_id = of_tenant and k.doc_version_id = of_version
    ) c
    cross join lateral (
      select u.lexeme, cardinality(array_positions(u.weights, 'D')) as body,
             cardinality(u.weights) - cardinality(array_positions(u.weights, 'D')) as head
      from unnest(c.tsv) u
    ) t
    group by c.tenant_id, t.lexeme, c.doc_version_id
    on conflict do nothing
  $$;

-- Serves an earlier version again, for an admin: the one way in which the API makes a version active. It has its owner's rights, and
-- touches only versions of the tenant of the session.
create function public.reactivate_document_version(of_version uuid) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  as $$
declare
  of_tenant constant uuid := nullif(current_setting('millrace.tenant_id', true), '')::uuid;
  wanted record;
begin
  select v.doc_id, v.model_id into wanted
  from public.document_versions v
  where v.tenant_id = of_tenant and v.doc_version_id = of_version and v.ready_at is not null;
  if not found then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(wanted.doc_id::text, 160));
  delete from public.chunk_embeddings e using public.document_versions v
  where v.tenant_id = of_tenant and v.doc_id = wanted.doc_id and v.is_active
    and e.tenant_id = of_tenant and e.doc_version_id = v.doc_version_id;
  delete from public.chunk_terms t using public.document_versions v
  where v.tenant_id = of_tenant and v.doc_id = wanted.doc_id and v.is_active
    and t.tenant_id = of_tenant and t.doc_version_id = v.doc_version_id;
  update public.document_versions v set is_active = false, deactivated_at = engine.now()
  where v.tenant_id = of_tenant and v.doc_id = wanted.doc_id and v.is_active and v.doc_version_id <> of_version;
  update public.document_versions v set is_active = true, activated_at = engine.now(), deactivated_at = null
  where v.tenant_id = of_tenant and v.doc_version_id = of_version;
  perform public.fill_search_tables(of_tenant, of_version, wanted.model_id);
  return true;
end
$$;
revoke all on function public.reactivate_document_version(uuid) from public;
grant execute on function public.reactivate_document_version(uuid) to documents_api;
revoke all on function public.fill_search_tables(uuid, uuid, text) from public;
grant execute on function public.fill_search_tables(uuid, uuid, text) to documents_worker;

do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['document_versions', 'chunks', 'chunk_passages', 'chunk_fts', 'vector_ledger', 'chunk_embeddings',
                                 'chunk_terms'] loop
    execute format('create policy reactivation on public.%I to current_user using (%s) with check (%s)', secured, own_tenant, own_tenant);
  end loop;
end
$$;
