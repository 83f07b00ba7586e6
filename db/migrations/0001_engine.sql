-- The durable run engine: one ledger, three narrow hot tables, history, outbox.
--
-- The shape follows a measurement on minimal tables: one wide hot table with seven indexes drained 24,000 runs/s without a HOT
-- update; split into ledger (engine.runs), queue (engine.ready) and leases it drained 58,000/s, all HOT. What the engine itself
-- reaches with history, events and fence is in docs/performance.md. So no index of engine.runs may
-- name a column that changes while a run lives, neither as a key nor in a predicate.

-- ── Roles ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Roles belong to the server, not the database, so another database may have made them already, perhaps at this moment.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['millrace_engine', 'millrace_app'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin noinherit', wanted);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
  end loop;
end
$$;

create schema engine;
grant usage on schema engine to millrace_engine, millrace_app;

-- ── Clock ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- The engine's only clock. A test superuser moves time by replacing this function; nobody else can.
create function engine.now() returns timestamptz
  language sql volatile parallel safe
  as $$ select clock_timestamp() $$;

-- The tenant of the current transaction. A reused connection holds '', and ''::uuid raises, hence nullif.
create function engine.current_tenant() returns uuid
  language sql stable parallel safe
  as $$ select nullif(current_setting('millrace.tenant_id', true), '')::uuid $$;

-- ── Machines ─────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Written when a process registers its pipelines; only ever extended, so that old and new versions can run together.
create table engine.pipelines (
  pipeline text primary key,
  version integer not null,
  initial_status text not null,
  lane_cap integer check (lane_cap > 0),
  lost_limit integer not null check (lost_limit > 0),
  lost_action text not null check (lost_action in ('requeue', 'fail')),
  announced text[] not null default '{}',
  registered_at timestamptz not null default engine.now()
);

create table engine.states (
  pipeline text not null references engine.pipelines,
  status text not null,
  phase text not null check (phase in ('waiting', 'active', 'done', 'failed', 'dead')),
  stage text,
  primary key (pipeline, status)
);

-- to_phase and to_stage repeat engine.states so that the guard and the moves need one look-up, not two.
create table engine.transitions (
  pipeline text not null,
  from_status text not null,
  event text not null,
  to_status text not null,
  to_phase text not null,
  to_stage text,
  primary key (pipeline, from_status, event),
  foreign key (pipeline, from_status) references engine.states,
  foreign key (pipeline, to_status) references engine.states
);

-- ── Receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────────
-- A receipt adds up when what was read equals the sum of its outcomes. A run without items reads 0.
create function engine.balanced(receipt jsonb) returns boolean
  language sql immutable parallel safe
  as $$
    select case
      when receipt is null then false
      else coalesce((receipt ->> 'read')::bigint, -1)
        = (select coalesce(sum(value::bigint), 0) from jsonb_each_text(coalesce(receipt -> 'outcomes', '{}'::jsonb)))
    end
  $$;

-- ── The ledger ───────────────────────────────────────────────────────────────────────────────────────────────────────
create table engine.runs (
  id uuid primary key,
  tenant_id uuid not null,
  pipeline text not null,
  status text not null,
  phase text not null,
  -- Once ever per tenant and pipeline (a batch id). The pruner keeps runs that have one.
  unique_key text,
  -- One live run at a time (tenant + connector). Emptied when the run ends.
  active_key text,
  lane text not null,
  priority smallint not null default 0,
  input jsonb not null,
  receipt jsonb,
  -- Raised by every claim. It fences: only the holder of the current number may write.
  attempt integer not null default 0,
  -- How often each kind of failure happened per stage, e.g. {"transient:parse": 2}. Retry policies read it.
  failures jsonb not null default '{}',
  wait_reason jsonb,
  held_at timestamptz,
  held_by text,
  cancel_requested_at timestamptz,
  cancel_requested_by text,
  blob_id uuid,
  source_id text,
  retry_of uuid,
  requeued_as uuid,
  correlation_id text,
  created_by uuid,
  created_ip inet,
  error_code text,
  error_text text,
  created_at timestamptz not null default engine.now(),
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null default engine.now(),
  constraint runs_finished_has_time check ((phase in ('done', 'failed', 'dead')) = (finished_at is not null)),
  -- The plain comparison spares runs without items the function call (15 µs, more than the rest of the update).
  constraint runs_done_receipt_balances check (phase <> 'done' or receipt = '{"read": 0}'::jsonb or engine.balanced(receipt)),
  constraint runs_held_has_holder check ((held_at is null) = (held_by is null)),
  constraint runs_failed_says_why check (phase not in ('failed', 'dead') or error_code is not null)
) with (
  -- A claim rewrites every row of a page in one transaction: half the page must be free, or the rest is not HOT.
  fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
);

create unique index runs_unique_key on engine.runs (tenant_id, pipeline, unique_key) where unique_key is not null;
create unique index runs_active_key on engine.runs (tenant_id, pipeline, active_key) where active_key is not null;
-- Two clicks on "retry" make one run.
create unique index runs_retry_of on engine.runs (retry_of) where retry_of is not null;
create index runs_by_tenant on engine.runs (tenant_id, id);
create index runs_by_tenant_pipeline on engine.runs (tenant_id, pipeline, id);
-- Few rows; held_at does not change for all others, so their updates stay HOT.
create index runs_held on engine.runs (tenant_id, id) where held_at is not null;
create index runs_by_blob on engine.runs (blob_id) where blob_id is not null;

-- Only arrows of the pipeline's machine may change a status, and the phase must be the one the arrow leads to.
-- Checked once per statement over all its rows: a row trigger costs 10 µs a row, a third of a claim; this costs 1 µs.
create function engine.guard_run_moves() returns trigger
  language plpgsql
  -- The planner knows nothing of the size of the two tables; a nested loop over 1,000 rows of each would take 100 ms.
  set enable_nestloop = off
  as $$
declare
  illegal record;
begin
  select o.id, o.pipeline, o.status as from_status, n.status as to_status, n.phase as to_phase into illegal
  from old_runs o
  join new_runs n on n.id = o.id
  where (o.status <> n.status or o.phase <> n.phase)
    and not exists (
      select from engine.transitions t
      where t.pipeline = o.pipeline and t.from_status = o.status and t.to_status = n.status and t.to_phase = n.phase
    )
  limit 1;
  if found then
    raise exception 'run % of pipeline % cannot go from % to % (%)',
      illegal.id, illegal.pipeline, illegal.from_status, illegal.to_status, illegal.to_phase
      using errcode = 'MR001';
  end if;
  return null;
end
$$;

create trigger runs_guard_moves
  after update on engine.runs
  referencing old table as old_runs new table as new_runs
  for each statement
  execute function engine.guard_run_moves();

-- Terminal runs a person may want to look at: failed, dead, or done in part. A side table, because an index on
-- engine.runs (status) would end every HOT update.
create table engine.flagged_runs (
  tenant_id uuid not null,
  run_id uuid not null,
  pipeline text not null,
  status text not null,
  phase text not null,
  finished_at timestamptz not null,
  primary key (tenant_id, status, run_id)
);
create index flagged_runs_by_finish on engine.flagged_runs (finished_at);

-- ── The queue ────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Runs that may be claimed now. Narrow, insert and delete only. The primary key is the claim order within a lane.
create table engine.ready (
  pipeline text not null,
  lane text not null,
  priority smallint not null,
  run_id uuid not null,
  -- A run that lost its worker several times is worked on alone, so that it cannot take innocents down with it.
  solo boolean not null default false,
  queued_at timestamptz not null default engine.now(),
  primary key (pipeline, lane, priority, run_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index ready_solo on engine.ready (pipeline, run_id) where solo;

-- Runs that are due later. A service moves them to engine.ready in time.
create table engine.scheduled (
  run_id uuid primary key,
  pipeline text not null,
  lane text not null,
  priority smallint not null,
  solo boolean not null default false,
  available_at timestamptz not null
);
create index scheduled_by_time on engine.scheduled (available_at);

-- Who works on what. The row is the fence: an effects transaction locks it FOR SHARE by (run_id, attempt).
create table engine.leases (
  run_id uuid primary key,
  attempt integer not null,
  worker_id uuid not null,
  tenant_id uuid not null,
  pipeline text not null,
  lane text not null,
  stage text not null,
  capped boolean not null,
  queued_at timestamptz not null,
  claimed_at timestamptz not null default engine.now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index leases_capped on engine.leases (pipeline, lane) where capped;

-- One row per worker incarnation; the only heartbeat there is.
create table engine.workers (
  worker_id uuid primary key,
  name text not null,
  pid integer not null,
  host text not null,
  version text not null,
  pipelines text[] not null,
  concurrency integer not null,
  started_at timestamptz not null default engine.now(),
  heartbeat_at timestamptz not null default engine.now(),
  expires_at timestamptz not null,
  -- Set once, when the worker left or was declared lost. Its leases are gone from then on.
  ended_at timestamptz,
  end_reason text check (end_reason in ('stopped', 'lost'))
) with (fillfactor = 50);

-- A paused pipeline (lane = '') or a paused lane of it: nothing of it is claimed.
create table engine.pauses (
  pipeline text not null,
  lane text not null default '',
  paused_at timestamptz not null default engine.now(),
  paused_by text not null,
  primary key (pipeline, lane)
);

-- ── Progress and history ─────────────────────────────────────────────────────────────────────────────────────────────
-- How far a stage got, written in the transaction of the effects it covers. part '' is the stage as a whole.
create table engine.checkpoints (
  run_id uuid not null,
  stage text not null,
  part text not null default '',
  attempt integer not null,
  state jsonb not null,
  updated_at timestamptz not null default engine.now(),
  primary key (run_id, stage, part)
) with (fillfactor = 70);

-- Coalesced: at most one write a second per worker for all its runs.
create table engine.progress (
  run_id uuid primary key,
  tenant_id uuid not null,
  attempt integer not null,
  stage text not null,
  done bigint not null,
  total bigint,
  unit text,
  note text,
  updated_at timestamptz not null default engine.now()
) with (fillfactor = 50);

-- Every execution, written when it ends. The one under way is in engine.leases.
create table engine.attempts (
  run_id uuid not null,
  attempt integer not null,
  tenant_id uuid not null,
  stage text not null,
  worker_id uuid not null,
  outcome text not null,
  queued_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default engine.now(),
  error_kind text,
  error_code text,
  error_text text,
  primary key (run_id, attempt)
);

-- What the adaptive controller decided, so that the console can draw it.
create table engine.decisions (
  run_id uuid not null,
  tenant_id uuid not null,
  decided_at timestamptz not null default engine.now(),
  stage text not null,
  size_name text not null,
  from_size integer not null,
  to_size integer not null,
  reason text not null
);
create index decisions_by_run on engine.decisions (run_id, decided_at);

-- ── Outbox ───────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Append-only. An event is unique per (run, type, key). Sequence numbers commit out of order, so nobody reads by id:
-- a single pump gives each committed event its place in engine.event_positions, and offsets speak of positions only.
create table engine.events (
  event_id bigint generated always as identity primary key,
  tenant_id uuid not null,
  run_id uuid,
  type text not null,
  key text not null default '',
  data jsonb not null,
  created_at timestamptz not null default engine.now()
);
create unique index events_once on engine.events (run_id, type, key) where run_id is not null;

-- Committed events that have no position yet. No index: the pump empties it.
create table engine.event_inbox (
  event_id bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create table engine.event_positions (
  position bigint generated always as identity primary key,
  event_id bigint not null
);

create table engine.consumers (
  consumer text primary key,
  position bigint not null default 0,
  updated_at timestamptz not null default engine.now()
);

-- ── Rejects ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- A refused item: what it was, why it was refused, what a person made of it. The source is never altered; a correction
-- is a layer beside the item as read.
create table engine.rejects (
  reject_id bigint generated always as identity,
  tenant_id uuid not null,
  run_id uuid not null,
  line bigint,
  byte_offset bigint,
  column_name text,
  code text not null,
  message text not null,
  value text,
  -- Rejects with one cause form a cluster.
  cause text not null,
  suggestion jsonb,
  -- Every fault of the item: [{column, code, value, message}], the first one repeated above.
  errors jsonb not null default '[]',
  item jsonb not null,
  correction jsonb,
  corrected_by text,
  corrected_at timestamptz,
  status text not null default 'open' check (status in ('open', 'corrected', 'replayed', 'resolved')),
  replayed_as uuid,
  created_at timestamptz not null default engine.now(),
  primary key (run_id, reject_id)
);
create index rejects_by_cause on engine.rejects (run_id, cause, reject_id);

-- ── Schedules and limits ─────────────────────────────────────────────────────────────────────────────────────────────
create table engine.schedules (
  schedule_id uuid primary key,
  tenant_id uuid not null,
  name text not null,
  pipeline text not null,
  cron text not null,
  time_zone text not null default 'UTC',
  jitter_seconds integer not null default 0 check (jitter_seconds >= 0),
  input jsonb not null default '{}',
  enabled boolean not null default true,
  next_at timestamptz not null,
  last_fired_at timestamptz,
  last_run_id uuid,
  created_at timestamptz not null default engine.now(),
  unique (tenant_id, name)
);
create index schedules_due on engine.schedules (next_at) where enabled;

-- Token buckets, shared by all processes.
create table engine.rate_limits (
  key text primary key,
  tokens double precision not null,
  capacity double precision not null check (capacity > 0),
  refill_per_second double precision not null check (refill_per_second > 0),
  refilled_at timestamptz not null default engine.now(),
  -- Whether the last question was granted; the statement that asks reads its answer here.
  granted boolean not null
) with (fillfactor = 50);

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
grant select, insert, update, delete on all tables in schema engine to millrace_engine;
grant usage on all sequences in schema engine to millrace_engine;
-- History is appended, never rewritten, not even by the engine itself; the pruner only deletes.
revoke update on engine.events, engine.event_positions, engine.attempts from millrace_engine;

grant select on engine.runs, engine.flagged_runs, engine.attempts, engine.events, engine.event_positions, engine.rejects,
  engine.progress, engine.decisions, engine.leases, engine.schedules, engine.pipelines, engine.states, engine.transitions,
  engine.pauses to millrace_app;
grant update (correction, corrected_by, corrected_at, status) on engine.rejects to millrace_app;

do $$
declare
  secured text;
begin
  foreach secured in array array['runs', 'flagged_runs', 'leases', 'progress', 'attempts', 'decisions', 'events', 'rejects', 'schedules'] loop
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

-- Runs that will not be retried by themselves and that nobody has requeued.
create view engine.dead_letters with (security_invoker = true) as
  select r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.attempt, r.error_code, r.error_text, r.correlation_id,
         r.created_at, r.finished_at
  from engine.flagged_runs f
  join engine.runs r on r.id = f.run_id
  where r.phase = 'dead' and r.requeued_as is null;

-- Runs whose worker has gone silent and that nobody has taken over yet.
create view engine.stale_runs with (security_invoker = true) as
  select l.run_id, l.tenant_id, l.pipeline, l.stage, l.attempt, l.claimed_at, w.name as worker, w.expires_at
  from engine.leases l
  join engine.workers w on w.worker_id = l.worker_id
  where w.expires_at < engine.now();

grant select on engine.dead_letters, engine.stale_runs to millrace_engine;
grant select on engine.dead_letters to millrace_app;
