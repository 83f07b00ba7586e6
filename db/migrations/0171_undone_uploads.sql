-- Ads: uploads that were undone. What they had stored is taken back by the run that undoes them. Their earlier numbers stay in the history for
-- people to see, but no later undo or reread brings them back: whoever restores a number skips the runs listed here.
create table public.undone_uploads (
  workspace_id uuid not null,
  upload_id uuid not null,
  undone_by uuid not null,
  undone_at timestamptz not null default engine.now(),
  primary key (workspace_id, upload_id)
);

alter table public.undone_uploads enable row level security;
alter table public.undone_uploads force row level security;
create policy tenant_only on public.undone_uploads to millrace_app, ads_promote
  using (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
grant select, insert on public.undone_uploads to ads_promote;
grant select on public.undone_uploads to millrace_app;
