-- Signed webhooks: who is told about events, and what became of each telling.
--
-- Every event of the outbox that an endpoint asks for becomes one delivery to it, ever: unique (endpoint, event). A delivery has a
-- list of tries. Lock order everywhere: the endpoint's row first, then its deliveries.

create table engine.webhook_endpoints (
  endpoint_id uuid primary key,
  tenant_id uuid not null,
  url text not null check (length(url) between 1 and 2048),
  description text not null default '' check (length(description) <= 300),
  -- Exact types, groups such as run.*, or *.
  event_types text[] not null check (cardinality(event_types) between 1 and 50),
  -- whsec_…, sealed with the installation's key and bound to this endpoint. Not readable for the application's role.
  secret bytea not null,
  -- After a rotation the former secret signs too, until its time is over.
  former_secret bytea,
  former_secret_until timestamptz,
  -- person: somebody switched it off · gone: it answered 410 · failing: it failed for too long
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('person', 'gone', 'failing')),
  -- Tries that failed since the last success. While it is not 0, one delivery at a time is tried.
  failure_streak integer not null default 0 check (failure_streak >= 0),
  failing_since timestamptz,
  -- The receiver asked us to slow down (Retry-After).
  paused_until timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error_code text,
  created_by uuid,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint webhook_endpoints_disabled_has_reason check ((disabled_at is null) = (disabled_reason is null)),
  constraint webhook_endpoints_streak_has_start check ((failure_streak = 0) = (failing_since is null)),
  constraint webhook_endpoints_former_has_end check ((former_secret is null) = (former_secret_until is null))
) with (fillfactor = 50);
create index webhook_endpoints_by_tenant on engine.webhook_endpoints (tenant_id, endpoint_id);

-- waiting    due at next_at; a deliverer takes it
-- sending    a deliverer has it until lease_until; the number of its attempt is the fence. Taken back when the lease is over
-- delivered  the receiver answered 2xx; a person may send it again
-- failed     every try is used up, or the endpoint was switched off; a person may send it again or recover all since a time
create table engine.deliveries (
  delivery_id uuid primary key,
  tenant_id uuid not null,
  endpoint_id uuid not null references engine.webhook_endpoints on delete cascade,
  event_id bigint not null,
  event_type text not null,
  event_at timestamptz not null,
  run_id uuid,
  -- The body as it is signed and sent: the same at every try.
  payload text not null,
  status text not null default 'waiting' check (status in ('waiting', 'sending', 'delivered', 'failed')),
  attempts integer not null default 0 check (attempts >= 0),
  -- How far along the table of pauses it is; sending again starts over.
  step integer not null default 0 check (step >= 0),
  next_at timestamptz,
  lease_until timestamptz,
  http_status smallint,
  error_code text,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null default engine.now(),
  unique (endpoint_id, event_id),
  constraint deliveries_waiting_has_time check ((status = 'waiting') = (next_at is not null)),
  constraint deliveries_sending_has_lease check ((status = 'sending') = (lease_until is not null)),
  constraint deliveries_delivered_has_time check (status <> 'delivered' or delivered_at is not null),
  constraint deliveries_failed_says_why check (status <> 'failed' or error_code is not null)
) with (fillfactor = 80);
-- The first row of each endpoint is the one that is due first: deliverers jump from endpoint to endpoint.
create index deliveries_due on engine.deliveries (endpoint_id, next_at, delivery_id) where status = 'waiting';
create index deliveries_sending on engine.deliveries (endpoint_id, lease_until) where status = 'sending';
create index deliveries_by_endpoint on engine.deliveries (endpoint_id, delivery_id);
create index deliveries_by_status on engine.deliveries (endpoint_id, status, delivery_id);
create index deliveries_by_run on engine.deliveries (run_id) where run_id is not null;

-- Every try, written when it ends.
create table engine.delivery_tries (
  delivery_id uuid not null references engine.deliveries on delete cascade,
  attempt integer not null check (attempt > 0),
  tenant_id uuid not null,
  started_at timestamptz not null,
  ms integer check (ms >= 0),
  http_status smallint,
  error_code text,
  response_excerpt text check (length(response_excerpt) <= 1000),
  primary key (delivery_id, attempt)
);

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
grant select, insert, update, delete on engine.webhook_endpoints, engine.deliveries to millrace_engine;
grant select, insert, delete on engine.delivery_tries to millrace_engine;

-- The application writes secrets and cannot read them; deliveries are made by the engine, the application can only queue them again.
grant select (endpoint_id, tenant_id, url, description, event_types, former_secret_until, disabled_at, disabled_reason,
              failure_streak, failing_since, paused_until, last_success_at, last_failure_at, last_error_code, created_by,
              created_at, updated_at),
      insert (endpoint_id, tenant_id, url, description, event_types, secret, created_by),
      update (url, description, event_types, secret, former_secret, former_secret_until, disabled_at, disabled_reason,
              failure_streak, failing_since, paused_until, updated_at),
      delete
  on engine.webhook_endpoints to millrace_app;
grant select, update (status, step, next_at, error_code) on engine.deliveries to millrace_app;
grant select on engine.delivery_tries to millrace_app;

do $$
declare
  secured text;
begin
  foreach secured in array array['webhook_endpoints', 'deliveries', 'delivery_tries'] loop
    execute format('alter table engine.%I enable row level security', secured);
    execute format('alter table engine.%I force row level security', secured);
    execute format('create policy engine_all on engine.%I to millrace_engine using (true) with check (true)', secured);
    execute format(
      'create policy tenant_only on engine.%I to millrace_app
         using (tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid))
         with check (tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid))',
      secured);
  end loop;
end
$$;
