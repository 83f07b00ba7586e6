-- Ads: names first, ids later.
--
-- A file without ids gets ids made of names. When another file tells the id of that name, both are one: the made id is replaced wherever it
-- stands and remembered here, so that the file can still be verified, and later files that name it find their way.
create table public.ads_links (
  workspace_id uuid not null,
  client_id uuid,
  platform text not null,
  entity text not null check (entity in ('campaign', 'ad_set', 'ad')),
  made_id text collate "C" not null,
  external_id text collate "C" not null,
  run_id uuid not null,
  created_at timestamptz not null default engine.now(),
  constraint ads_links_key unique nulls not distinct (workspace_id, platform, made_id, entity, client_id)
);

create index campaigns_with_made_id on public.campaigns (workspace_id, platform) where id_derived;
create index ad_sets_with_made_id on public.ad_sets (workspace_id, platform) where id_derived;
create index ads_with_made_id on public.ads (workspace_id, platform) where id_derived;

alter table public.ads_links enable row level security;
alter table public.ads_links force row level security;
create policy tenant_only on public.ads_links to millrace_app, ads_intake, ads_parse, ads_promote
  using (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
grant select, insert, update on public.ads_links to ads_promote;
grant select on public.ads_links to millrace_app;
grant update (campaign_external_id, ad_set_external_id, ad_external_id) on public.staging_rows to ads_promote;
