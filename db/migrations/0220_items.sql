-- Items: a file becomes rows before anything is done with them; each row has its own fate, its result and the record of its attempts.
--
-- A job is what its first run made: item_jobs has what belongs to it, engine.runs what is going on. The view `jobs` shows both in the words of
-- the specification. Who writes what:
--   items_worker   ingests and processes, also for a kick-off; takes in catalogues
--   millrace_app   what people do: pause, reprocess, correct a cell, delete a job
--   items_cleanup  deletes items whose time is over
select engine.ensure_role('items_worker'), engine.ensure_role('items_cleanup');
grant usage on schema engine, public to items_worker, items_cleanup;

-- ── Jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
create table public.item_jobs (
  -- The id of its first run.
  job_id uuid primary key,
  tenant_id uuid not null references public.tenants (tenant_id),
  -- users.id; null where no person uploaded it.
  user_id bigint,
  ip_address text,
  file_id uuid,
  file_name text not null,
  job_type text not null check (job_type in ('csv', 'image')),
  processor text not null,
  processor_version integer not null,
  -- What the processor was told; secrets in it are sealed.
  options jsonb not null default '{}',
  -- Names of the columns: of the file, and of the result.
  input_columns jsonb not null default '[]',
  output_columns jsonb not null default '[]',
  -- The run that works on it now, or did last.
  latest_run_id uuid not null,
  -- How the file is read, decided before its first row; how far it is read and what was found.
  reading jsonb,
  ingest jsonb,
  ingested_at timestamptz,
  ingest_ms integer,
  -- Raised by every slice with what it did; counted again when the job ends and every night.
  total_items integer not null default 0,
  done_items integer not null default 0,
  not_found_items integer not null default 0,
  error_items integer not null default 0,
  skipped_items integer not null default 0,
  recounted_at timestamptz,
  -- Slices that are at work end; nobody claims another.
  paused_at timestamptz,
  paused_by text,
  -- Nobody sees it any more; its rows go in slices, then it goes.
  deleted_at timestamptz,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint item_jobs_counts check (
    total_items >= 0 and done_items >= 0 and not_found_items >= 0 and error_items >= 0 and skipped_items >= 0)
);
create index item_jobs_by_user on public.item_jobs (tenant_id, user_id, created_at, job_id);
create index item_jobs_by_tenant on public.item_jobs (tenant_id, created_at, job_id);
create index item_jobs_by_run on public.item_jobs (latest_run_id);
create index item_jobs_by_recount on public.item_jobs (recounted_at nulls first);
create index item_jobs_deleted on public.item_jobs (deleted_at) where deleted_at is not null;
create index item_jobs_by_age on public.item_jobs (created_at);

-- ── Items ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- PENDING     to be processed, at once or at next_attempt_at; a slice claims it
-- PROCESSING  claimed by locked_by until lock_expires_at; its slice moves it on, or whoever finds the lock expired
-- DONE        found; result_json is what the grid shows
-- NOT_FOUND   looked for with every strategy; a person may reprocess it
-- ERROR       refused or failed for good; last_error says why
-- SKIPPED     the same as an earlier row, or left out by a person
create table public.job_items (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  job_id uuid not null references public.item_jobs (job_id) on delete cascade,
  -- Denormalised from the job; null only in rows that are older than the columns (see backfill_job_items).
  user_id bigint,
  job_type text,
  -- From 0, in the order of the file. Grid and export are in this order.
  row_index integer not null,
  line integer,
  input_json jsonb,
  normalized_json jsonb,
  -- Cells that a person corrected; laid over normalized_json. The original stays.
  corrections jsonb,
  result_json jsonb,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'PROCESSING', 'DONE', 'ERROR', 'NOT_FOUND', 'SKIPPED')),
  -- Since the last reprocessing by a person, who starts them anew.
  attempts integer not null default 0,
  errors integer not null default 0,
  not_founds integer not null default 0,
  -- Raised by every claim and never reset: the fence of its results.
  claims integer not null default 0,
  strategy text,
  error_code text,
  last_error text,
  locked_by varchar(64),
  locked_at timestamptz,
  lock_expires_at timestamptz,
  next_attempt_at timestamptz,
  -- Of normalized_json: equal rows have equal ones.
  fingerprint bigint,
  created_at timestamptz not null default engine.now(),
  -- Fresh with every change of state.
  updated_at timestamptz default engine.now(),
  price numeric generated always as (
    case when result_json ->> 'price' ~ '^-?[0-9]{1,30}(\.[0-9]{1,12})?$' then (result_json ->> 'price')::numeric end) stored,
  constraint job_items_lock check ((status = 'PROCESSING') = (locked_by is not null and locked_at is not null and lock_expires_at is not null))
);
-- Covers job_items(job_id), and is the order of grid and export.
create unique index job_items_in_order on public.job_items (job_id, row_index);
-- Covers job_items(job_id, status): the grid filtered by status.
create index job_items_by_status on public.job_items (job_id, status, row_index);
-- The pending views. Partial: they are small when a job has ended, however many items it has.
create index job_items_pending on public.job_items (job_id, updated_at, id) where status in ('PENDING', 'PROCESSING');
create index job_items_pending_of_user on public.job_items (tenant_id, user_id, updated_at, id) where status in ('PENDING', 'PROCESSING');
create index job_items_pending_of_all on public.job_items (tenant_id, updated_at, id) where status in ('PENDING', 'PROCESSING');
-- Claims: fresh rows in order, rows whose retry is due, rows whose lock has expired.
create index job_items_fresh on public.job_items (job_id, row_index) where status = 'PENDING' and next_attempt_at is null;
create index job_items_due on public.job_items (job_id, next_attempt_at) where status = 'PENDING' and next_attempt_at is not null;
create index job_items_locked on public.job_items (job_id, lock_expires_at) where status = 'PROCESSING';
create index job_items_twins on public.job_items (job_id, fingerprint, row_index) where fingerprint is not null;
create index job_items_unfilled on public.job_items (id) where job_type is null or updated_at is null;

-- Every attempt that ended, and every fate that was given without one (an unreadable line, a copy).
create table public.item_attempts (
  tenant_id uuid not null,
  job_id uuid not null references public.item_jobs (job_id) on delete cascade,
  item_id bigint not null,
  -- job_items.claims of the attempt.
  claim integer not null,
  run_id uuid not null,
  attempt integer not null,
  worker text,
  strategy text,
  -- FOUND, NOT_FOUND, SKIPPED, ERROR, RETRY, LOST
  outcome text not null check (outcome in ('FOUND', 'NOT_FOUND', 'SKIPPED', 'ERROR', 'RETRY', 'LOST')),
  -- It gave the item its fate.
  is_final boolean not null,
  error_code text,
  detail text,
  -- What the processor said beside the result: score, the row of the catalogue, the answer's status.
  answer jsonb,
  request_ms integer,
  next_attempt_at timestamptz,
  started_at timestamptz not null,
  ended_at timestamptz not null default engine.now(),
  primary key (job_id, item_id, claim)
);

-- A row per request of a processor.
create table public.search_events (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  job_id uuid not null references public.item_jobs (job_id) on delete cascade,
  item_id bigint not null,
  user_id bigint,
  strategy text not null,
  provider text not null,
  ms integer not null,
  outcome text not null,
  created_at timestamptz not null default engine.now()
);
create index search_events_by_item on public.search_events (job_id, item_id, id);

-- ── Catalogues: versioned, never changed ─────────────────────────────────────────────────────────────────────────────
create table public.item_catalogs (
  catalog_id uuid primary key,
  tenant_id uuid not null references public.tenants (tenant_id),
  name text collate "C" not null check (length(name) between 1 and 100),
  version integer not null check (version >= 1),
  file_name text not null,
  row_count integer not null default 0,
  skipped_rows integer not null default 0,
  columns jsonb not null default '[]',
  created_by text,
  created_at timestamptz not null default engine.now(),
  deleted_at timestamptz,
  constraint item_catalogs_version unique (tenant_id, name, version)
);

create table public.item_catalog_rows (
  tenant_id uuid not null,
  catalog_id uuid not null references public.item_catalogs (catalog_id) on delete cascade,
  row_no integer not null,
  sku_key text collate "C",
  gtin text collate "C",
  -- Brand and title as they are compared.
  name_key text not null default '',
  data jsonb not null,
  primary key (catalog_id, row_no)
);
create index item_catalog_rows_by_sku on public.item_catalog_rows (catalog_id, sku_key) where sku_key is not null;
create index item_catalog_rows_by_gtin on public.item_catalog_rows (catalog_id, gtin) where gtin is not null;

-- Trigrams of brand and title, keyed by trigram, because % is no index condition under row-level security.
create table public.item_catalog_grams (
  tenant_id uuid not null,
  catalog_id uuid not null references public.item_catalogs (catalog_id) on delete cascade,
  gram text collate "C" not null,
  row_nos integer[] not null,
  primary key (catalog_id, gram)
);

-- ── Exports: files of a stated moment ────────────────────────────────────────────────────────────────────────────────
create table public.item_exports (
  export_id uuid primary key,
  tenant_id uuid not null,
  job_id uuid not null references public.item_jobs (job_id) on delete cascade,
  format text not null check (format in ('csv', 'xlsx')),
  -- The moment it shows.
  as_of timestamptz not null,
  blob_id uuid not null,
  bytes bigint not null,
  rows integer not null,
  created_by text,
  created_at timestamptz not null default engine.now()
);
create index item_exports_by_job on public.item_exports (job_id, created_at);

-- ── The views of the specification ───────────────────────────────────────────────────────────────────────────────────
create view public.files with (security_invoker = true) as
  select b.blob_id as id, b.tenant_id, b.original_name as filename, b.bytes, b.media_type, encode(b.sha256, 'hex') as sha256,
         b.created_by, b.created_at, b.deleted_at
  from engine.blobs b;

create view public.jobs with (security_invoker = true) as
  select j.job_id as id,
         j.tenant_id,
         j.user_id,
         j.ip_address,
         j.file_id,
         j.job_type,
         case when r.phase in ('failed', 'dead') then 'FAILED'
              when r.phase = 'done' then 'DONE'
              when j.paused_at is not null or r.held_at is not null then 'PAUSED'
              when r.phase = 'active' then 'RUNNING'
              else 'QUEUED' end as queue_state,
         case when r.phase in ('failed', 'dead') then 'failed'
              when r.phase = 'done' then 'completed'
              when r.phase = 'active' then 'processing'
              else 'pending' end as status,
         j.total_items,
         j.done_items + j.not_found_items + j.error_items + j.skipped_items as processed_items,
         j.error_items as failed_items,
         greatest(j.updated_at, r.updated_at) as last_heartbeat,
         r.attempt as attempts,
         r.error_text as last_error,
         j.created_at,
         r.finished_at
  from public.item_jobs j
  left join lateral (select * from engine.all_runs a where a.id = j.latest_run_id limit 1) r on true
  where j.deleted_at is null;

-- ── Rights ───────────────────────────────────────────────────────────────────────────────────────────────────────────
grant select on public.files, public.jobs to millrace_app, items_worker;
grant select on engine.blobs, engine.runs, engine.past_runs, engine.kept_runs, engine.all_runs to items_worker;

do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['item_jobs', 'job_items', 'item_attempts', 'search_events', 'item_catalogs', 'item_catalog_rows',
                                 'item_catalog_grams', 'item_exports'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format('create policy tenant_only on public.%I to millrace_app, items_worker using (%s) with check (%s)',
                   secured, own_tenant, own_tenant);
    execute format('grant select on public.%I to millrace_app, items_worker', secured);
  end loop;
  foreach secured in array array['runs', 'past_runs', 'kept_runs', 'blobs'] loop
    execute format('create policy items_tenant_only on engine.%I for select to items_worker using (%s)', secured, own_tenant);
  end loop;
end
$$;

-- The worker writes items and what they met; it deletes nothing.
grant insert, update on public.item_jobs, public.job_items, public.item_catalogs to items_worker;
grant insert on public.item_attempts, public.search_events, public.item_catalog_rows to items_worker;
grant insert, update on public.item_catalog_grams to items_worker;

-- People reprocess, correct, pause and delete; no result comes from them.
grant update (status, attempts, errors, not_founds, strategy, error_code, last_error, next_attempt_at, corrections, updated_at,
              locked_by, locked_at, lock_expires_at, user_id, job_type)
  on public.job_items to millrace_app;
grant update (latest_run_id, total_items, done_items, not_found_items, error_items, skipped_items, paused_at, paused_by, deleted_at, updated_at, recounted_at)
  on public.item_jobs to millrace_app;
grant insert on public.item_attempts, public.item_exports to millrace_app;
grant delete on public.item_jobs, public.job_items, public.item_attempts, public.search_events, public.item_catalog_rows, public.item_catalog_grams, public.item_exports to millrace_app;
grant update (deleted_at) on public.item_catalogs to millrace_app;

-- Jobs whose time is over or that were deleted, of whichever tenant.
do $$
declare
  secured text;
begin
  foreach secured in array array['item_jobs', 'job_items', 'item_attempts', 'search_events', 'item_exports'] loop
    execute format('create policy expired_any_tenant on public.%I to items_cleanup using (true)', secured);
  end loop;
end
$$;
grant select (job_id, tenant_id, latest_run_id, created_at, deleted_at, recounted_at, total_items, done_items, not_found_items, error_items,
              skipped_items), delete on public.item_jobs to items_cleanup;
grant update (total_items, done_items, not_found_items, error_items, skipped_items, recounted_at, deleted_at) on public.item_jobs to items_cleanup;
grant select (job_id, tenant_id, row_index, id, status, job_type, updated_at), delete on public.job_items to items_cleanup;
grant select (job_id, item_id), delete on public.item_attempts, public.search_events to items_cleanup;
grant select (job_id), delete on public.item_exports to items_cleanup;
