-- Judgments: staging, cases, plaintiffs, merge review, and the tracking views of the specification.
--
-- Tracking has no table of its own: ingest.import_runs is a view over engine.runs. The keys carry the tenant, and a case is
-- known by number and county: the same number in another county is another case.

do $$
begin
  if not exists (select from pg_roles where rolname = 'judgments_import') then
    create role judgments_import nologin noinherit;
  end if;
exception when duplicate_object or unique_violation then
  null;
end
$$;

create schema ingest;
create schema intake;
grant usage on schema ingest, intake to millrace_engine, millrace_app, judgments_import;
grant usage on schema engine, public, tabular to judgments_import;

create type ingest.import_run_status as enum ('pending', 'processing', 'completed', 'failed');

-- ── Staging ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- One row per case of a batch. The unique key finds cases that a file names twice while it is being read.
create table intake.simplicity_validated_rows (
  batch_id uuid not null,
  tenant_id uuid not null,
  row_index integer not null check (row_index >= 0),
  line integer not null,
  byte_offset bigint not null,
  case_number text collate "C" not null,
  county text collate "C",
  plaintiff_name text,
  defendant_name text,
  judgment_amount numeric,
  filing_date date,
  email text,
  phone text,
  address text,
  -- email:…, phone:…, name:… or case:…; null when the row names no plaintiff.
  dedupe_key text collate "C",
  -- The phone beside an email: a second way to recognise the same plaintiff.
  phone_key text collate "C",
  name_key text collate "C",
  -- Bits of the columns that the file empties on purpose (src/pipelines/judgments/column-policy.ts).
  cleared integer not null default 0,
  created_at timestamptz not null default engine.now(),
  primary key (batch_id, row_index),
  constraint simplicity_validated_rows_key unique nulls not distinct (batch_id, case_number, county)
) with (autovacuum_vacuum_insert_scale_factor = 0.5);

-- How a batch was read: the reading and the mapping as applied, so that every attempt reads it in the same way.
create table intake.batch_readings (
  batch_id uuid primary key,
  tenant_id uuid not null,
  reading jsonb not null,
  mapping jsonb not null,
  created_at timestamptz not null default engine.now()
);

-- ── Production ───────────────────────────────────────────────────────────────────────────────────────────────────────
create table public.plaintiffs (
  id bigint generated always as identity,
  tenant_id uuid not null,
  dedupe_key text collate "C" not null,
  name text,
  name_key text collate "C",
  email text,
  phone text,
  address text,
  -- Another plaintiff this one turned out to be; set and taken back by people only. The row itself stays.
  merged_into bigint,
  run_id uuid not null,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (tenant_id, id),
  constraint plaintiffs_dedupe_key unique (tenant_id, dedupe_key),
  constraint plaintiffs_not_own_twin check (merged_into <> id)
);
create index plaintiffs_by_name on public.plaintiffs (tenant_id, name_key, id) where name_key is not null;
create index plaintiffs_merged on public.plaintiffs (tenant_id, merged_into) where merged_into is not null;

-- Further keys of a plaintiff, learned from rows that carry two: an email and a phone.
create table public.plaintiff_keys (
  tenant_id uuid not null,
  dedupe_key text collate "C" not null,
  plaintiff_id bigint not null,
  run_id uuid not null,
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, dedupe_key)
);

create table public.judgments (
  id bigint generated always as identity,
  tenant_id uuid not null,
  case_number text collate "C" not null,
  county text collate "C",
  plaintiff_name text,
  defendant_name text,
  judgment_amount numeric,
  filing_date date,
  plaintiff_id bigint,
  -- A person has said whose case it is; imports leave the link alone.
  plaintiff_pinned boolean not null default false,
  source_file text,
  run_id uuid not null,
  line integer not null,
  byte_offset bigint not null,
  -- Raised by every change. A batch that read an older one starts over instead of undoing what came between.
  version integer not null default 1,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (tenant_id, id),
  -- Number first: it is what a row is looked up by, whether or not it names a county.
  constraint judgments_case_number_key unique nulls not distinct (tenant_id, case_number, county)
);
create index judgments_by_plaintiff on public.judgments (tenant_id, plaintiff_id) where plaintiff_id is not null;

-- Pairs of plaintiffs that may be one, and cases a person took away from a plaintiff. Every decision can be undone.
create table public.plaintiff_reviews (
  id bigint generated always as identity,
  tenant_id uuid not null,
  reason text not null check (reason in ('same_name', 'shared_phone', 'split')),
  -- The later plaintiff of the pair; of a split, the new one.
  plaintiff_id bigint not null,
  match_id bigint not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'rejected', 'split', 'undone')),
  -- Of an accepted pair: the plaintiff that was merged, so that undoing takes back exactly that.
  merged_id bigint,
  -- Of a split: the cases that were moved.
  judgment_ids bigint[],
  run_id uuid,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default engine.now(),
  primary key (tenant_id, id),
  constraint plaintiff_reviews_pair unique (tenant_id, plaintiff_id, match_id),
  constraint plaintiff_reviews_decided check ((status in ('accepted', 'rejected', 'split')) <= (decided_at is not null))
);

-- ── The specification's guard, views ─────────────────────────────────────────────────────────────────────────────────
-- Defense in depth beside engine.runs_guard_moves: terminal batches stay as they are, whoever writes. Only a change of status
-- is judged, so heartbeats and counters pass; pending may fail because a person may cancel it.
create function ingest.guard_status_transition() returns trigger
  language plpgsql
  as $$
begin
  if old.status in ('completed', 'failed') then
    raise exception 'Cannot transition from terminal status: %', old.status using errcode = 'MR001';
  end if;
  if old.status = 'pending' and new.status not in ('processing', 'failed') then
    raise exception 'Invalid transition: pending -> %', new.status using errcode = 'MR001';
  end if;
  if old.status = 'processing' and new.status not in ('completed', 'failed', 'pending') then
    raise exception 'Invalid transition: processing -> %', new.status using errcode = 'MR001';
  end if;
  return new;
end
$$;

create trigger trg_import_runs_status_guard
  before update of status on engine.runs
  for each row
  when (old.pipeline = 'judgments' and old.status is distinct from new.status)
  execute function ingest.guard_status_transition();

-- A takeover starts a batch anew: started_at is that of the current (or last) attempt.
create view ingest.import_runs with (security_invoker = true) as
  select r.id,
         r.unique_key as source_batch_id,
         encode(b.sha256, 'hex') as file_hash,
         r.status::ingest.import_run_status as status,
         (r.receipt ->> 'read')::bigint as record_count,
         r.error_code as error_type,
         case when r.phase <> 'waiting' then coalesce(l.claimed_at, a.started_at, r.started_at) end as started_at,
         r.finished_at as completed_at,
         r.created_at
  from engine.runs r
  left join engine.blobs b on b.blob_id = r.blob_id
  left join engine.leases l on l.run_id = r.id
  left join engine.attempts a on a.run_id = r.id and a.attempt = r.attempt
  where r.pipeline = 'judgments';

-- PROCESSING_TIMEOUT_HOURS; a session may set millrace.processing_timeout_hours.
create function ingest.processing_timeout() returns interval
  language sql stable parallel safe
  as $$ select make_interval(hours => coalesce(nullif(current_setting('millrace.processing_timeout_hours', true), '')::integer, 1)) $$;

-- Only batches whose worker has gone silent as well: a long batch is not a stale one.
create view ingest.v_stale_runs with (security_invoker = true) as
  select i.id, i.source_batch_id, i.status, i.started_at,
         extract(epoch from engine.now() - i.started_at) / 3600 as hours_stale,
         i.file_hash
  from ingest.import_runs i
  join engine.leases l on l.run_id = i.id
  join engine.workers w on w.worker_id = l.worker_id
  where i.status = 'processing'
    and i.started_at < engine.now() - ingest.processing_timeout()
    and w.expires_at < engine.now()
  order by i.started_at asc;

comment on view ingest.v_stale_runs is
  'Import runs in processing for longer than the timeout whose worker has gone silent (potential crash victims).';

-- Failed batches that nobody has retried: the dead-letter queue of this pipeline.
create view ingest.dead_letters with (security_invoker = true) as
  select r.id, r.tenant_id, r.unique_key as source_batch_id, r.error_code as error_type, r.finished_at as failed_at
  from engine.flagged_runs f
  join engine.runs r on r.id = f.run_id
  where f.pipeline = 'judgments' and f.phase = 'failed'
    and not exists (select from engine.runs n where n.retry_of = r.id);

-- The plaintiff that another one was merged into, over any number of steps.
create function public.plaintiff_root(of_tenant uuid, of_plaintiff bigint) returns bigint
  language sql stable
  as $$
    with recursive chain (id, merged_into, step) as (
      select p.id, p.merged_into, 1 from public.plaintiffs p where p.tenant_id = of_tenant and p.id = of_plaintiff
      union all
      select p.id, p.merged_into, c.step + 1
      from chain c
      join public.plaintiffs p on p.tenant_id = of_tenant and p.id = c.merged_into
      where c.step < 100
    )
    select id from chain where merged_into is null
  $$;

-- ── Who may do what ──────────────────────────────────────────────────────────────────────────────────────────────────
grant select on ingest.dead_letters to millrace_engine, millrace_app;
grant select on ingest.import_runs, ingest.v_stale_runs to millrace_engine, millrace_app, judgments_import;
grant select (worker_id, expires_at) on engine.workers to millrace_app, judgments_import;
grant select on engine.runs, engine.blobs, engine.leases, engine.attempts to judgments_import;
grant select on tabular.mappings to judgments_import;

grant select, insert on intake.simplicity_validated_rows, intake.batch_readings to judgments_import;
grant select, insert, update on public.judgments, public.plaintiffs to judgments_import;
grant select, insert on public.plaintiff_keys, public.plaintiff_reviews to judgments_import;

grant select on intake.simplicity_validated_rows, intake.batch_readings, public.judgments, public.plaintiffs, public.plaintiff_keys,
  public.plaintiff_reviews to millrace_app;
-- People decide through the API, as the app.
grant update (plaintiff_id, plaintiff_pinned, version, updated_at) on public.judgments to millrace_app;
grant insert, update (merged_into, updated_at) on public.plaintiffs to millrace_app;
grant insert, update (status, decided_by, decided_at, merged_id) on public.plaintiff_reviews to millrace_app;
-- What the golden path leaves behind may be removed again; see the policies.
grant delete on intake.simplicity_validated_rows, intake.batch_readings, public.judgments, public.plaintiffs, public.plaintiff_keys,
  public.plaintiff_reviews to millrace_app;

do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
  of_test_batch constant text := 'exists (select from engine.runs r where r.id = %I and r.unique_key like ''golden\_path\_test\_%%'')';
begin
  foreach secured in array array['intake.simplicity_validated_rows', 'intake.batch_readings', 'public.judgments', 'public.plaintiffs',
                                 'public.plaintiff_keys', 'public.plaintiff_reviews'] loop
    execute format('alter table %s enable row level security', secured);
    execute format('alter table %s force row level security', secured);
    execute format('create policy tenant_only on %s to millrace_app, judgments_import using (%s) with check (%s)',
                   secured, own_tenant, own_tenant);
    execute format('create policy test_batches_only on %s as restrictive for delete to millrace_app using (%s)', secured,
                   format(of_test_batch, case when secured like 'intake.%' then 'batch_id' else 'run_id' end));
  end loop;
  execute format('create policy judgments_tenant_only on tabular.mappings for select to judgments_import using (%s)', own_tenant);
  foreach secured in array array['runs', 'blobs', 'leases', 'attempts'] loop
    execute format('create policy judgments_tenant_only on engine.%I for select to judgments_import using (%s)', secured, own_tenant);
  end loop;
end
$$;
