-- Counties are compared without case, punctuation and spacing: "DeKalb", "De Kalb" and "DEKALB COUNTY" are one. The key says which
-- county a row means; the county itself stays as it was written. The import computes the key (src/pipelines/judgments/case-row.ts);
-- rows that are here already, and rows that a process of an earlier version still writes, get theirs from the function below.

create function intake.county_key(county text) returns text
language sql immutable parallel safe
set search_path = pg_catalog
as $$
  select nullif(
    regexp_replace(
      lower(regexp_replace(normalize(county, nfkc) collate "default", '[ ,]+(county|co\.)\s*$', '', 'i')),
      '[\s!-/:-@\[-`{-~\u2010-\u205e]+', '', 'g'),
    '') collate "C"
$$;

create function intake.fill_county_key() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  new.county_key := intake.county_key(new.county);
  return new;
end
$$;

grant execute on function intake.county_key(text) to judgments_import, millrace_app;

alter table intake.simplicity_validated_rows add column county_key text collate "C";
alter table public.judgments add column county_key text collate "C";
update intake.simplicity_validated_rows set county_key = intake.county_key(county) where county is not null;

-- Cases that were two by spelling alone stay two rows: nothing stored is lost, and the one that was written last takes what comes.
with keyed as (
  select tenant_id, id, intake.county_key(county) as county_key,
         row_number() over (partition by tenant_id, case_number, intake.county_key(county) order by updated_at desc, id desc) as place
  from public.judgments
  where county is not null
)
update public.judgments j
set county_key = k.county_key || case when k.place > 1 then '~' || k.id else '' end
from keyed k
where j.tenant_id = k.tenant_id and j.id = k.id;

with keyed as (
  select batch_id, row_index, county_key, row_number() over (partition by batch_id, case_number, county_key order by row_index) as place
  from intake.simplicity_validated_rows
)
update intake.simplicity_validated_rows s
set county_key = coalesce(k.county_key, '') || '~' || k.row_index
from keyed k
where k.place > 1 and s.batch_id = k.batch_id and s.row_index = k.row_index;

alter table intake.simplicity_validated_rows
  drop constraint simplicity_validated_rows_key,
  add constraint simplicity_validated_rows_key unique nulls not distinct (batch_id, case_number, county_key);
alter table public.judgments
  drop constraint judgments_case_number_key,
  add constraint judgments_case_number_key unique nulls not distinct (tenant_id, case_number, county_key);

create trigger fill_county_key before insert on intake.simplicity_validated_rows
  for each row when (new.county is not null and new.county_key is null) execute function intake.fill_county_key();
create trigger fill_county_key before insert on public.judgments
  for each row when (new.county is not null and new.county_key is null) execute function intake.fill_county_key();
