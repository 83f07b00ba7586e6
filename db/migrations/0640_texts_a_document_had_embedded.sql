-- Which texts a document had embedded, whatever became of the run: a failed one leaves its vectors, so that a retry does not pay again,
-- and its passages are gone when a purge looks for them.
create table public.embedded_texts (
  tenant_id uuid not null,
  doc_id uuid not null,
  text_hash bytea not null,
  primary key (tenant_id, doc_id, text_hash),
  foreign key (tenant_id, doc_id) references public.documents (tenant_id, doc_id) on delete cascade
);

-- Nothing tells the document of vectors that failed runs left earlier, so no purge could find them. To lose one costs an embedding at most.
alter table public.vector_ledger no force row level security;
alter table public.chunk_passages no force row level security;
delete from public.vector_ledger l
where not exists (select from public.chunk_passages p where p.tenant_id = l.tenant_id and p.text_hash = l.text_hash);
alter table public.chunk_passages force row level security;
alter table public.vector_ledger force row level security;

do $$
declare
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  alter table public.embedded_texts enable row level security;
  alter table public.embedded_texts force row level security;
  execute format('create policy tenant_only on public.embedded_texts to documents_worker, documents_purge using (%1$s) with check (%1$s)', own_tenant);
end
$$;
grant select, insert on public.embedded_texts to documents_worker;
grant select, delete on public.embedded_texts to documents_purge;
