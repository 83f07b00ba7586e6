-- Cancelled syncs whose job at Airbyte may still run. A cancelled run ends at once; what it may have started at Airbyte is looked
-- for and cancelled afterwards, also when the answer to its trigger was lost, until one outcome is certain.

do $$
begin
  if not exists (select from pg_roles where rolname = 'syncs_canceller') then
    begin
      create role syncs_canceller nologin noinherit;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
end
$$;

grant usage on schema engine, public to syncs_canceller;

create table public.sync_cancellations (
  job_id uuid primary key,
  tenant_id uuid not null,
  connector_id uuid not null,
  -- The newest sync Airbyte knew of the connection before the trigger: any newer one is the run's. Null: the job is known.
  after_job_id text check (after_job_id ~ '^\d+$'),
  -- Airbyte's job, once it is known.
  airbyte_job_id text check (airbyte_job_id ~ '^\d+$'),
  intent_at timestamptz not null,
  requested_at timestamptz not null default engine.now(),
  looks integer not null default 0,
  -- When somebody looks next. Null once it is settled.
  look_at timestamptz default engine.now(),
  settled_at timestamptz,
  -- cancelled: it was cancelled at Airbyte · ended: it had ended before · not_started: no job ever appeared · taken_over: a later sync
  -- of the connector has it · connector_removed: nobody has a credential for it any more · gave_up: Airbyte could not be asked for a day
  outcome text check (outcome in ('cancelled', 'ended', 'not_started', 'taken_over', 'connector_removed', 'gave_up')),
  constraint sync_cancellations_names_a_job check (after_job_id is not null or airbyte_job_id is not null),
  constraint sync_cancellations_settled_has_outcome check ((settled_at is null) = (outcome is null)),
  constraint sync_cancellations_looks_until_settled check ((look_at is null) = (settled_at is not null))
);
create index sync_cancellations_due on public.sync_cancellations (look_at) where look_at is not null;
create index sync_cancellations_by_connector on public.sync_cancellations (tenant_id, connector_id) where look_at is not null;

alter table public.sync_cancellations enable row level security;
alter table public.sync_cancellations force row level security;
create policy tenant_only on public.sync_cancellations to syncs_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
-- Finds out for which tenants there is something to do. Everything else is done under that tenant, as syncs_worker.
create policy open_any_tenant on public.sync_cancellations to syncs_canceller using (look_at is not null) with check (true);

grant select, insert, update on public.sync_cancellations to syncs_worker;
grant select (job_id, tenant_id, look_at, looks), update (look_at, looks) on public.sync_cancellations to syncs_canceller;
