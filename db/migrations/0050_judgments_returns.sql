-- Judgments: refused rows that come back in a corrected file, and lines that repeat an earlier one.

-- The import links the refused rows it finds in a returned file to the run they came back in. It may touch nothing else of them: cells,
-- codes and corrections stay as they are.
grant select (tenant_id, run_id, line, status), update (status, replayed_as) on engine.rejects to judgments_import;
create policy judgments_returned on engine.rejects to judgments_import
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));

-- Lines that name a case a second time with the same values: counted as superseded and not staged. What they say stands in the first.
create table intake.superseded_rows (
  batch_id uuid not null,
  tenant_id uuid not null,
  row_index integer not null check (row_index >= 0),
  line integer not null,
  -- The staged row that says the same.
  first_index integer not null,
  primary key (batch_id, row_index)
);
grant insert on intake.superseded_rows to judgments_import;
grant select, delete on intake.superseded_rows to millrace_app;
grant select (batch_id, row_index), delete on intake.superseded_rows to judgments_cleanup;

alter table intake.superseded_rows enable row level security;
alter table intake.superseded_rows force row level security;
create policy tenant_only on intake.superseded_rows to millrace_app, judgments_import
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
-- As for staging: only what the golden path left behind may be removed by hand, and the cleanup reaches every tenant's.
create policy test_batches_only on intake.superseded_rows as restrictive for delete to millrace_app
  using (exists (select from engine.runs r where r.id = batch_id and r.unique_key like 'golden\_path\_test\_%'));
create policy expired_any_tenant on intake.superseded_rows to judgments_cleanup using (true);
