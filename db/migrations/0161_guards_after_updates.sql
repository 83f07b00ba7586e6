-- Two guards of the ledger look after an update instead of before it. A trigger before an update of a row makes the server lock that
-- row first, also where the trigger's condition is false: one more change of the page and 55 bytes of log, twice for every run of every
-- pipeline. The guards change nothing and refuse the statement as a whole, so nothing else is different.
drop trigger runs_check_content on engine.runs;
create trigger runs_check_content
  after update of receipt on engine.runs
  for each row when (new.receipt ? 'content')
  execute function engine.check_content();

drop trigger trg_import_runs_status_guard on engine.runs;
create trigger trg_import_runs_status_guard
  after update of status on engine.runs
  for each row
  when (old.pipeline = 'judgments' and old.status is distinct from new.status)
  execute function ingest.guard_status_transition();
