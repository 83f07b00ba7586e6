-- The front door's people: tenants, users, clients, API keys, memberships, and the audit log.
--
-- Every table with tenant_id is readable only under that tenant (row-level security, forced). Three roles touch them:
--   millrace_app       the API, for one tenant at a time; cannot create tenants or change plans, cannot rewrite the audit log
--   millrace_operator  the command line of whoever runs the installation: creates tenants, sets plans, resets passwords
--   the owner          reads users and tenants for find_login alone, the one allow-listed SECURITY DEFINER function here

do $$
begin
  if not exists (select from pg_roles where rolname = 'millrace_operator') then
    begin
      create role millrace_operator nologin noinherit;
    exception when duplicate_object or unique_violation then
      null;
    end;
  end if;
end
$$;

grant usage on schema engine to millrace_operator;
grant usage on schema public to millrace_app, millrace_operator;

create table public.tenants (
  tenant_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  -- Set by the operator only; a tenant's admin cannot.
  plan text not null default 'free' check (plan in ('free', 'growth', 'enterprise')),
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now()
);

create table public.users (
  user_id uuid primary key,
  id bigint generated always as identity unique,
  tenant_id uuid not null references public.tenants,
  email text not null unique check (email = lower(email) and length(email) between 3 and 320),
  name text,
  password_hash text not null,
  role text not null check (role in ('admin', 'user', 'support', 'service')),
  -- Raised by whatever must end this user's sessions: sign-out, new password, other role, disabling.
  token_version integer not null default 1,
  must_change_password boolean not null default false,
  disabled_at timestamptz,
  last_login_at timestamptz,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now()
);
create index users_by_tenant on public.users (tenant_id, user_id);

create table public.clients (
  client_id uuid primary key,
  tenant_id uuid not null references public.tenants,
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null default engine.now(),
  unique (tenant_id, name)
);

create table public.api_keys (
  key_id uuid primary key,
  tenant_id uuid not null references public.tenants,
  name text not null,
  -- SHA-256 of 32 random bytes; the secret itself is shown once and never kept.
  secret_hash bytea not null check (length(secret_hash) = 32),
  scopes text[] not null,
  created_by uuid references public.users on delete set null,
  created_at timestamptz not null default engine.now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_tenant on public.api_keys (tenant_id, key_id);

-- tenant_id is the tenant reached, not the one the support person belongs to.
create table public.memberships (
  membership_id uuid primary key,
  tenant_id uuid not null references public.tenants,
  user_id uuid not null references public.users on delete cascade,
  email text not null,
  reason text not null,
  granted_by uuid references public.users on delete set null,
  created_at timestamptz not null default engine.now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index memberships_by_tenant on public.memberships (tenant_id, membership_id);
create index memberships_by_user on public.memberships (user_id, tenant_id);

-- Who did what, and who was refused. tenant_id is null for attempts that name no known account.
create table public.audit_log (
  audit_id bigint generated always as identity primary key,
  tenant_id uuid,
  at timestamptz not null default engine.now(),
  action text not null,
  outcome text not null check (outcome in ('done', 'denied', 'failed')),
  actor_id uuid,
  actor text,
  actor_role text,
  target text,
  ip inet,
  correlation_id text,
  data jsonb not null default '{}'
);
create index audit_log_by_tenant on public.audit_log (tenant_id, audit_id);

-- Counts sign-in attempts per keyed hash of account, address or both; shared by all processes. Holds no name in clear.
create table public.login_attempts (
  subject bytea primary key,
  attempts integer not null,
  window_started_at timestamptz not null
);

-- The stored answer of a POST that carried an Idempotency-Key. `answer` is sealed: it may hold a new API key.
create table public.idempotency_keys (
  tenant_id uuid not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  -- Unfinished requests may be taken over once this has passed: their process died.
  locked_until timestamptz not null,
  status smallint,
  answer bytea,
  created_at timestamptz not null default engine.now(),
  finished_at timestamptz,
  primary key (tenant_id, operation, key),
  constraint idempotency_finished_has_answer check ((finished_at is null) = (status is null))
);
create index idempotency_keys_by_age on public.idempotency_keys (created_at);

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
do $$
declare
  secured text;
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['tenants', 'users', 'clients', 'api_keys', 'memberships', 'audit_log', 'idempotency_keys'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format('create policy tenant_only on public.%I to millrace_app using (%s) with check (%s)', secured, own_tenant, own_tenant);
    execute format('create policy operator_all on public.%I to millrace_operator using (true) with check (true)', secured);
  end loop;
end
$$;

alter table public.login_attempts enable row level security;
alter table public.login_attempts force row level security;
create policy counting on public.login_attempts to millrace_app using (true) with check (true);

-- An attempt on an account nobody has belongs to no tenant, but must be written down.
create policy nobodys_entry on public.audit_log for insert to millrace_app with check (tenant_id is null);

grant select on public.tenants to millrace_app;
grant select, insert, delete, update (name, password_hash, role, token_version, must_change_password, disabled_at, last_login_at, updated_at)
  on public.users to millrace_app;
grant select, insert, delete, update (name) on public.clients to millrace_app;
grant select, insert, update (last_used_at, revoked_at) on public.api_keys to millrace_app;
grant select, insert, update (revoked_at) on public.memberships to millrace_app;
grant select, insert on public.audit_log to millrace_app;
grant select, insert, update, delete on public.login_attempts, public.idempotency_keys to millrace_app;

grant select, insert, update on public.tenants, public.users to millrace_operator;
grant select, insert on public.audit_log to millrace_operator;
grant select, delete on public.idempotency_keys, public.login_attempts to millrace_operator;
create policy pruning on public.login_attempts to millrace_operator using (true);

-- ── Sign-in ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Before a sign-in no tenant is known, so row-level security would show nobody. This function finds one account by its exact
-- address and nothing else. It runs as the owner, for whom the two policies below exist.
create policy login_lookup on public.users for select to current_user using (true);
create policy login_lookup on public.tenants for select to current_user using (true);

create function public.find_login(wanted_email text)
  returns table (
    user_id uuid, tenant_id uuid, email text, name text, password_hash text, role text, token_version integer,
    must_change_password boolean, disabled_at timestamptz, tenant_name text, plan text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  as $$
    select u.user_id, u.tenant_id, u.email, u.name, u.password_hash, u.role, u.token_version,
           u.must_change_password, u.disabled_at, t.name, t.plan
    from public.users u
    join public.tenants t on t.tenant_id = u.tenant_id
    where u.email = pg_catalog.lower(wanted_email)
  $$;
revoke all on function public.find_login(text) from public;
grant execute on function public.find_login(text) to millrace_app;
