-- A process that runs on through a migration may not know what the new schema means: parts of a run, counters of commits. Each worker says by which
-- protocol it works. One that works by an older one is refused by name: it can neither register nor renew its lease nor declare others lost, so that
-- its leases expire and current processes take its runs over. A later migration that changes what a worker must know raises the number.
alter table engine.workers add column protocol integer;
-- By which protocol the process works that declared this worker lost.
alter table engine.workers add column ended_by integer;

create function engine.refuse_old_process() returns trigger language plpgsql as $$
begin
  raise exception 'this process is older than the schema of its database' using
    errcode = 'MR002', hint = 'Stop it and start the version that made the schema; its runs are taken over.';
end
$$;

-- Only for the engine itself: a restore and the owner write what they have.
create trigger refuse_old_worker before insert or update on engine.workers
  for each row when (current_user = 'millrace_engine' and new.ended_at is null and coalesce(new.protocol, 0) < 2)
  execute function engine.refuse_old_process();
create trigger refuse_old_rescuer before update on engine.workers
  for each row when (current_user = 'millrace_engine' and new.end_reason = 'lost' and old.ended_at is null and coalesce(new.ended_by, 0) < 2)
  execute function engine.refuse_old_process();
