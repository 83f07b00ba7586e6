-- What every row of a file and every item pays for becomes less:
--   * Items, attempts and requests have no foreign key to their job any more: it was asked for each row of a batch that names one job. Rows are stored under a lock
--     on the job, and whoever deletes the job takes what is left along in the same transaction (src/pipelines/items/sql/change-items.ts).
--   * Copies are recognised while the file is read; their fingerprints need no index.
--   * Pending items of a whole tenant are read from the index by user, user by user.
alter table public.job_items drop constraint job_items_job_id_fkey;
alter table public.item_attempts drop constraint item_attempts_job_id_fkey;
alter table public.search_events drop constraint search_events_job_id_fkey;
drop index public.job_items_twins;
drop index public.job_items_pending_of_all;

-- Jobs with items that have no fate yet: figures are summed from their counters, whatever the number of items.
create index item_jobs_open on public.item_jobs (tenant_id, user_id)
  where deleted_at is null and done_items + not_found_items + error_items + skipped_items < total_items;
-- GET /metrics tells of all tenants together. A role of its own reads counters and states, and nothing of whose they are.
select engine.ensure_role('items_figures');
grant usage on schema engine, public to items_figures;
grant select (job_id, deleted_at, total_items, done_items, not_found_items, error_items, skipped_items) on public.item_jobs to items_figures;
grant select (job_id, status) on public.job_items to items_figures;
create policy figures_any_tenant on public.item_jobs for select to items_figures using (true);
create policy figures_any_tenant on public.job_items for select to items_figures using (true);
