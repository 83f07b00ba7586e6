-- Row-level security shows each tenant its own rows only; `millrace doctor` checks it for every table with a tenant_id.
create table public.measurements (
  tenant_id uuid not null,
  run_id uuid not null,
  sensor text not null,
  taken_at timestamptz not null,
  value float8 not null,
  primary key (tenant_id, sensor, taken_at)
);

alter table public.measurements enable row level security, force row level security;
create policy own on public.measurements using (tenant_id = (select engine.current_tenant()));

-- The stage writes as a role of its own (databaseRoles), the API and the recount only read.
grant usage on schema engine, public to measurements_store;
grant select, insert, update on public.measurements to measurements_store;
grant select on public.measurements to millrace_app;

-- It reads the file of its run.
grant select on engine.blobs to measurements_store;
create policy measurements_store_reads on engine.blobs for select to measurements_store
  using (tenant_id = (select engine.current_tenant()));
