-- Search and questions: signatures to find vectors by, the log of what was asked, conversations, and the measured bar below which
-- a question is not answered.

-- ── Signatures ───────────────────────────────────────────────────────────────────────────────────────────────────────
-- What a scan by Hamming distance reads of a vector. A row of chunk_embeddings carries its floats (1.5 kB for 384 dimensions) beside the bits;
-- here are the bits alone, so that 200,000 of them are 30 MB. Filled and emptied with chunk_embeddings, whoever writes there.
create table public.chunk_signatures (
  tenant_id uuid not null,
  model_id text collate "C" not null,
  doc_version_id uuid not null,
  chunk_id uuid not null,
  passage_no integer not null,
  bits bit varying not null,
  primary key (tenant_id, chunk_id, passage_no, model_id),
  foreign key (tenant_id, chunk_id, passage_no, model_id) references public.chunk_embeddings on delete cascade
);
create index chunk_signatures_scan on public.chunk_signatures (tenant_id, model_id, doc_version_id);

create function public.sign_chunk_embeddings() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
  as $$
begin
  insert into public.chunk_signatures (tenant_id, model_id, doc_version_id, chunk_id, passage_no, bits)
  select n.tenant_id, n.model_id, n.doc_version_id, n.chunk_id, n.passage_no, n.bits from new_rows n
  on conflict do nothing;
  return null;
end
$$;
create trigger sign_new_rows after insert on public.chunk_embeddings
  referencing new table as new_rows for each statement execute function public.sign_chunk_embeddings();

insert into public.chunk_signatures (tenant_id, model_id, doc_version_id, chunk_id, passage_no, bits)
select e.tenant_id, e.model_id, e.doc_version_id, e.chunk_id, e.passage_no, e.bits from public.chunk_embeddings e;

-- ── The bar ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Below it a question is not answered. Null: what was measured for the model when Millrace was made, or the general one.
alter table public.embedding_models add column abstain_below real check (abstain_below between 0 and 2);
alter table public.embedding_models add column abstain_measured jsonb;

-- Which languages the served documents of a tenant are stemmed by, without reading each of them.
create index document_versions_languages on public.document_versions (tenant_id, search_config) where is_active = true;

-- ── What was asked ───────────────────────────────────────────────────────────────────────────────────────────────────
create table public.conversations (
  conversation_id uuid not null,
  tenant_id uuid not null references public.tenants (tenant_id),
  -- Nobody else sees it, no admin either.
  owner_id uuid not null,
  title text not null check (length(title) between 1 and 200),
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (tenant_id, conversation_id)
);
create index conversations_of_owner on public.conversations (tenant_id, owner_id, conversation_id desc);

create table public.queries (
  query_id uuid not null,
  tenant_id uuid not null references public.tenants (tenant_id),
  -- The user, or the API key.
  asked_by uuid not null,
  asked_by_name text not null,
  conversation_id uuid,
  question text not null check (length(question) between 1 and 10000),
  -- What was looked for, where a thread gave the question its meaning.
  asked_as text,
  status text not null check (status in ('answered', 'abstained')),
  -- Why it was not answered.
  reason text,
  answer text,
  -- Evidence against the bar it had to pass.
  score real,
  bar real,
  -- The whole answer as it was given: sentences, citations, evidence, why.
  result jsonb not null,
  stages jsonb not null default '{}',
  candidates integer not null default 0,
  model_id text,
  llm text,
  tokens_in integer,
  tokens_out integer,
  cost_usd numeric(12, 6),
  rating smallint check (rating in (-1, 1)),
  rating_note text check (length(rating_note) <= 2000),
  rated_at timestamptz,
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, query_id),
  foreign key (tenant_id, conversation_id) references public.conversations on delete cascade
);
create index queries_newest on public.queries (tenant_id, query_id desc);
create index queries_of on public.queries (tenant_id, asked_by, query_id desc);
create index queries_in_conversation on public.queries (tenant_id, conversation_id, query_id) where conversation_id is not null;
create index queries_open on public.queries (tenant_id, query_id desc) where status = 'abstained' or rating = -1;
create index queries_age on public.queries (created_at);

-- ── Rights ───────────────────────────────────────────────────────────────────────────────────────────────────────────
do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['chunk_signatures', 'conversations', 'queries'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
  end loop;
  execute format('create policy tenant_only on public.chunk_signatures to millrace_app, documents_api, documents_worker, documents_purge
                    using (%s) with check (%s)', own_tenant, own_tenant);
  execute format('create policy reactivation on public.chunk_signatures to current_user using (%s) with check (%s)', own_tenant, own_tenant);
  foreach secured in array array['conversations', 'queries'] loop
    execute format('create policy tenant_only on public.%I to millrace_app using (%s) with check (%s)', secured, own_tenant, own_tenant);
  end loop;
  -- What is older than it may be kept, of whichever tenant.
  execute 'create policy expired_any_tenant on public.queries to documents_cleanup using (created_at < engine.now() - interval ''1 day'')';
end
$$;
grant select on public.chunk_signatures to millrace_app, documents_api, documents_worker, documents_purge;
grant insert, delete on public.chunk_signatures to documents_worker;
grant select, insert, delete, update (title, updated_at) on public.conversations to millrace_app;
grant select, insert, delete, update (rating, rating_note, rated_at) on public.queries to millrace_app;
grant select (query_id, created_at), delete on public.queries to documents_cleanup;
