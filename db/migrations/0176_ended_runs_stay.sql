-- An ended run does not change, whoever asks: not its status, its receipt, its error nor its input. What is to be done about it is a new run
-- that names it (retry_of), written in the audit log as the operation that made it. The one exception is the link of a dead letter to its
-- successor, set once. Why there is no other way in: docs/decisions/0108-ended-runs-do-not-change.md.
create function engine.guard_ended_run() returns trigger
  language plpgsql
  as $$
begin
  if to_jsonb(new) - '{requeued_as,updated_at}'::text[] is distinct from to_jsonb(old) - '{requeued_as,updated_at}'::text[]
     or (old.requeued_as is not null and new.requeued_as is distinct from old.requeued_as)
     or (new.requeued_as is distinct from old.requeued_as and old.phase <> 'dead') then
    raise exception 'run % has ended (%) and cannot be changed', old.id, old.status using
      errcode = 'MR001', hint = 'Retry or requeue it: a new run does the work, and the audit log says who asked.';
  end if;
  return new;
end
$$;

-- After the update: before it, every row of every update would be locked once more. The function is called for ended runs only.
create trigger trg_runs_guard_ended after update on engine.runs
  for each row when (old.finished_at is not null) execute function engine.guard_ended_run();
create trigger trg_past_runs_guard_ended after update on engine.past_runs
  for each row execute function engine.guard_ended_run();
create trigger trg_kept_runs_guard_ended after update on engine.kept_runs
  for each row execute function engine.guard_ended_run();

-- An ended run leaves its table only for the next one of its history, unchanged and in the same statement.
create function engine.guard_leaving_runs() returns trigger
  language plpgsql
  as $$
declare
  lost uuid;
begin
  select g.id into lost
  from gone g
  where g.finished_at is not null
    and not exists (select from engine.past_runs p where p.id = g.id and row(p.*) is not distinct from row(g.*))
    and not exists (select from engine.kept_runs k where k.id = g.id and row(k.*) is not distinct from row(g.*))
  limit 1;
  if found then
    raise exception 'run % has ended and cannot be removed', lost using
      errcode = 'MR001', hint = 'Ended runs leave the ledger for its history, see docs/decisions/0070-history.md.';
  end if;
  return null;
end
$$;
create trigger runs_guard_leaving after delete on engine.runs
  referencing old table as gone for each statement execute function engine.guard_leaving_runs();
create trigger past_runs_guard_leaving after delete on engine.past_runs
  referencing old table as gone for each statement execute function engine.guard_leaving_runs();
create trigger kept_runs_guard_leaving after delete on engine.kept_runs
  referencing old table as gone for each statement execute function engine.guard_leaving_runs();
