-- Ads metrics: staging, production tables, history, and the roles that hold the boundaries between the workers.
--
-- workspace_id is the tenant under the name this pipeline's users know. Tracking has no table of its own: data_uploads is a
-- view over engine.runs. No foreign keys from daily_metrics to its dimensions: three checks per row cost more than the row
-- (measured with 266,000 rows), and a parent is always written in an earlier transaction of the same run.

do $$
declare
  wanted text;
begin
  foreach wanted in array array['ads_intake', 'ads_parse', 'ads_promote', 'ads_cleanup'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin noinherit', wanted);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
  end loop;
end
$$;

grant usage on schema engine, public to ads_intake, ads_parse, ads_promote, ads_cleanup;

create type public.ads_entity as enum ('campaign', 'ad_set', 'ad', 'daily_metric');
create type public.ads_validation as enum ('pending', 'valid', 'invalid');

-- ── Staging ──────────────────────────────────────────────────────────────────────────────────────────────────────────
-- One row per data line, and one per campaign, ad set and ad the file names. Values that are promoted have columns of their own;
-- raw_data holds the rest. As one jsonb they cost 1.5 s more per 266,000 rows (docs/decisions/0010-ads-staging.md).
-- The view staged_rows shows the whole normalized row in raw_data.
create table public.staging_rows (
  upload_id uuid not null,
  workspace_id uuid not null,
  row_index integer not null check (row_index >= 0),
  entity_type public.ads_entity not null,
  natural_key_hash text not null,
  raw_data jsonb not null default '{}',
  validation_status public.ads_validation not null,
  validation_errors jsonb,
  created_at timestamptz not null default engine.now(),
  line integer not null,
  byte_offset bigint not null,
  metric_date date,
  campaign_external_id text collate "C",
  ad_set_external_id text collate "C",
  ad_external_id text collate "C",
  currency text,
  spend numeric,
  impressions bigint,
  clicks bigint,
  link_clicks bigint,
  reach bigint,
  conversions numeric,
  conversion_value numeric,
  video_views bigint,
  -- What became of a line whose key an earlier line of the same upload has: it says the same, or it was added to it.
  folded text check (folded in ('superseded', 'merged')),
  -- On the earlier line: the sums of the lines added to it.
  merged jsonb,
  primary key (upload_id, row_index, entity_type)
) with (autovacuum_vacuum_insert_scale_factor = 0.5);

-- Campaigns, ad sets, ads and unreadable lines: few among many, and the only rows without a day.
create index staging_rows_without_day on public.staging_rows (upload_id, row_index) where metric_date is null;

-- External id to internal id, for one upload.
create table public.staging_id_resolution (
  upload_id uuid not null,
  workspace_id uuid not null,
  entity_type public.ads_entity not null,
  external_id text collate "C" not null,
  internal_id uuid not null,
  created_at timestamptz not null default engine.now(),
  -- The enum comes last: under row-level security its comparison cannot be an index condition.
  primary key (upload_id, external_id, entity_type)
);

-- How an upload was read: the reading, the mapping as it was applied, what was set aside, and what the reader counted.
create table public.upload_readings (
  upload_id uuid primary key,
  workspace_id uuid not null,
  -- Null while nothing has been decided, or when the file could not be read at all.
  reading jsonb,
  mapping jsonb,
  furniture jsonb not null default '[]',
  counts jsonb not null default '{}',
  -- How a person wants the file to be read instead; the run that retries this one goes by it.
  overrides jsonb,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now()
);

-- ── Production ───────────────────────────────────────────────────────────────────────────────────────────────────────
-- Key columns stand in the order in which they are looked up; the nullable client comes last.
create table public.campaigns (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  client_id uuid,
  platform text not null check (platform in ('meta', 'google', 'tiktok')),
  external_id text collate "C" not null,
  name text,
  -- Known only because a row of a lower level referred to it.
  inferred boolean not null default false,
  -- The file gave no id; external_id was derived from the name.
  id_derived boolean not null default false,
  run_id uuid not null,
  line integer not null,
  reported_at timestamptz not null,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (workspace_id, id),
  constraint campaigns_key unique nulls not distinct (workspace_id, platform, external_id, client_id)
);

create table public.ad_sets (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  client_id uuid,
  platform text not null check (platform in ('meta', 'google', 'tiktok')),
  external_id text collate "C" not null,
  name text,
  inferred boolean not null default false,
  id_derived boolean not null default false,
  campaign_external_id text collate "C",
  campaign_id uuid,
  run_id uuid not null,
  line integer not null,
  reported_at timestamptz not null,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (workspace_id, id),
  constraint ad_sets_key unique nulls not distinct (workspace_id, platform, external_id, client_id)
);

create table public.ads (
  id uuid not null default gen_random_uuid(),
  workspace_id uuid not null,
  client_id uuid,
  platform text not null check (platform in ('meta', 'google', 'tiktok')),
  external_id text collate "C" not null,
  name text,
  inferred boolean not null default false,
  id_derived boolean not null default false,
  campaign_external_id text collate "C",
  ad_set_external_id text collate "C",
  campaign_id uuid,
  ad_set_id uuid,
  run_id uuid not null,
  line integer not null,
  reported_at timestamptz not null,
  created_at timestamptz not null default engine.now(),
  updated_at timestamptz not null default engine.now(),
  primary key (workspace_id, id),
  constraint ads_key unique nulls not distinct (workspace_id, platform, external_id, client_id)
);

-- Keyed on the external ids, so that a parent resolved later can neither add a second row nor overwrite another's. NULL in a
-- key column means that the file itself is at a higher level. The key's columns stand in the order in which they are looked up.
create table public.daily_metrics (
  id bigint generated always as identity,
  workspace_id uuid not null,
  client_id uuid,
  platform text not null check (platform in ('meta', 'google', 'tiktok')),
  metric_date date not null,
  campaign_external_id text collate "C",
  ad_set_external_id text collate "C",
  ad_external_id text collate "C",
  campaign_id uuid,
  ad_set_id uuid,
  ad_id uuid,
  currency text,
  account_time_zone text,
  spend numeric,
  impressions bigint,
  clicks bigint,
  link_clicks bigint,
  reach bigint,
  conversions numeric,
  conversion_value numeric,
  video_views bigint,
  run_id uuid not null,
  line integer not null,
  byte_offset bigint not null,
  reported_at timestamptz not null,
  updated_at timestamptz not null default engine.now(),
  -- Also the order of the list: newest day first within a workspace.
  primary key (workspace_id, metric_date, id),
  constraint daily_metrics_key unique nulls not distinct
    (workspace_id, platform, metric_date, ad_external_id, ad_set_external_id, campaign_external_id, client_id)
);

-- The values a restated row had before, each with the day it was reported and the run that brought it.
create table public.daily_metrics_history (
  history_id bigint generated always as identity,
  workspace_id uuid not null,
  metric_id bigint not null,
  metric_date date not null,
  currency text,
  account_time_zone text,
  spend numeric,
  impressions bigint,
  clicks bigint,
  link_clicks bigint,
  reach bigint,
  conversions numeric,
  conversion_value numeric,
  video_views bigint,
  run_id uuid not null,
  line integer not null,
  byte_offset bigint not null,
  reported_at timestamptz not null,
  recorded_at timestamptz not null,
  replaced_at timestamptz not null default engine.now(),
  primary key (workspace_id, metric_id, history_id)
);

-- By trigger, so that no statement can restate a number and forget the old one. One set-based insert per statement. A row that
-- is merely confirmed (same values, reported later) has nothing to remember.
create function public.keep_daily_metrics_history() returns trigger
  language plpgsql
  as $$
begin
  insert into public.daily_metrics_history (
    workspace_id, metric_id, metric_date, currency, account_time_zone, spend, impressions, clicks, link_clicks, reach,
    conversions, conversion_value, video_views, run_id, line, byte_offset, reported_at, recorded_at
  )
  select o.workspace_id, o.id, o.metric_date, o.currency, o.account_time_zone, o.spend, o.impressions, o.clicks, o.link_clicks, o.reach,
         o.conversions, o.conversion_value, o.video_views, o.run_id, o.line, o.byte_offset, o.reported_at, o.updated_at
  from replaced o
  join written n on n.workspace_id = o.workspace_id and n.metric_date = o.metric_date and n.id = o.id
  where (o.currency, o.account_time_zone, o.spend, o.impressions, o.clicks, o.link_clicks, o.reach, o.conversions, o.conversion_value, o.video_views)
    is distinct from
        (n.currency, n.account_time_zone, n.spend, n.impressions, n.clicks, n.link_clicks, n.reach, n.conversions, n.conversion_value, n.video_views);
  return null;
end
$$;

create trigger daily_metrics_keep_history
  after update on public.daily_metrics
  referencing old table as replaced new table as written
  for each statement
  execute function public.keep_daily_metrics_history();

-- ── The specification's views ────────────────────────────────────────────────────────────────────────────────────────
create view public.data_uploads with (security_invoker = true) as
  select r.id,
         r.tenant_id as workspace_id,
         (r.input ->> 'client_id')::uuid as client_id,
         r.input ->> 'platform' as platform,
         r.input ->> 'source' as source,
         r.input ->> 'filename' as filename,
         b.store_key as file_url,
         r.status,
         case when r.phase = 'done' then (r.receipt ->> 'promoted')::bigint end as row_count,
         r.error_text,
         r.created_by,
         r.created_at,
         exists (select from engine.events e where e.run_id = r.id and e.type = 'IngestionCompleteEvent' and e.key = '') as event_emitted
  from engine.runs r
  left join engine.blobs b on b.blob_id = r.blob_id
  where r.pipeline = 'ads';

-- How far staging got, by row. Informational: a run resumes from its checkpoint, because a gap or a half-written row is invisible here.
create view public.staging_progress with (security_invoker = true) as
  select upload_id, workspace_id, max(row_index) as last_processed
  from public.staging_rows
  where validation_status != 'pending'
  group by upload_id, workspace_id;

-- Staging with the whole normalized row in raw_data.
create view public.staged_rows with (security_invoker = true) as
  select upload_id, workspace_id, row_index, entity_type, natural_key_hash,
         jsonb_strip_nulls(jsonb_build_object(
           'metric_date', metric_date, 'campaign_id', campaign_external_id, 'ad_set_id', ad_set_external_id, 'ad_id', ad_external_id,
           'currency', currency, 'spend', spend, 'impressions', impressions, 'clicks', clicks, 'link_clicks', link_clicks, 'reach', reach,
           'conversions', conversions, 'conversion_value', conversion_value, 'video_views', video_views)) || raw_data as raw_data,
         validation_status, validation_errors, created_at
  from public.staging_rows;

-- ── Who may do what ──────────────────────────────────────────────────────────────────────────────────────────────────
grant select on engine.runs, engine.blobs, engine.events to ads_intake, ads_parse, ads_promote;
grant select on public.data_uploads to millrace_app, ads_intake, ads_parse, ads_promote;

grant select, insert, update (raw_data, validation_status, validation_errors, folded, merged) on public.staging_rows to ads_parse;
grant select, insert, update on public.upload_readings to ads_parse;
grant insert (upload_id, workspace_id, overrides), update (overrides, updated_at) on public.upload_readings to millrace_app;

grant usage on schema tabular to ads_parse;
grant select on tabular.mappings to ads_parse;

grant select on public.staging_rows, public.upload_readings to ads_promote;
grant select, insert on public.staging_id_resolution to ads_promote;
grant select, insert, update on public.campaigns, public.ad_sets, public.ads, public.daily_metrics to ads_promote;
grant select, insert on public.daily_metrics_history to ads_promote;

-- Cleanup reaches every tenant's expired staging but reads nothing of it beside its age.
grant select (upload_id, workspace_id, created_at, row_index), delete on public.staging_rows to ads_cleanup;
grant select (upload_id, workspace_id, created_at), delete on public.staging_id_resolution to ads_cleanup;

grant select on public.staging_rows, public.staging_id_resolution, public.staging_progress, public.staged_rows, public.upload_readings,
  public.campaigns, public.ad_sets, public.ads, public.daily_metrics, public.daily_metrics_history to millrace_app;

do $$
declare
  secured text;
  own_workspace constant text := 'workspace_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
  own_tenant constant text := 'tenant_id = (select nullif(current_setting(''millrace.tenant_id'', true), '''')::uuid)';
begin
  foreach secured in array array['staging_rows', 'staging_id_resolution', 'upload_readings', 'campaigns', 'ad_sets', 'ads',
                                 'daily_metrics', 'daily_metrics_history'] loop
    execute format('alter table public.%I enable row level security', secured);
    execute format('alter table public.%I force row level security', secured);
    execute format('create policy tenant_only on public.%I to millrace_app, ads_intake, ads_parse, ads_promote using (%s) with check (%s)',
                   secured, own_workspace, own_workspace);
  end loop;
  foreach secured in array array['staging_rows', 'staging_id_resolution'] loop
    execute format('create policy expired_any_tenant on public.%I to ads_cleanup using (true)', secured);
  end loop;
  execute format('create policy ads_tenant_only on tabular.mappings for select to ads_parse using (%s)', own_tenant);
  foreach secured in array array['runs', 'blobs', 'events'] loop
    execute format('create policy ads_tenant_only on engine.%I for select to ads_intake, ads_parse, ads_promote using (%s)', secured, own_tenant);
  end loop;
end
$$;
