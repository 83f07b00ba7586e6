-- Quick processors take thousands of items a second. Claiming each of them was a change of its row and of six indexes, twice as much as its result. Now a slice of
-- rows that were never tried is claimed as a range: one row here, and the items change once, when they have their fate (docs/decisions/0290-slices-as-ranges.md).
--
-- A live slice makes the rows in it that are PENDING without a time PROCESSING for whoever looks (src/pipelines/items/sql/at-work.ts).
create table public.item_slices (
  tenant_id uuid not null,
  job_id uuid not null,
  -- Of its rows: from_row up to, but not including, to_row. Ranges of a job do not overlap.
  from_row integer not null,
  to_row integer not null,
  locked_by varchar(64) not null,
  locked_at timestamptz not null default engine.now(),
  lock_expires_at timestamptz not null,
  primary key (job_id, from_row),
  constraint item_slices_range check (from_row < to_row)
);

alter table public.item_slices enable row level security;
alter table public.item_slices force row level security;
create policy tenant_only on public.item_slices to millrace_app, items_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
create policy expired_any_tenant on public.item_slices to items_cleanup using (true);
create policy figures_any_tenant on public.item_slices for select to items_figures using (true);
grant select, insert, update, delete on public.item_slices to items_worker;
grant select, delete on public.item_slices to millrace_app;
grant select (job_id), delete on public.item_slices to items_cleanup;
grant select (job_id, from_row, to_row) on public.item_slices to items_figures;
grant select (job_id, status, row_index, next_attempt_at) on public.job_items to items_figures;

-- Rows from here on were never claimed: in the order of the file there is nothing to look for. What comes back is due at a moment (next_attempt_at).
alter table public.item_jobs add column next_row integer not null default 0;
grant update (next_row) on public.item_jobs to millrace_app;
update public.item_jobs set next_row = total_items;
update public.job_items set next_attempt_at = engine.now() where status = 'PENDING' and next_attempt_at is null;
drop index public.job_items_fresh;
