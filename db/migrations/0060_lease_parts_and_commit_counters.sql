-- Leases per (run, part), a count of commits beside every checkpoint, and a way to stop a transaction that holds a lease.

-- ── Leases ───────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Part '' is a run that one worker has to itself, and the first part of one that several share. The fence is
-- (run_id, part, attempt, worker_id): after the loss of committed transactions two executions may have the same attempt.
alter table engine.leases
  add column part text not null default '',
  -- Leases of the version before were charged with every loss; those under way still are.
  add column began boolean not null default true;
-- A run that is claimed ahead has not begun. Whoever works on it longer than a moment, or knows that it was lost before, says so.
alter table engine.leases alter column began set default false;
alter table engine.leases drop constraint leases_pkey;
alter table engine.leases add primary key (run_id, part);
-- For the rescuer and for workers that compare what they hold with what they should.
create index leases_by_worker on engine.leases (worker_id);

alter table engine.attempts add column part text not null default '';

-- ── Commits ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- Raised by every effects transaction and compared at the next: commits that are gone after a failover are found out.
-- The state is null where a stage has committed without a checkpoint.
alter table engine.checkpoints add column commits bigint not null default 0;
alter table engine.checkpoints alter column state drop not null;

-- ── Transactions that hold a lease ───────────────────────────────────────────────────────────────────────────────────
-- Every effects transaction holds this advisory lock, shared, until it ends: pg_locks then tells whose backend it is.
create function engine.effects_key(run_id uuid, part text, attempt integer) returns bigint
  language sql immutable parallel safe
  as $$ select hashtextextended(run_id::text || '/' || part, attempt) $$;

-- Cancels the statement (or, hard, ends the connection) of the transactions under one attempt's fence; nobody else's can be
-- named. How many there were, or -1 when the owner of this database may not signal the backends of its logins.
create function engine.stop_effects(run_id uuid, part text, attempt integer, hard boolean) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  as $$
declare
  key bigint := engine.effects_key(run_id, part, attempt);
  backend integer;
  stopped integer := 0;
begin
  for backend in
    select l.pid
    from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and ((l.classid::bigint << 32) | l.objid::bigint) = key
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.pid <> pg_backend_pid()
  loop
    if hard then
      perform pg_terminate_backend(backend);
    else
      perform pg_cancel_backend(backend);
    end if;
    stopped := stopped + 1;
  end loop;
  return stopped;
exception when insufficient_privilege then
  return -1;
end
$$;
revoke execute on function engine.stop_effects from public;
grant execute on function engine.stop_effects to millrace_engine;

-- A superuser needs no grant. An owner that may not grant it to itself goes without: then the server's own limits end such transactions.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user)
     and not pg_has_role(current_user, 'pg_signal_backend', 'member') then
    execute format('grant pg_signal_backend to %I', current_user);
  end if;
exception when insufficient_privilege then
  raise notice 'the owner may not signal backends: stalled transactions end by the limits of the server alone';
end
$$;
