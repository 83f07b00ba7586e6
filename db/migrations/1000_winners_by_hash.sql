-- Which rows of a day count is decided by hash joins, whatever the server believes of the table. Its numbers seem to be one row to it where a
-- workspace has no clients, and then each was compared with each again for each: 600 campaigns on two days took more than a minute. The rows
-- that are written are looked for among the days' own. The rule is the same.
create or replace function public.choose_daily_winners(of_workspace uuid, of_client uuid, of_platform text, on_days date[]) returns void
language sql
set search_path = pg_catalog, public
set enable_nestloop = off
set enable_mergejoin = off
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
      and coalesce(w.campaign, '') = coalesce(f.campaign, '') and (w.campaign is null) = (f.campaign is null)
      and coalesce(w.part, '') = coalesce(f.part, '') and (w.part is null) = (f.part is null)
    where f.is_winner is distinct from (w.metric_date is not null)
  )
  update daily_metric_rows r
  set is_winner = d.wins
  from decided d
  where r.workspace_id = of_workspace and r.metric_date = any (on_days) and r.metric_date = d.metric_date and r.id = d.id
$$;
