-- Which column of which kind of file is which field, as each tenant has settled it. A version is never changed or removed: rows
-- that were read with it name it, and a correction is the next version.

create schema tabular;
grant usage on schema tabular to millrace_app;

create table tabular.mappings (
  tenant_id uuid not null,
  pipeline text not null,
  -- Hash of the column names, whatever their order: the kind of file.
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{32}$'),
  version integer not null check (version > 0),
  name text not null check (length(name) between 1 and 200),
  -- {"fields": {"column name": "field" | null}, "constants": {"field": "value"}}
  mapping jsonb not null check (jsonb_typeof(mapping -> 'fields') = 'object'),
  -- What the user set about the reading itself: delimiter, encoding, date order …
  reading jsonb not null default '{}' check (jsonb_typeof(reading) = 'object'),
  created_by uuid,
  created_at timestamptz not null default engine.now(),
  constraint mappings_key primary key (tenant_id, pipeline, fingerprint, version)
);

alter table tabular.mappings enable row level security;
alter table tabular.mappings force row level security;
create policy tenant_only on tabular.mappings to millrace_app
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));

-- Versions are added, never altered: there is no update and no delete to grant.
grant select, insert on tabular.mappings to millrace_app;
