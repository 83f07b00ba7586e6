-- A receipt of a file that was read must say what the file consists of. A receipt without it was taken so far, as that of a reading which began
-- before contents were counted; such a run was asked for before this migration. Archives of images hold no cells, and a job that is processed
-- again may have been read before contents were kept. Runs without rows of their own (an undo) have nothing to account for.
create function engine.require_content() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from millrace.migrations m
    where m.name = '0920_receipts_say_what_files_hold.sql' and new.created_at > m.applied_at
  ) then
    raise exception 'the receipt of run % does not say what its file consists of', new.id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger runs_check_content_told
  after update of receipt on engine.runs
  for each row
  when (new.blob_id is not null and (new.receipt ->> 'read')::bigint > 0 and not new.receipt ? 'content'
        and (new.pipeline in ('ads', 'judgments')
             or new.pipeline = 'items' and new.input ->> 'job_type' = 'csv' and not new.input ? 'reprocess'))
  execute function engine.require_content();
