-- Ways into the tables of documents, so that no statement depends on what the server knows of them (docs/decisions/0160).

-- Runs of documents that have not ended: their active key is the document and the observation they are of ("<doc_id>:<source_seq>"), so the
-- live runs of one document stand beside each other. It is cleared when a run ends.
update engine.runs set active_key = (input ->> 'doc_id') || ':' || (input ->> 'source_seq')
where pipeline = 'documents' and finished_at is null and active_key is null and input ? 'doc_id' and input ? 'source_seq';
create index runs_live_documents on engine.runs (tenant_id, active_key collate "C") where pipeline = 'documents' and active_key is not null;

-- Whether other versions were made of the same bytes.
create index document_versions_blob on public.document_versions (tenant_id, blob_id) where blob_id is not null;
-- Versions that were left half built, by their run alone: the cleanup knows no tenant.
create index document_versions_half_built on public.document_versions (run_id) where ready_at is null;

-- The model before, and retired models that still have vectors.
create index embedding_models_previous on public.embedding_models (tenant_id, deactivated_at desc)
  where state = 'ready' and deactivated_at is not null;
create index embedding_models_retired on public.embedding_models (part_at nulls first, tenant_id, model_id) where is_due and state = 'retired';

-- The API deletes search rows of versions that are not served. Asked of each row by its key: as a set it was all that a tenant serves.
do $$
declare
  secured text;
begin
  foreach secured in array array['chunk_embeddings', 'chunk_terms'] loop
    execute format('drop policy only_of_unserved on public.%I', secured);
    execute format(
      'create policy only_of_unserved on public.%1$I as restrictive for delete to documents_api
         using ((select v.is_active from public.document_versions v
                 where v.tenant_id = %1$I.tenant_id and v.doc_version_id = %1$I.doc_version_id limit 1) is not true)',
      secured);
  end loop;
end
$$;

-- As before; every row is looked up by the one above it, so that no order of joins is left to choose.
create or replace function public.fill_search_tables(of_tenant uuid, of_version uuid, with_model text) returns void
  language sql
  set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  as $$
    select pg_advisory_xact_lock_shared(hashtextextended(of_tenant::text, 300));

    insert into public.chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
    select of_tenant, m.model_id, of_version, p.chunk_id, p.passage_no, l.embedding, l.bits
    from public.embedding_models m
    cross join lateral (
      select p.chunk_id, p.passage_no, p.text_hash from public.chunk_passages p
      where p.tenant_id = of_tenant and p.doc_version_id = of_version
      offset 0
    ) p
    cross join lateral (
      select l.embedding, l.bits from public.vector_ledger l
      where l.tenant_id = of_tenant and l.model_id = m.model_id and l.text_hash = p.text_hash
      limit 1
    ) l
    where m.tenant_id = of_tenant and m.state <> 'retired'
    on conflict do nothing;

    update public.embedding_models m set is_due = true
    where m.tenant_id = of_tenant and m.state <> 'retired' and not m.is_due
      and (select count(*) from public.chunk_passages p where p.tenant_id = of_tenant and p.doc_version_id = of_version)
        > (select count(*) from public.chunk_embeddings e
           where e.tenant_id = of_tenant and e.model_id = m.model_id and e.doc_version_id = of_version);

    insert into public.chunk_terms (tenant_id, term, doc_version_id, chunk_nos, counts, head_counts, lengths)
    select of_tenant, t.lexeme, of_version,
           array_agg(c.chunk_no order by c.chunk_no), array_agg(t.body order by c.chunk_no),
           array_agg(t.head order by c.chunk_no), array_agg(c.words order by c.chunk_no)
    from (
      select k.chunk_no, f.tsv,
             (select coalesce(sum(cardinality(array_positions(u.weights, 'D'))), 0)::integer from unnest(f.tsv) u) as words
      from (
        select k.chunk_no, k.chunk_id from public.chunks k
        where k.tenant_id = of_tenant and k.doc_version_id = of_version
        offset 0
      ) k
      cross join lateral (
        select f.tsv from public.chunk_fts f where f.tenant_id = of_tenant and f.chunk_id = k.chunk_id limit 1
      ) f
    ) c
    cross join lateral (
      select u.lexeme, cardinality(array_positions(u.weights, 'D')) as body,
             cardinality(u.weights) - cardinality(array_positions(u.weights, 'D')) as head
      from unnest(c.tsv) u
    ) t
    group by t.lexeme
    on conflict do nothing
  $$;
alter function public.reactivate_document_version(uuid) set enable_seqscan = off;
alter function public.reactivate_document_version(uuid) set enable_bitmapscan = off;
