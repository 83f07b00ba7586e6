-- A receipt says what the file consists of: how many of its bytes (of a workbook also its cells and parts) are header, rows, set-aside
-- lines by reason, structure. Each tally must add up to what it calls "all", and all bytes must be the size of the stored file.
-- A trigger instead of a check constraint, because the size stands in another table, and because receipts of failed runs count as
-- well. The condition is all that statements without such a receipt pay; claims do not set the receipt and pay nothing.
create function engine.check_content() returns trigger
  language plpgsql
  as $$
declare
  fault text;
  size bigint;
begin
  select tally.key into fault
  from jsonb_each(new.receipt -> 'content') tally
  where (tally.value ->> 'all')::bigint is distinct from (
      select coalesce(sum(part.value::bigint), 0) from jsonb_each_text(tally.value) part where part.key <> 'all'
    )
    or exists (select from jsonb_each_text(tally.value) part where part.value::bigint < 0)
  limit 1;
  if found then
    raise exception 'the receipt of run % does not account for all % of its file', new.id, fault using errcode = 'check_violation';
  end if;
  select bytes into size from engine.blobs where blob_id = new.blob_id;
  if found and size is distinct from (new.receipt #>> '{content,bytes,all}')::bigint then
    raise exception 'the receipt of run % accounts for another number of bytes than its file has', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger runs_check_content
  before update of receipt on engine.runs
  for each row when (new.receipt ? 'content')
  execute function engine.check_content();
