-- Stored bytes: one row per blob, written after its bytes are safe and before the run that reads them exists.
-- A row says what the bytes are and how long they are kept; the bytes themselves are in the blob store under store_key.

create table engine.blobs (
  blob_id uuid primary key,
  tenant_id uuid not null,
  store_key text not null unique,
  sha256 bytea not null check (octet_length(sha256) = 32),
  bytes bigint not null check (bytes >= 0),
  media_type text not null,
  format text not null,
  -- As the sender named it, made fit for display. Never part of a path.
  original_name text not null,
  created_by uuid,
  created_at timestamptz not null default engine.now(),
  -- When the bytes were safe in the store.
  stored_at timestamptz not null,
  -- Kept at least until then once a run has used it; a blob no run has ever used goes after the clean-up time.
  keep_until timestamptz not null,
  -- The bytes are gone or about to go: whoever finds this set and the bytes still there may remove them.
  deleted_at timestamptz
);

-- "These very bytes were handed in before."
create index blobs_same_bytes on engine.blobs (tenant_id, sha256, blob_id);
-- The sweeper's two questions: whose time is over, and which were never used.
create index blobs_by_keep_until on engine.blobs (keep_until) where deleted_at is null;
create index blobs_by_creation on engine.blobs (created_at) where deleted_at is null;

alter table engine.blobs enable row level security;
alter table engine.blobs force row level security;
create policy engine_all on engine.blobs to millrace_engine using (true) with check (true);
create policy tenant_only on engine.blobs to millrace_app
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));

grant select, insert, update, delete on engine.blobs to millrace_engine;
grant select, insert on engine.blobs to millrace_app;
