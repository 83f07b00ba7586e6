-- Which column of a job's file is which field, and how people want the file to be read, beside how it was read. With them a run of items answers
-- GET /v1/runs/:id/reading and …/mapping as every other run of a table does.
--
-- mapping: null for jobs of before; their columns were recognised by name alone.
-- overrides: what a person said about the file of this job; the reading itself stays as the rows were read.
alter table public.item_jobs add column mapping jsonb, add column overrides jsonb;
grant update (mapping, overrides) on public.item_jobs to millrace_app;

-- A mapping that somebody saved holds for the next file with the same header.
grant usage on schema tabular to items_worker;
grant select on tabular.mappings to items_worker;
create policy items_tenant_only on tabular.mappings for select to items_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
