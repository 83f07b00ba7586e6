-- Syncs: connectors to Airbyte connections and what each run knows of its Airbyte job. Jobs have no table of their own:
-- ingestion_jobs is a view over engine.runs.

do $$
begin
  if not exists (select from pg_roles where rolname = 'syncs_worker') then
    begin
      create role syncs_worker nologin noinherit;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
end
$$;

grant usage on schema engine, public to syncs_worker;

-- ── Connectors ───────────────────────────────────────────────────────────────────────────────────────────────────────
create table public.connectors (
  connector_id uuid primary key,
  tenant_id uuid not null references public.tenants,
  name text not null check (length(name) between 1 and 200),
  -- The connection at Airbyte. One connector at most in the whole installation: two would drive it against each other.
  connection_id uuid not null,
  workspace_id text not null,
  external_account_id text not null check (length(external_account_id) between 1 and 200),
  -- Null: the shortest interval of the tenant's plan.
  interval_seconds integer check (interval_seconds > 0),
  enabled boolean not null default true,
  -- Null: the installation's credential. Otherwise sealed with AES-256-GCM under a key that is not in the database.
  credential bytea,
  credential_kind text not null default 'installation' check (credential_kind in ('installation', 'token', 'client')),
  -- HTTP status to error kind where a source means something else by it, e.g. {"403": "rate_limited"}.
  error_kinds jsonb not null default '{}',
  consecutive_failures integer not null default 0,
  warned_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  last_started_at timestamptz,
  -- When the last sync that succeeded was started: what cadence is reckoned from.
  last_success_started_at timestamptz,
  last_success_at timestamptz,
  last_error_code text,
  last_error_kind text,
  last_error_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint connectors_connection_once unique (connection_id),
  constraint connectors_name_once unique (tenant_id, name),
  constraint connectors_credential_has_kind check ((credential is null) = (credential_kind = 'installation')),
  constraint connectors_disabled_says_why check ((disabled_at is null) = (disabled_reason is null))
);
create index connectors_by_tenant on public.connectors (tenant_id, connector_id);

-- What a run knows of its job at Airbyte. Written before the trigger (the intent) and when the job's id is known.
create table public.sync_jobs (
  job_id uuid primary key,
  tenant_id uuid not null,
  connector_id uuid not null,
  -- Airbyte's int64, as text: it may exceed 2^53.
  airbyte_job_id text check (airbyte_job_id ~ '^\d+$'),
  -- Somebody else, or an earlier attempt of ours whose answer was lost, had started it.
  adopted boolean not null default false,
  triggers integer not null default 0,
  intent_at timestamptz not null,
  triggered_at timestamptz
);
create index sync_jobs_by_connector on public.sync_jobs (tenant_id, connector_id, job_id desc);

-- One live run per tenant and connector: queued, running, or failed with a retry planned. Emptied when the run ends.
create unique index ix_ingestion_jobs_active_unique
  on engine.runs (tenant_id, active_key)
  where pipeline = 'syncs' and active_key is not null;

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['connectors', 'sync_jobs'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format(
      'create policy tenant_only on public.%I to millrace_app, syncs_worker using (%s) with check (%s)', secured, own_tenant, own_tenant);
  end loop;
  -- The plan decides the cadence.
  execute format('create policy sync_plan on public.tenants for select to syncs_worker using (%s)', own_tenant);
end
$$;

grant select, insert, delete, update (
    name, connection_id, workspace_id, external_account_id, interval_seconds, enabled, credential, credential_kind, error_kinds,
    consecutive_failures, warned_at, disabled_at, disabled_reason, updated_at
  ) on public.connectors to millrace_app;
grant select on public.sync_jobs to millrace_app;
grant select, update (
    enabled, consecutive_failures, warned_at, disabled_at, disabled_reason, last_started_at, last_success_started_at, last_success_at,
    last_error_code, last_error_kind, last_error_at, updated_at
  ) on public.connectors to syncs_worker;
grant select, insert, update on public.sync_jobs to syncs_worker;
grant select (tenant_id, plan) on public.tenants to syncs_worker;
-- The trigger's tokens are taken in the transaction that stores the intent.
grant select, insert, update on engine.rate_limits to syncs_worker;

-- ── The job model ────────────────────────────────────────────────────────────────────────────────────────────────────
create view public.ingestion_jobs with (security_invoker = true) as
  select r.id as job_id,
         r.tenant_id,
         r.input ->> 'connector_id' as connector_id,
         r.input ->> 'external_account_id' as external_account_id,
         r.status,
         -- A rate limit costs no retry, and the failure that used the last one up is not a retry either.
         least(coalesce((r.failures ->> 'transient:sync')::integer, 0), 5) as retry_count,
         j.airbyte_job_id as run_id,
         r.correlation_id,
         r.error_text as error_message,
         r.error_code,
         case when r.status = 'failed' then (r.wait_reason ->> 'until')::timestamptz end as next_retry_at,
         r.created_at,
         r.started_at,
         r.finished_at as completed_at
  from engine.runs r
  left join public.sync_jobs j on j.job_id = r.id
  where r.pipeline = 'syncs';

grant select on public.ingestion_jobs to millrace_app;
