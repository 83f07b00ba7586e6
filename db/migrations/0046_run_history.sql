-- What the run page shows of the past: how far a run was at which moment, and how each row of its file ended.

-- A sign of progress that is kept, thinned as the attempt grows old: a few hundred per attempt, whatever its length. Runs that take
-- less than a second leave none.
create table engine.progress_samples (
  run_id uuid not null,
  tenant_id uuid not null,
  sampled_at timestamptz not null default engine.now(),
  attempt integer not null,
  stage text not null,
  done bigint not null,
  unit text
);
create index progress_samples_by_run on engine.progress_samples (run_id, sampled_at);

-- Rows of a run's file by outcome, as ranges of their index, written by the transaction that decided it. One row per batch and outcome:
-- a file that ends one way throughout costs a handful of rows. What is decided before (folded, refused) stands where it was decided.
create table engine.row_outcomes (
  run_id uuid not null,
  tenant_id uuid not null,
  outcome text not null,
  rows int4multirange not null
);
create index row_outcomes_by_run on engine.row_outcomes (run_id, outcome);

do $$
declare
  secured text;
begin
  foreach secured in array array['progress_samples', 'row_outcomes'] loop
    execute format('alter table engine.%I enable row level security', secured);
    execute format('alter table engine.%I force row level security', secured);
    execute format('create policy engine_all on engine.%I to millrace_engine using (true) with check (true)', secured);
    execute format(
      'create policy tenant_only on engine.%I to millrace_app, ads_promote, judgments_import
         using (tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid))
         with check (tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid))',
      secured);
    execute format('grant select on engine.%I to millrace_app', secured);
    execute format('grant select, insert, delete on engine.%I to millrace_engine', secured);
  end loop;
end
$$;

grant insert on engine.row_outcomes to ads_promote, judgments_import;
