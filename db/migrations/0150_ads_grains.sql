-- Ads: the grain of a number. One file tells a day by campaign, another by ad, a third lists only its search terms or placements. All of
-- them are kept side by side, and exactly one counts: choose_daily_winners() below says which.
--
--   daily_metric_rows        the table: every number of every grain; `is_winner` marks those that count
--   daily_metrics            the winning numbers, under the name everybody knows
--   daily_metrics_by_grain   all numbers with their grain
--
-- The level of a number is which of its ids are there. So only what is not a level has a column in the key: `part` for reports that list
-- a part of the day, `period_end` for one number over several days. Both are null in ordinary files and cost their index nothing.
alter table public.daily_metrics rename to daily_metric_rows;

alter table public.daily_metric_rows
  add column part text collate "C" check (part in ('search_term', 'keyword', 'placement', 'audience')),
  add column period_end date check (period_end >= metric_date),
  add column is_winner boolean not null default true,
  add constraint periods_are_no_days check (period_end is null or not is_winner),
  drop constraint daily_metrics_key,
  add constraint daily_metrics_key unique nulls not distinct
    (workspace_id, platform, metric_date, ad_external_id, ad_set_external_id, campaign_external_id, client_id, part, period_end);

-- Which grain an upload has, decided with its reading. Shown with the upload.
alter table public.upload_readings
  add column grain text,
  add column part text collate "C";

create view public.daily_metrics_by_grain with (security_invoker = true) as
  select id, workspace_id, client_id, platform, metric_date, period_end,
         case when period_end is not null then 'period'
              when part is not null then part
              when ad_external_id is not null then 'ad'
              when ad_set_external_id is not null then 'ad_set'
              when campaign_external_id is not null then 'campaign'
              else 'account' end as grain,
         is_winner, part, campaign_external_id, ad_set_external_id, ad_external_id, campaign_id, ad_set_id, ad_id, currency, account_time_zone,
         spend, impressions, clicks, link_clicks, reach, conversions, conversion_value, video_views,
         run_id, line, byte_offset, reported_at, updated_at
  from public.daily_metric_rows;

create view public.daily_metrics with (security_invoker = true) as
  select id, workspace_id, client_id, platform, metric_date, campaign_external_id, ad_set_external_id, ad_external_id, campaign_id, ad_set_id,
         ad_id, currency, account_time_zone, spend, impressions, clicks, link_clicks, reach, conversions, conversion_value, video_views,
         run_id, line, byte_offset, reported_at, updated_at,
         case when part is not null then part
              when ad_external_id is not null then 'ad'
              when ad_set_external_id is not null then 'ad_set'
              when campaign_external_id is not null then 'campaign'
              else 'account' end as grain
  from public.daily_metric_rows
  where is_winner;

-- Which grains a day has been told in. Written before the first number of a grain, under a lock that the writers of numbers share, so
-- that whoever writes knows whether another grain may be there. A few rows per day; the numbers themselves need not be looked through.
create table public.daily_metric_grains (
  workspace_id uuid not null,
  client_id uuid,
  platform text not null,
  metric_date date not null,
  -- 'campaign', 'ad', 'search_term of ad_set' …
  grain text collate "C" not null,
  constraint daily_metric_grains_key unique nulls not distinct (workspace_id, platform, metric_date, grain, client_id)
);

-- Decides which numbers of these days count. Of a campaign's day, the fullest grain does: the one with the most spend, then impressions,
-- then clicks; where several are equal but for rounding, the finest. Lists of a part count only on days of which nothing else is known. An
-- account's number counts instead of its campaigns' only where it is larger than all of theirs.
create function public.choose_daily_winners(of_workspace uuid, of_client uuid, of_platform text, on_days date[]) returns void
language sql
set search_path = pg_catalog, public
as $$
  with figure as materialized (
    select id, metric_date, campaign_external_id as campaign, part, is_winner,
           case when ad_external_id is not null then 3 when ad_set_external_id is not null then 2
                when campaign_external_id is not null then 1 else 0 end as level,
           spend, impressions, clicks
    from daily_metric_rows
    where workspace_id = of_workspace and platform = of_platform and metric_date = any (on_days) and client_id is not distinct from of_client
      and period_end is null
  ),
  told as (
    select metric_date, campaign, part, level, count(*) as rows, coalesce(sum(spend), 0) as spend,
           coalesce(sum(impressions), 0) as impressions, coalesce(sum(clicks), 0) as clicks,
           bool_or(part is null) over (partition by metric_date) as has_whole
    from figure
    group by metric_date, campaign, part, level
  ),
  compared as (
    select *, max(spend) over own as most_spend, max(impressions) over own as most_impressions, max(clicks) over own as most_clicks
    from told
    where part is null or not has_whole
    window own as (partition by metric_date, campaign)
  ),
  fullest as (
    select distinct on (metric_date, campaign) *
    from compared
    order by metric_date, campaign, spend + 0.005 * (rows + 1) >= most_spend desc, impressions >= most_impressions desc,
             clicks >= most_clicks desc, level desc, part
  ),
  of_campaigns as (
    select metric_date, sum(rows) as rows, sum(spend) as spend, sum(impressions) as impressions, sum(clicks) as clicks
    from fullest
    where campaign is not null
    group by metric_date
  ),
  of_account as (
    select a.metric_date,
           (a.spend > c.spend + 0.005 * (c.rows + 1), a.impressions > c.impressions, a.clicks > c.clicks)
             > (c.spend > a.spend + 0.005 * (c.rows + 1), c.impressions > a.impressions, c.clicks > a.clicks) as is_fuller
    from fullest a
    join of_campaigns c on c.metric_date = a.metric_date
    where a.campaign is null and a.level = 0
  ),
  winner as (
    select f.metric_date, f.campaign, f.part, f.level
    from fullest f
    left join of_account a on a.metric_date = f.metric_date
    where a.is_fuller is null or a.is_fuller = (f.campaign is null and f.level = 0)
  ),
  decided as (
    select f.metric_date, f.id, w.metric_date is not null as wins
    from figure f
    left join winner w on w.metric_date = f.metric_date and w.level = f.level
      and w.campaign is not distinct from f.campaign and w.part is not distinct from f.part
    where f.is_winner is distinct from (w.metric_date is not null)
  )
  update daily_metric_rows r
  set is_winner = d.wins
  from decided d
  where r.workspace_id = of_workspace and r.metric_date = d.metric_date and r.id = d.id
$$;

revoke all on function public.choose_daily_winners(uuid, uuid, text, date[]) from public;
grant execute on function public.choose_daily_winners(uuid, uuid, text, date[]) to ads_promote;

alter table public.daily_metric_grains enable row level security;
alter table public.daily_metric_grains force row level security;
create policy tenant_only on public.daily_metric_grains to millrace_app, ads_intake, ads_parse, ads_promote
  using (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))
  with check (workspace_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));

grant select, insert on public.daily_metric_grains to ads_promote;
grant select on public.daily_metric_grains, public.daily_metrics, public.daily_metrics_by_grain to millrace_app;
grant select on public.daily_metrics, public.daily_metrics_by_grain to ads_promote;

-- What is here already. A report of search terms, keywords or placements says so in the mapping it was read with.
update public.upload_readings u
set part = f.part
from (
  select distinct on (r.upload_id) r.upload_id, c ->> 'field' as part
  from public.upload_readings r
  cross join lateral jsonb_array_elements(case jsonb_typeof(r.mapping -> 'columns') when 'array' then r.mapping -> 'columns' else '[]' end) c
  where c ->> 'field' in ('search_term', 'keyword', 'placement')
  order by r.upload_id, array_position(array['search_term', 'keyword', 'placement'], c ->> 'field')
) f
where f.upload_id = u.upload_id;

update public.daily_metric_rows m
set part = u.part
from public.upload_readings u
where u.part is not null and u.upload_id = m.run_id and u.workspace_id = m.workspace_id;

insert into public.daily_metric_grains (workspace_id, client_id, platform, metric_date, grain)
select distinct workspace_id, client_id, platform, metric_date,
       coalesce(part || ' of ', '') || case when ad_external_id is not null then 'ad' when ad_set_external_id is not null then 'ad_set'
                                            when campaign_external_id is not null then 'campaign' else 'account' end
from public.daily_metric_rows;

select public.choose_daily_winners(workspace_id, client_id, platform, array_agg(metric_date))
from (
  select workspace_id, client_id, platform, metric_date
  from public.daily_metric_grains
  group by workspace_id, client_id, platform, metric_date
  having count(*) > 1
) contested
group by workspace_id, client_id, platform;
