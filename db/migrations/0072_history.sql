-- Ended runs leave the ledger after a while (LEDGER_LIVE_DAYS) for a history in monthly partitions, with their attempts and their events, so
-- that what the engine works on stays small however much it has done. engine.all_runs, engine.all_attempts and engine.all_events show both.
-- Why a history and not a partitioned ledger: docs/decisions/0070-history.md.

-- A run's position is looked up by its event: by the reader of a run's events, and when events leave with their run.
create index event_positions_by_event on engine.event_positions (event_id);

-- The least uuid v7 of a moment: months of the history are ranges of ids.
create function engine.least_id(at timestamptz) returns uuid
  language sql immutable parallel safe
  as $$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

-- ── The tables ───────────────────────────────────────────────────────────────────────────────────────────────────────
-- Column for column the live tables; a test compares them. Nothing is updated here but the link of a dead letter to its successor.
create table engine.past_runs (like engine.runs) partition by range (id);
alter table engine.past_runs add primary key (id);
create index past_runs_by_tenant on engine.past_runs (tenant_id, id);
create index past_runs_by_tenant_pipeline on engine.past_runs (tenant_id, pipeline, id);
create index past_runs_by_blob on engine.past_runs (blob_id) where blob_id is not null;

create table engine.past_attempts (like engine.attempts) partition by range (run_id);
create index past_attempts_by_run on engine.past_attempts (run_id, attempt);

create table engine.past_events (position bigint not null, like engine.events) partition by range (run_id);
alter table engine.past_events alter column run_id set not null;
create unique index past_events_once on engine.past_events (run_id, type, key);

-- Runs whose key must refuse the same batch for ever outlive their month.
create table engine.kept_runs (like engine.runs, primary key (id));
create index kept_runs_by_tenant on engine.kept_runs (tenant_id, id);
create index kept_runs_by_tenant_pipeline on engine.kept_runs (tenant_id, pipeline, id);
create index kept_runs_by_blob on engine.kept_runs (blob_id) where blob_id is not null;

-- Ids that are no uuid v7 belong to no month.
create table engine.past_runs_other partition of engine.past_runs default;
create table engine.past_attempts_other partition of engine.past_attempts default;
create table engine.past_events_other partition of engine.past_events default;

-- What refuses a second run for ever, also when the run has left the ledger and its month is gone.
create table engine.past_keys (
  tenant_id uuid not null,
  pipeline text not null,
  unique_key text not null,
  run_id uuid not null,
  primary key (tenant_id, pipeline, unique_key)
);
create table engine.past_retries (
  retry_of uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null
);

-- ── Who may see what: as in the live tables ──────────────────────────────────────────────────────────────────────────
do $$
declare
  pair record;
  rule record;
  secured text;
begin
  for pair in select * from (values ('runs', 'past_runs'), ('runs', 'kept_runs'), ('attempts', 'past_attempts'), ('events', 'past_events'))
                            as p (live, past) loop
    for rule in select * from pg_policies where schemaname = 'engine' and tablename = pair.live and permissive = 'PERMISSIVE' loop
      execute format('create policy %I on engine.%I for %s to %s using (%s) %s', rule.policyname, pair.past, rule.cmd,
                     (select string_agg(quote_ident(r), ', ') from unnest(rule.roles) r), rule.qual,
                     case when rule.with_check is not null then format('with check (%s)', rule.with_check) else '' end);
    end loop;
    for rule in select grantee from information_schema.role_table_grants
                where table_schema = 'engine' and table_name = pair.live and privilege_type = 'SELECT' and grantee <> current_user loop
      execute format('grant select on engine.%I to %I', pair.past, rule.grantee);
    end loop;
  end loop;
  foreach secured in array array['past_keys', 'past_retries'] loop
    execute format('create policy engine_all on engine.%I to millrace_engine using (true) with check (true)', secured);
    execute format('create policy tenant_only on engine.%I for select to millrace_app, ads_intake, ads_parse, ads_promote, judgments_import
                      using (tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid))', secured);
    execute format('grant select on engine.%I to millrace_engine, millrace_app, ads_intake, ads_parse, ads_promote, judgments_import', secured);
  end loop;
  foreach secured in array array['past_runs', 'past_attempts', 'past_events', 'kept_runs', 'past_keys', 'past_retries',
                                 'past_runs_other', 'past_attempts_other', 'past_events_other'] loop
    execute format('alter table engine.%I enable row level security', secured);
    execute format('alter table engine.%I force row level security', secured);
  end loop;
end
$$;
grant insert, delete on engine.past_runs, engine.past_attempts, engine.past_events, engine.kept_runs to millrace_engine;
grant update (requeued_as, updated_at) on engine.past_runs, engine.kept_runs to millrace_engine;
grant insert on engine.past_keys, engine.past_retries to millrace_engine;

-- ── Both at once ─────────────────────────────────────────────────────────────────────────────────────────────────────
create view engine.all_runs with (security_invoker = true) as
  select * from engine.runs union all select * from engine.past_runs union all select * from engine.kept_runs;
create view engine.all_attempts with (security_invoker = true) as
  select * from engine.attempts union all select * from engine.past_attempts;
-- Events that have their position.
create view engine.all_events with (security_invoker = true) as
  select p.position, e.* from engine.events e join engine.event_positions p on p.event_id = e.event_id
  union all
  select * from engine.past_events;
-- Who has a key that refuses for ever.
create view engine.all_keys with (security_invoker = true) as
  select tenant_id, pipeline, unique_key, id as run_id from engine.runs where unique_key is not null
  union all
  select tenant_id, pipeline, unique_key, run_id from engine.past_keys;
-- Who retried whom.
create view engine.all_retries with (security_invoker = true) as
  select retry_of, tenant_id, id as run_id from engine.runs where retry_of is not null
  union all
  select retry_of, tenant_id, run_id from engine.past_retries;

do $$
declare
  pair record;
  rule record;
begin
  for pair in select * from (values ('runs', 'all_runs'), ('attempts', 'all_attempts'), ('runs', 'all_retries'), ('runs', 'all_keys')) as p (live, seen) loop
    for rule in select grantee from information_schema.role_table_grants
                where table_schema = 'engine' and table_name = pair.live and privilege_type = 'SELECT' and grantee <> current_user loop
      execute format('grant select on engine.%I to %I', pair.seen, rule.grantee);
    end loop;
  end loop;
end
$$;
grant select on engine.all_events to millrace_engine, millrace_app;

-- ── Keys keep their meaning ──────────────────────────────────────────────────────────────────────────────────────────
-- The unique indexes of the ledger know nothing of runs that have left it. A run with a key takes the shared lock of its key's bucket, the
-- mover the exclusive one: so the key is always seen in the ledger or here. A run that is refused is not inserted, like one in conflict.
create function engine.key_bucket(key text) returns integer
  language sql immutable parallel safe
  as $$ select hashtext(key) & 63 $$;

create function engine.refuse_past_keys() returns trigger
  language plpgsql
  as $$
begin
  if new.unique_key is not null then
    perform pg_advisory_xact_lock_shared(7003, engine.key_bucket(new.unique_key));
    if exists (select from engine.past_keys k
               where k.tenant_id = new.tenant_id and k.pipeline = new.pipeline and k.unique_key = new.unique_key) then
      return null;
    end if;
  end if;
  if new.retry_of is not null then
    perform pg_advisory_xact_lock_shared(7003, engine.key_bucket(new.retry_of::text));
    if exists (select from engine.past_retries k where k.retry_of = new.retry_of) then
      return null;
    end if;
  end if;
  return new;
end
$$;

create trigger runs_refuse_past_keys
  before insert on engine.runs
  for each row when (new.unique_key is not null or new.retry_of is not null)
  execute function engine.refuse_past_keys();

-- ── Months ───────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Only the owner can make, detach and drop tables; the engine asks for exactly this.
create function engine.history_month(prefix text, month date) returns text
  language sql immutable
  as $$ select prefix || '_' || to_char(month, 'YYYY_MM') $$;

create function engine.add_history_month(month date) returns void
  language plpgsql security definer
  set search_path = engine, pg_temp
  set lock_timeout = '2s'
  as $$
declare
  first constant date := date_trunc('month', month)::date;
  least constant uuid := engine.least_id(first::timestamp at time zone 'UTC');
  beyond constant uuid := engine.least_id((first + interval '1 month') at time zone 'UTC');
  parent text;
  made text;
begin
  if first < date '2000-01-01' or first > date '2100-01-01' then
    raise exception 'no month of the history: %', month;
  end if;
  foreach parent in array array['past_runs', 'past_attempts', 'past_events'] loop
    made := engine.history_month(parent, first);
    if to_regclass(format('engine.%I', made)) is null then
      execute format('create table engine.%I (like engine.%I including all)', made, parent);
      execute format('alter table engine.%I enable row level security, force row level security', made);
      execute format('alter table engine.%I attach partition engine.%I for values from (%L) to (%L)', parent, made, least, beyond);
    end if;
  end loop;
end
$$;

-- Months that are attached, oldest first.
create view engine.history_months with (security_invoker = true) as
  select to_date(right(c.relname, 7), 'YYYY_MM') as month
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'engine.past_runs'::regclass and c.relname ~ '^past_runs_[0-9]{4}_[0-9]{2}$'
  order by 1;

-- Takes a month out of the history; its three tables stay until they are dropped. Gives up after two seconds of waiting for a reader.
create function engine.detach_history_month(month date) returns void
  language plpgsql security definer
  set search_path = engine, pg_temp
  set lock_timeout = '2s'
  as $$
declare
  parent text;
begin
  if month > engine.now() - interval '60 days' then
    raise exception 'the month % is too young to leave the history', month;
  end if;
  foreach parent in array array['past_runs', 'past_attempts', 'past_events'] loop
    execute format('alter table engine.%I detach partition engine.%I', parent, engine.history_month(parent, date_trunc('month', month)::date));
  end loop;
end
$$;

create function engine.drop_detached_month(month date) returns void
  language plpgsql security definer
  set search_path = engine, pg_temp
  set lock_timeout = '2s'
  as $$
declare
  parent text;
  gone text;
begin
  foreach parent in array array['past_runs', 'past_attempts', 'past_events'] loop
    gone := engine.history_month(parent, date_trunc('month', month)::date);
    if exists (select from pg_class c where c.oid = to_regclass(format('engine.%I', gone)) and not c.relispartition) then
      execute format('drop table engine.%I', gone);
    end if;
  end loop;
end
$$;

revoke execute on function engine.add_history_month, engine.detach_history_month, engine.drop_detached_month from public;
grant execute on function engine.add_history_month, engine.detach_history_month, engine.drop_detached_month to millrace_engine;
grant select on engine.history_months to millrace_engine;

-- Asked and answered as millrace_engine, in one transaction with the detaching: why a month cannot go yet, or null.
create function engine.why_month_stays(month date) returns text
  language plpgsql stable
  as $$
declare
  least constant uuid := engine.least_id(date_trunc('month', month) at time zone 'UTC');
  beyond constant uuid := engine.least_id((date_trunc('month', month) + interval '1 month') at time zone 'UTC');
begin
  return case
    when exists (select from engine.runs where id >= least and id < beyond) then 'runs of it are still in the ledger'
    when exists (select from engine.rejects where run_id >= least and run_id < beyond and status in ('open', 'corrected'))
      then 'it has open rejects'
    when exists (select from engine.events where run_id >= least and run_id < beyond) then 'events of it were not read yet'
  end;
end
$$;
revoke execute on function engine.why_month_stays from public;
grant execute on function engine.why_month_stays to millrace_engine;

-- ── Views of the specifications, over both ───────────────────────────────────────────────────────────────────────────
create or replace view public.data_uploads with (security_invoker = true) as
  select r.id,
         r.tenant_id as workspace_id,
         (r.input ->> 'client_id')::uuid as client_id,
         r.input ->> 'platform' as platform,
         r.input ->> 'source' as source,
         r.input ->> 'filename' as filename,
         b.store_key as file_url,
         r.status,
         case when r.phase = 'done' then (r.receipt ->> 'promoted')::bigint end as row_count,
         r.error_text,
         r.created_by,
         r.created_at,
         exists (select from engine.events e where e.run_id = r.id and e.type = 'IngestionCompleteEvent' and e.key = '')
           or exists (select from engine.past_events e where e.run_id = r.id and e.type = 'IngestionCompleteEvent' and e.key = '')
           as event_emitted
  from engine.all_runs r
  left join engine.blobs b on b.blob_id = r.blob_id
  where r.pipeline = 'ads';

create or replace view engine.dead_letters with (security_invoker = true) as
  select r.id, r.tenant_id, r.pipeline, r.status, r.phase, r.attempt, r.error_code, r.error_text, r.correlation_id, r.created_at, r.finished_at
  from engine.flagged_runs f
  join engine.all_runs r on r.id = f.run_id
  where f.phase = 'dead' and r.requeued_as is null;

create or replace view ingest.import_runs with (security_invoker = true) as
  select r.id,
         r.unique_key as source_batch_id,
         encode(b.sha256, 'hex') as file_hash,
         r.status::ingest.import_run_status as status,
         (r.receipt ->> 'read')::bigint as record_count,
         r.error_code as error_type,
         case when r.phase <> 'waiting' then coalesce(l.claimed_at, a.started_at, r.started_at) end as started_at,
         r.finished_at as completed_at,
         r.created_at
  from engine.all_runs r
  left join engine.blobs b on b.blob_id = r.blob_id
  left join engine.leases l on l.run_id = r.id
  left join engine.all_attempts a on a.run_id = r.id and a.attempt = r.attempt
  where r.pipeline = 'judgments';

create or replace view ingest.dead_letters with (security_invoker = true) as
  select r.id, r.tenant_id, r.unique_key as source_batch_id, r.error_code as error_type, r.finished_at as failed_at
  from engine.flagged_runs f
  join engine.all_runs r on r.id = f.run_id
  where f.pipeline = 'judgments' and f.phase = 'failed' and not exists (select from engine.all_retries n where n.retry_of = r.id);

create or replace view public.ingestion_jobs with (security_invoker = true) as
  select r.id as job_id,
         r.tenant_id,
         r.input ->> 'connector_id' as connector_id,
         r.input ->> 'external_account_id' as external_account_id,
         r.status,
         least(coalesce((r.failures ->> 'transient:sync')::integer, 0), 5) as retry_count,
         j.airbyte_job_id as run_id,
         r.correlation_id,
         r.error_text as error_message,
         r.error_code,
         case when r.status = 'failed' then (r.wait_reason ->> 'until')::timestamptz end as next_retry_at,
         r.created_at,
         r.started_at,
         r.finished_at as completed_at
  from engine.all_runs r
  left join public.sync_jobs j on j.job_id = r.id
  where r.pipeline = 'syncs';
