-- Ads: what a person said for one file alone, reading a file again, and what intake looks up.

-- A day, a period, rows to be added up, columns to be left out: true of this file and of no other with the same header.
alter table public.upload_readings add column choices jsonb;
grant insert (choices), update (choices) on public.upload_readings to millrace_app;

-- A file that is read again takes its numbers over from the run before, also where they stay the same. The history says whose they were.
create or replace function public.keep_daily_metrics_history() returns trigger
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
  where o.run_id <> n.run_id
     or (o.currency, o.account_time_zone, o.spend, o.impressions, o.clicks, o.link_clicks, o.reach, o.conversions, o.conversion_value, o.video_views)
        is distinct from
        (n.currency, n.account_time_zone, n.spend, n.impressions, n.clicks, n.link_clicks, n.reach, n.conversions, n.conversion_value, n.video_views);
  return null;
end
$$;

-- What a run that is read again had stored and its new reading does not say is removed, with what only it had named.
grant delete on public.daily_metric_rows, public.campaigns, public.ad_sets, public.ads to ads_promote;

-- Intake looks up the client and the mapping an upload names, as the role that stands for it.
grant select (client_id, tenant_id) on public.clients to ads_intake;
create policy ads_tenant_only on public.clients for select to ads_intake
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
grant usage on schema tabular to ads_intake;
grant select on tabular.mappings to ads_intake;
create policy ads_intake_tenant_only on tabular.mappings for select to ads_intake
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
