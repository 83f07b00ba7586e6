-- The perceptual hash of every image of a job that is no copy of another: near duplicates are found among them and SKIPPED, with their twin named.
create table public.item_images (
  tenant_id uuid not null,
  job_id uuid not null references public.item_jobs (job_id) on delete cascade,
  item_id bigint not null,
  row_index integer not null,
  hash bit(64) not null,
  primary key (job_id, item_id)
);

alter table public.item_images enable row level security;
alter table public.item_images force row level security;
create policy tenant_only on public.item_images to millrace_app, items_worker
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
create policy expired_any_tenant on public.item_images to items_cleanup using (true);
grant select, insert, update, delete on public.item_images to items_worker;
grant select, delete on public.item_images to millrace_app;
grant select (job_id, item_id), delete on public.item_images to items_cleanup;
