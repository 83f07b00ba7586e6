-- Alerts: rules as data, sinks that are told, what was found, and what was sent. They live in the engine's schema because the
-- evaluator watches every tenant at once; under the app a tenant sees its own rows and the installation's default rules.

-- ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Without a tenant: a default of the installation. A tenant's rule of the same name takes its place for that tenant.
create table engine.alert_rules (
  rule_id uuid primary key,
  tenant_id uuid,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,59}$'),
  description text not null default '' check (length(description) <= 300),
  kind text not null check (kind in ('event', 'threshold')),
  event text,
  metric text,
  comparison text check (comparison in ('>', '>=', '<', '<=')),
  threshold double precision,
  -- Null: each pipeline by itself.
  pipeline text,
  -- Of a threshold: the span its figure is reckoned over. Of an event: an alert that nothing else ends is resolved after it.
  window_minutes integer check (window_minutes > 0),
  severity text not null check (severity in ('INFO', 'WARNING', 'ERROR', 'CRITICAL')),
  enabled boolean not null default true,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint alert_rules_name_once unique nulls not distinct (tenant_id, name),
  constraint alert_rules_event_has_event check ((kind = 'event') = (event is not null)),
  constraint alert_rules_threshold_is_whole check (
    (kind = 'threshold') = (metric is not null and comparison is not null and threshold is not null)
  )
);

insert into engine.alert_rules (rule_id, name, description, kind, event, window_minutes, severity) values
  (gen_random_uuid(), 'ingest_failure', 'A run failed for good.', 'event', 'run_failed', 10080, 'ERROR'),
  (gen_random_uuid(), 'stale_takeover', 'A run was taken over from a worker that had gone silent.', 'event', 'run_taken_over', 1440, 'WARNING'),
  (gen_random_uuid(), 'batch_content_changed', 'A batch was handed in again with other content.', 'event', 'batch_content_changed', 1440, 'WARNING'),
  (gen_random_uuid(), 'connector_disabled', 'A connector was switched off after too many failures.', 'event', 'connector_disabled', null, 'ERROR'),
  (gen_random_uuid(), 'webhook_disabled', 'A webhook endpoint was switched off after too many failures.', 'event', 'webhook_disabled', null, 'WARNING');

-- failed_24h repeats what ingest_failure says of each run; it is there for those who want one alert instead of many.
insert into engine.alert_rules
  (rule_id, name, description, kind, metric, comparison, threshold, pipeline, window_minutes, severity, enabled) values
  (gen_random_uuid(), 'dead_letter_depth', 'Too many failed runs wait for a person.', 'threshold', 'dead_letters', '>', 5, null, null, 'WARNING', true),
  (gen_random_uuid(), 'backlog', 'Too many runs are pending or processing.', 'threshold', 'backlog', '>', 100, null, null, 'WARNING', true),
  (gen_random_uuid(), 'stale_runs', 'Runs are in work for too long and their worker has gone silent.', 'threshold', 'stale_runs', '>', 0, null, null, 'WARNING', true),
  (gen_random_uuid(), 'slow_processing', 'Batches of judgments take long.', 'threshold', 'avg_processing_s', '>', 300, 'judgments', 1440, 'WARNING', true),
  (gen_random_uuid(), 'failed_24h', 'Runs failed in the last day.', 'threshold', 'failed_runs', '>', 0, null, 1440, 'ERROR', false);

-- ── Sinks ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Without a tenant: the operator's, from the configuration; told of every tenant's alerts and shown to none.
create table engine.alert_sinks (
  sink_id uuid primary key,
  tenant_id uuid,
  name text not null check (length(name) between 1 and 100),
  kind text not null check (kind in ('discord', 'slack', 'pagerduty', 'webhook')),
  -- Address and key, sealed with AES-256-GCM under a key that is not in the database; bound to sink_id.
  target bytea not null,
  -- All of the address that may be shown.
  host text not null,
  min_severity text not null default 'WARNING' check (min_severity in ('INFO', 'WARNING', 'ERROR', 'CRITICAL')),
  send_resolved boolean not null default true,
  enabled boolean not null default true,
  last_ok_at timestamptz,
  last_error_at timestamptz,
  last_error_code text,
  consecutive_failures integer not null default 0,
  -- The receiver asked us to slow down.
  paused_until timestamptz,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  constraint alert_sinks_name_once unique nulls not distinct (tenant_id, name)
) with (fillfactor = 70);

-- ── Alerts ───────────────────────────────────────────────────────────────────────────────────────────────────────────
-- open       the rule holds; the evaluator or the consumer resolves it
-- resolved   it is over; never opened again, the next time is another alert
create table engine.alerts (
  alert_id uuid primary key,
  tenant_id uuid not null,
  rule text not null,
  kind text not null check (kind in ('event', 'threshold')),
  -- What it is about: a run, a run's attempt, a pipeline, a connector.
  subject text not null,
  severity text not null check (severity in ('INFO', 'WARNING', 'ERROR', 'CRITICAL')),
  -- Codes, ids and counts only: this is what leaves the house.
  message text not null check (length(message) <= 500),
  pipeline text,
  run_id uuid,
  value double precision,
  threshold double precision,
  occurrences integer not null default 1,
  opened_at timestamptz not null default engine.now(),
  last_seen_at timestamptz not null default engine.now(),
  -- Since when the figure has been on the good side again.
  clear_since timestamptz,
  expires_at timestamptz,
  reminders integer not null default 0,
  reminded_at timestamptz,
  resolved_at timestamptz,
  resolution text,
  acknowledged_at timestamptz,
  acknowledged_by text,
  constraint alerts_resolved_says_why check ((resolved_at is null) = (resolution is null)),
  constraint alerts_acknowledged_by_somebody check ((acknowledged_at is null) = (acknowledged_by is null))
) with (fillfactor = 70);
create unique index alerts_open_once on engine.alerts (tenant_id, rule, subject) where resolved_at is null;
create index alerts_open on engine.alerts (tenant_id, alert_id) where resolved_at is null;
create index alerts_by_tenant on engine.alerts (tenant_id, alert_id);
create index alerts_by_run on engine.alerts (tenant_id, run_id) where run_id is not null;
create index alerts_resolved on engine.alerts (resolved_at) where resolved_at is not null;

-- ── Sends ────────────────────────────────────────────────────────────────────────────────────────────────────────────
-- waiting    to be sent at next_at; a sender that takes it moves next_at ahead, so a killed sender's comes back
-- sent       the receiver has taken it
-- failed     the receiver refused it for good, or it became too old
-- dropped    there was nothing left to say: its alert was never told to this sink, or the sink was switched off
-- Written in the transaction that opens, reminds or resolves the alert, so that none is lost.
create table engine.alert_sends (
  send_id bigint generated always as identity primary key,
  tenant_id uuid,
  sink_id uuid not null references engine.alert_sinks on delete cascade,
  alert_id uuid references engine.alerts on delete cascade,
  what text not null check (what in ('open', 'reminder', 'acknowledge', 'resolve', 'test')),
  -- Tells reminders apart.
  round integer not null default 0,
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed', 'dropped')),
  attempts integer not null default 0,
  next_at timestamptz not null default engine.now(),
  http_status integer,
  error_code text,
  sent_at timestamptz,
  created_at timestamptz not null default engine.now(),
  constraint alert_sends_once unique (alert_id, sink_id, what, round),
  constraint alert_sends_sent_has_time check ((status = 'sent') = (sent_at is not null)),
  constraint alert_sends_test_has_no_alert check ((what = 'test') = (alert_id is null))
) with (fillfactor = 70);
create index alert_sends_due on engine.alert_sends (sink_id, send_id) where status = 'waiting';
create index alert_sends_by_sink on engine.alert_sends (sink_id, send_id);

-- The depth of the dead-letter queue is asked for all the time; the failed runs beside it may be a million.
create index flagged_runs_dead on engine.flagged_runs (tenant_id, pipeline) where phase = 'dead';
create index flagged_runs_failed_batches on engine.flagged_runs (tenant_id, run_id) where pipeline = 'judgments' and phase = 'failed';

-- One row: when the figures were last looked at. Whoever moves it evaluates.
create table engine.alert_clock (
  "only" boolean primary key default true check ("only"),
  evaluated_at timestamptz not null default '-infinity'
);
insert into engine.alert_clock default values;

-- What happened before there were alerts is not alerted.
insert into engine.consumers (consumer, position) select 'alerts', coalesce(max(position), 0) from engine.event_positions;

-- ── Who may see what ─────────────────────────────────────────────────────────────────────────────────────────────────
grant select, insert, update, delete on engine.alert_rules, engine.alert_sinks, engine.alerts, engine.alert_sends to millrace_engine;
grant select, update on engine.alert_clock to millrace_engine;

grant select, insert, delete, update (
    description, comparison, threshold, pipeline, window_minutes, severity, enabled, updated_at
  ) on engine.alert_rules to millrace_app;
grant select, insert, delete, update (
    name, target, host, min_severity, send_resolved, enabled, last_ok_at, last_error_at, last_error_code, consecutive_failures,
    paused_until, updated_at
  ) on engine.alert_sinks to millrace_app;
grant select, update (acknowledged_at, acknowledged_by) on engine.alerts to millrace_app;
-- Tests are sent by the front door itself and only noted down.
grant select, insert on engine.alert_sends to millrace_app;

do $$
declare
  secured text;
  current_one constant text := '(select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
  own_tenant constant text := 'tenant_id = ' || current_one;
begin
  foreach secured in array array['alert_rules', 'alert_sinks', 'alerts', 'alert_sends'] loop
    execute format('alter table engine.%I enable row level security', secured);
    execute format('alter table engine.%I force row level security', secured);
    execute format('create policy engine_all on engine.%I to millrace_engine using (true) with check (true)', secured);
    execute format('create policy tenant_only on engine.%I to millrace_app using (%s) with check (%s)', secured, own_tenant, own_tenant);
  end loop;
  -- Defaults are shown to every tenant (and to nobody who has none), never written.
  execute format('create policy own_and_defaults on engine.alert_rules for select to millrace_app using (coalesce(tenant_id, %s) = %s)',
                 current_one, current_one);
  execute 'create policy tests_only on engine.alert_sends as restrictive for insert to millrace_app with check (what = ''test'')';
end
$$;
