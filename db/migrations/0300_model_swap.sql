-- Several embedding models beside each other: vectors of a new one are built in the background, compared, and made active in one statement.
--
-- building  vectors are being made for everything that is served
-- ready     everything that is served has them; new documents get them too, so that it can be made active at any time (again)
-- active    questions are asked with it
-- retired   its vectors are taken away
alter table public.embedding_models drop constraint embedding_models_state_check;
alter table public.embedding_models
  add constraint embedding_models_state_check check (state in ('building', 'ready', 'active', 'retired')),
  -- Something that is served may lack its vectors (or, of a retired model, still have some): the next round of the build begins.
  add column is_due boolean not null default false,
  -- How far the round is: the version and the passage it goes on with. Null between rounds.
  add column build_version uuid,
  add column build_position bigint not null default 0,
  -- What the build found without a vector: passages = embedded + reused.
  add column passages bigint not null default 0,
  add column embedded bigint not null default 0,
  add column reused bigint not null default 0,
  add column part_at timestamptz,
  add column trouble text,
  add column tries integer not null default 0,
  add column next_try_at timestamptz,
  add column ready_at timestamptz,
  add column activated_at timestamptz,
  add column deactivated_at timestamptz,
  add column retired_at timestamptz,
  add constraint embedding_models_counts check (passages = embedded + reused);
create index embedding_models_due on public.embedding_models (model_id, part_at) where is_due or build_version is not null;

-- Documents that were ingested while the settings named another model may lack vectors of the one that is active: looked through once.
alter table public.embedding_models no force row level security;
update public.embedding_models
set is_due = true, activated_at = case when state = 'active' then created_at end
where state in ('active', 'building');
alter table public.embedding_models force row level security;

-- The title a version was embedded with; a document may be renamed later.
alter table public.document_versions add column title text;

-- ── Rights ───────────────────────────────────────────────────────────────────────────────────────────────────────────
select engine.ensure_role('documents_models');
grant usage on schema engine, public to documents_models;
-- Finds what is to be built, of whichever tenant. The building itself is done as documents_worker, under the tenant.
grant select (tenant_id, model_id, state, is_due, build_version, part_at, next_try_at) on public.embedding_models to documents_models;
create policy due_of_any_tenant on public.embedding_models for select to documents_models
  using (is_due or build_version is not null);
grant insert, update on public.embedding_models to documents_api;
grant update on public.embedding_models to documents_worker;
grant delete on public.vector_ledger to documents_worker;
create policy only_of_retired_models on public.vector_ledger as restrictive for delete to documents_worker
  using (exists (select from public.embedding_models m
                 where m.tenant_id = vector_ledger.tenant_id and m.model_id = vector_ledger.model_id and m.state = 'retired'));
do $$
begin
  execute format('create policy reactivation on public.embedding_models to current_user using (%1$s) with check (%1$s)',
                 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)');
end
$$;

-- ── Serving a version ────────────────────────────────────────────────────────────────────────────────────────────────
-- As before, with the vectors of every model that is in use. A model whose vectors are not all there is due: the build makes them. Whoever adds
-- a model waits for versions that are being served meanwhile, so that none is missed.
create or replace function public.fill_search_tables(of_tenant uuid, of_version uuid, with_model text) returns void
  language sql
  set search_path = pg_catalog, public, pg_temp
  as $$
    select pg_advisory_xact_lock_shared(hashtextextended(of_tenant::text, 300));

    insert into public.chunk_embeddings (tenant_id, model_id, doc_version_id, chunk_id, passage_no, embedding, bits)
    select p.tenant_id, l.model_id, p.doc_version_id, p.chunk_id, p.passage_no, l.embedding, l.bits
    from public.embedding_models m
    cross join public.chunk_passages p
    join public.vector_ledger l on l.tenant_id = p.tenant_id and l.model_id = m.model_id and l.text_hash = p.text_hash
    where m.tenant_id = of_tenant and m.state <> 'retired'
      and p.tenant_id = of_tenant and p.doc_version_id = of_version
    on conflict do nothing;

    update public.embedding_models m set is_due = true
    where m.tenant_id = of_tenant and m.state <> 'retired' and not m.is_due
      and (select count(*) from public.chunk_passages p where p.tenant_id = of_tenant and p.doc_version_id = of_version)
        > (select count(*) from public.chunk_embeddings e
           where e.tenant_id = of_tenant and e.model_id = m.model_id and e.doc_version_id = of_version);

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
