-- What a purge must find of a document beside its versions: the files of its runs, failed ones too, and the answers that quote it.

-- Every file that was taken in for a document, whatever became of its run.
create table public.document_files (
  tenant_id uuid not null,
  doc_id uuid not null,
  blob_id uuid not null,
  primary key (tenant_id, doc_id, blob_id),
  foreign key (tenant_id, doc_id) references public.documents (tenant_id, doc_id) on delete cascade
);

-- Which documents stand in the citations or the evidence of a question that was kept.
create table public.query_documents (
  tenant_id uuid not null,
  doc_id uuid not null,
  query_id uuid not null,
  primary key (tenant_id, doc_id, query_id),
  foreign key (tenant_id, query_id) references public.queries (tenant_id, query_id) on delete cascade
);
create index query_documents_of on public.query_documents (tenant_id, query_id);

alter table public.queries no force row level security;
insert into public.query_documents (tenant_id, doc_id, query_id)
select distinct q.tenant_id, (s.shown ->> 'doc_id')::uuid, q.query_id
from public.queries q
cross join lateral (
  select jsonb_array_elements(coalesce(q.result -> 'evidence', '[]')) as shown
  union all
  select jsonb_array_elements(coalesce(q.result -> 'citations', '[]'))
) s
where s.shown ? 'doc_id';
alter table public.queries force row level security;

do $$
declare
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  alter table public.document_files enable row level security;
  alter table public.document_files force row level security;
  alter table public.query_documents enable row level security;
  alter table public.query_documents force row level security;
  execute format('create policy tenant_only on public.document_files to documents_api, documents_purge using (%1$s) with check (%1$s)', own_tenant);
  execute format('create policy tenant_only on public.query_documents to millrace_app, documents_purge using (%1$s) with check (%1$s)', own_tenant);
  execute format('create policy purge_of_tenant on public.queries to documents_purge using (%1$s) with check (%1$s)', own_tenant);
end
$$;
grant select, insert on public.document_files to documents_api;
grant select on public.document_files to documents_purge;
grant select, insert on public.query_documents to millrace_app;
grant select, delete on public.query_documents to documents_purge;
grant select, update (answer, reason, result) on public.queries to documents_purge;

-- The specification's table of write ownership: nobody changes a chunk, its vectors or its words. A version is made anew.
revoke update on public.document_pages, public.chunks, public.chunk_passages, public.chunk_fts, public.chunk_embeddings, public.chunk_terms
  from documents_worker;
