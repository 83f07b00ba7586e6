-- Sources: places that are looked at again and again, and what was seen there. A sync is a run of the pipeline `sources`; what it brings
-- becomes runs of the pipeline the source names.
--
-- Who writes what:
--   millrace_app    sources (what an admin sets up); of objects only their status, when a source is narrowed or removed
--   sources_services  finds stale sources and those that are announced to, of whichever tenant; removes old lines; sees no credential
--   sources_worker  objects, lines of syncs, and what a sync says of its source; never a credential
select engine.ensure_role('sources_worker');
select engine.ensure_role('sources_services');
grant usage on schema engine, public to sources_worker, sources_services;

create table public.ingestion_sources (
  source_id uuid primary key,
  tenant_id uuid not null references public.tenants (tenant_id),
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('s3', 'sftp', 'ftp', 'folder')),
  -- Bucket, region, endpoint, host, port, folder …: what the kind needs beside the credential.
  place jsonb not null,
  pipeline text not null,
  -- What the pipeline is told of every object: platform, client, vendor, processor, tags …
  fields jsonb not null default '{}',
  -- {name}, {stem} and {path} stand for the object's own.
  title_pattern text check (length(title_pattern) between 1 and 300),
  prefix text not null default '' check (length(prefix) <= 1024),
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  max_bytes bigint check (max_bytes > 0),
  after_taken text not null default 'leave' check (after_taken in ('leave', 'move', 'tag')),
  -- An object counts as whole when it has not changed for this long.
  settle_seconds integer not null default 0 check (settle_seconds between 0 and 86400),
  cron text,
  time_zone text not null default 'UTC',
  jitter_seconds integer not null default 0 check (jitter_seconds between 0 and 86400),
  stale_after_seconds integer not null default 86400 check (stale_after_seconds > 0),
  -- Sealed under a key that is not in the database.
  credential bytea,
  credential_kind text not null default 'none',
  -- Where the place announces new objects.
  queue_url text,
  paused_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  -- The last listing that was complete and free of errors: only that proves absence.
  listed_at timestamptz,
  last_sync_id uuid,
  last_error_code text,
  last_error_at timestamptz,
  stale_told_at timestamptz,
  constraint ingestion_sources_of_tenant unique (tenant_id, source_id),
  constraint ingestion_sources_name_once unique (tenant_id, name),
  constraint ingestion_sources_credential_has_kind check ((credential is null) = (credential_kind = 'none'))
);
create index ingestion_sources_by_tenant on public.ingestion_sources (tenant_id, source_id);

-- One row per object that was ever seen. Keys compare by their bytes, as places list them.
create table public.source_objects (
  tenant_id uuid not null,
  source_id uuid not null,
  key text collate "C" not null check (length(key) between 1 and 4096),
  -- live: its bytes were taken in · refused: see error_code; asked for again when it changes · failed: tried again by the next sync
  -- settling: it may still be growing · deleted: it vanished, what it brought was deactivated · kept: it vanished or left the scope, what
  -- it brought stays.
  status text not null check (status in ('live', 'refused', 'failed', 'settling', 'deleted', 'kept')),
  bytes bigint not null check (bytes >= 0),
  modified_at timestamptz,
  -- Changes whenever the content may have changed.
  mark text not null,
  sha256 bytea,
  source_uri text not null,
  -- The run that has these bytes.
  run_id uuid,
  error_code text,
  error_text text,
  first_seen_at timestamptz not null default engine.now(),
  changed_at timestamptz not null default engine.now(),
  deleted_at timestamptz,
  -- The sync that did not find it.
  missing_in uuid,
  primary key (source_id, key),
  foreign key (tenant_id, source_id) references public.ingestion_sources (tenant_id, source_id) on delete cascade
);
create index source_objects_missing on public.source_objects (source_id, missing_in, key) where missing_in is not null;
create index source_objects_by_status on public.source_objects (source_id, status, key);

-- What a sync found that was not as before: new, changed, refused, vanished, back. Unchanged objects have no line; the receipt counts them.
create table public.source_sync_lines (
  tenant_id uuid not null,
  sync_id uuid not null,
  key text collate "C" not null,
  source_id uuid not null,
  fate text not null check (fate in ('new', 'changed', 'unchanged', 'refused', 'vanished')),
  run_id uuid,
  error_code text,
  created_at timestamptz not null default engine.now(),
  primary key (sync_id, key, fate)
);
create index source_sync_lines_age on public.source_sync_lines (created_at, sync_id);

-- The syncs of a source, as they began.
create table public.source_syncs (
  tenant_id uuid not null,
  source_id uuid not null,
  sync_id uuid not null,
  primary key (source_id, sync_id),
  foreign key (tenant_id, source_id) references public.ingestion_sources (tenant_id, source_id) on delete cascade
);

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['ingestion_sources', 'source_objects', 'source_sync_lines', 'source_syncs'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format(
      'create policy tenant_only on public.%I to millrace_app, sources_worker using (%s) with check (%s)', secured, own_tenant, own_tenant);
  end loop;
  execute 'create policy expired_any_tenant on public.source_sync_lines to sources_services using (created_at < engine.now() - interval ''1 day'')';
  execute 'create policy watched_any_tenant on public.ingestion_sources to sources_services using (paused_at is null and (cron is not null or queue_url is not null))';
end
$$;
grant select, insert, update, delete on public.ingestion_sources to millrace_app;
grant select, update (status, deleted_at, missing_in) on public.source_objects to millrace_app;
grant select on public.source_sync_lines, public.source_syncs to millrace_app;
grant select on public.ingestion_sources to sources_worker;
grant update (listed_at, last_sync_id, last_error_code, last_error_at, stale_told_at) on public.ingestion_sources to sources_worker;
grant select, insert, update on public.source_objects to sources_worker;
grant select, insert on public.source_sync_lines, public.source_syncs to sources_worker;
grant select (sync_id, key, fate, created_at), delete on public.source_sync_lines to sources_services;
grant select (source_id, tenant_id, name, cron, created_at, listed_at, stale_after_seconds, stale_told_at, paused_at, queue_url),
  update (stale_told_at) on public.ingestion_sources to sources_services;
