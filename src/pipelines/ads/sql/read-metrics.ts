// Daily numbers as they are stored: listed newest day first, summed, and one of them with all that was ever reported for it.
import type { Queryable } from '../../../platform/database.ts';

/** Exact decimals as text; null where the file said nothing. */
export interface MeasureColumns {
  readonly spend: string | null;
  readonly impressions: string | null;
  readonly clicks: string | null;
  readonly link_clicks: string | null;
  readonly reach: string | null;
  readonly conversions: string | null;
  readonly conversion_value: string | null;
  readonly video_views: string | null;
}

export interface MetricRow extends MeasureColumns {
  readonly id: string;
  readonly client_id: string | null;
  readonly platform: string;
  readonly metric_date: string;
  /** The last day of a number over several days. */
  readonly period_end: string | null;
  readonly grain: string;
  readonly is_winner: boolean;
  readonly campaign_external_id: string | null;
  readonly campaign_name: string | null;
  readonly ad_set_external_id: string | null;
  readonly ad_set_name: string | null;
  readonly ad_external_id: string | null;
  readonly ad_name: string | null;
  readonly currency: string | null;
  readonly reported_at: Date;
  readonly run_id: string;
  readonly line: number;
  readonly byte_offset: number;
}

export interface MetricFilter {
  readonly clientId: string | null;
  readonly platform: string | null;
  readonly campaign: string | null;
  readonly adSet: string | null;
  readonly ad: string | null;
  readonly runId: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly grain: string | null;
}

const measures = `
  m.spend::text, m.impressions::text, m.clicks::text, m.link_clicks::text, m.reach::text, m.conversions::text,
  m.conversion_value::text, m.video_views::text`;

const metricColumns = `
  m.id::text, m.client_id, m.platform, m.metric_date, m.period_end, m.grain, m.is_winner, m.campaign_external_id, c.name as campaign_name,
  m.ad_set_external_id, s.name as ad_set_name, m.ad_external_id, a.name as ad_name, m.currency, ${measures},
  m.reported_at, m.run_id, m.line, m.byte_offset`;

/**
 * Found at their key and left after one step, which only the index of keys can do: asked for equality, any index of the workspace looks as
 * good to a server without statistics, and a page of 20 numbers read 182,000 rows of names.
 */
const nameOf = (alias: 'c' | 's' | 'a', table: string, id: string) => `
  left join lateral (
    select n.id, n.name from public.${table} n where n.workspace_id = m.workspace_id and n.id >= m.${id} order by n.id limit 1
  ) ${alias} on ${alias}.id = m.${id}`;
const nameJoins = {
  day: '',
  campaign: nameOf('c', 'campaigns', 'campaign_id'),
  ad_set: nameOf('s', 'ad_sets', 'ad_set_id'),
  ad: nameOf('a', 'ads', 'ad_id'),
};
const withNames = Object.values(nameJoins).join('');

/** Parameters 1 to 10. */
const narrowed = `
  m.workspace_id = $1
    and ($2::uuid is null or m.client_id = $2)
    and ($3::text is null or m.platform = $3)
    and ($4::text is null or m.campaign_external_id = $4)
    and ($5::text is null or m.ad_set_external_id = $5)
    and ($6::text is null or m.ad_external_id = $6)
    and ($7::uuid is null or m.run_id = $7)
    and ($8::date is null or m.metric_date >= $8)
    and ($9::date is null or m.metric_date <= $9)
    and ($10::text is null or m.grain = $10)`;

function narrowing(workspaceId: string, filter: MetricFilter): (string | null)[] {
  const { clientId, platform, campaign, adSet, ad, runId, since, until, grain } = filter;
  return [workspaceId, clientId, platform, campaign, adSet, ad, runId, since, until, grain];
}

/**
 * The numbers that count. Of one run, grain, campaign, ad set or ad all are listed, with whether they count: a fuller grain may hide them
 * from the totals, but not from whoever looks for them.
 */
export async function listMetrics(
  db: Queryable,
  workspaceId: string,
  filter: MetricFilter,
  after: readonly [day: string, id: string] | null,
  limit: number,
): Promise<MetricRow[]> {
  const { rows } = await db.query<MetricRow>({
    name: 'ads-list-metrics',
    text: `
      select ${metricColumns}
      from (
        select * from public.daily_metrics_by_grain m
        where ${narrowed}
          and (m.is_winner or $4::text is not null or $5::text is not null or $6::text is not null or $7::uuid is not null or $10::text is not null)
          and ($11::date is null or (m.metric_date, m.id) < ($11, $12::bigint))
        order by m.metric_date desc, m.id desc
        limit $13
      ) m
      ${withNames}
      order by m.metric_date desc, m.id desc`,
    values: [...narrowing(workspaceId, filter), after?.[0] ?? null, after?.[1] ?? null, limit],
  });
  return rows;
}

export type TotalsBy = 'day' | 'campaign' | 'ad_set' | 'ad';

export interface TotalRow extends MeasureColumns {
  readonly key: string;
  readonly name: string | null;
  readonly currency: string | null;
  readonly rows: number;
  /** Where the sums are from. */
  readonly grains: string[];
}

const totalKeys: Record<TotalsBy, { key: string; name: string; order: string }> = {
  day: { key: 'm.metric_date::text', name: 'null::text', order: 'key' },
  campaign: { key: 'm.campaign_external_id', name: 'max(c.name)', order: 'sum(m.spend) desc nulls last, key' },
  ad_set: { key: 'm.ad_set_external_id', name: 'max(s.name)', order: 'sum(m.spend) desc nulls last, key' },
  ad: { key: 'm.ad_external_id', name: 'max(a.name)', order: 'sum(m.spend) desc nulls last, key' },
};

const MAX_TOTALS = 5_000;

const depths: Record<TotalsBy, number> = { day: 0, campaign: 1, ad_set: 2, ad: 3 };

/** How deep a number must be to be asked for: a campaign's total cannot be told by ad. */
function depthOf(by: TotalsBy, { campaign, adSet, ad }: MetricFilter): number {
  const narrowest = ad !== null ? depths.ad : adSet !== null ? depths.ad_set : campaign !== null ? depths.campaign : 0;
  return Math.max(depths[by], narrowest);
}

/**
 * Sums by day or level, never over two currencies. A campaign's day may be told by several grains (one file by campaign, another by ad, a
 * third by search term); one of them counts, or the same money would be added twice: the winning one, or, where that is not deep enough for
 * what is asked, the best of those that are. Numbers over several days are no part of any day.
 */
export async function sumMetrics(
  db: Queryable,
  workspaceId: string,
  by: TotalsBy,
  filter: MetricFilter,
): Promise<TotalRow[]> {
  const { key, name, order } = totalKeys[by];
  const { rows } = await db.query<TotalRow>({
    name: `ads-sum-metrics-${by}`,
    text: `
      with told as (
        select m.*, coalesce(m.part, '') || case when m.ad_external_id is not null then 3 when m.ad_set_external_id is not null then 2
                                                 when m.campaign_external_id is not null then 1 else 0 end as exact_grain
        from public.daily_metrics_by_grain m
        where ${narrowed} and m.period_end is null and ($11::int > 0 or m.is_winner or $7::uuid is not null)
          and ($11 < 1 or m.campaign_external_id is not null or m.ad_set_external_id is not null or m.ad_external_id is not null)
          and ($11 < 2 or m.ad_set_external_id is not null or m.ad_external_id is not null)
          and ($11 < 3 or m.ad_external_id is not null)
      ),
      chosen as (
        select m.*, first_value(m.exact_grain) over (
                      partition by m.client_id, m.platform, m.campaign_external_id, m.metric_date
                      order by m.part is null desc, m.is_winner desc, m.exact_grain desc) as best_grain
        from told m
      )
      select ${key} as key, ${name} as name, m.currency,
             sum(m.spend)::text as spend, sum(m.impressions)::text as impressions, sum(m.clicks)::text as clicks,
             sum(m.link_clicks)::text as link_clicks, null::text as reach, sum(m.conversions)::text as conversions,
             sum(m.conversion_value)::text as conversion_value, sum(m.video_views)::text as video_views,
             count(*)::int as rows, array_agg(distinct m.grain) as grains
      from chosen m
      ${nameJoins[by]}
      where m.exact_grain = m.best_grain and ${key} is not null
      group by ${key}, m.currency
      order by ${order}
      limit ${MAX_TOTALS}`,
    values: [...narrowing(workspaceId, filter), depthOf(by, filter)],
  });
  return rows;
}

export async function findMetric(
  db: Queryable,
  workspaceId: string,
  day: string,
  id: string,
): Promise<MetricRow | undefined> {
  const { rows } = await db.query<MetricRow>({
    name: 'ads-find-metric',
    text: `
      select ${metricColumns}
      from public.daily_metrics_by_grain m
      ${withNames}
      where m.workspace_id = $1 and m.metric_date = $2 and m.id = $3`,
    values: [workspaceId, day, id],
  });
  return rows[0];
}

export interface HistoryRow extends MeasureColumns {
  readonly run_id: string;
  readonly reported_at: Date;
  readonly recorded_at: Date;
}

/** What the number was before, newest first. */
export async function listHistory(db: Queryable, workspaceId: string, metricId: string): Promise<HistoryRow[]> {
  const { rows } = await db.query<HistoryRow>({
    name: 'ads-list-history',
    text: `
      select ${measures}, m.run_id, m.reported_at, m.recorded_at
      from public.daily_metrics_history m
      where m.workspace_id = $1 and m.metric_id = $2
      order by m.history_id desc
      limit 200`,
    values: [workspaceId, metricId],
  });
  return rows;
}

export interface OriginRow {
  readonly run_id: string;
  readonly filename: string | null;
  readonly sha256: string | null;
  readonly mapping: {
    readonly name: string | null;
    readonly version: number;
    readonly columns: readonly MappedHeader[];
  } | null;
  readonly uploaded_by: string | null;
  readonly uploaded_at: Date;
}

interface MappedHeader {
  readonly header: string;
  readonly field: string | null;
}

/** The upload a number came from. A run that has been forgotten has no origin any more. */
export async function findOrigin(db: Queryable, workspaceId: string, runId: string): Promise<OriginRow | undefined> {
  const { rows } = await db.query<OriginRow>({
    name: 'ads-find-origin',
    text: `
      select r.id as run_id, coalesce(r.input ->> 'filename', b.original_name) as filename, encode(b.sha256, 'hex') as sha256,
             u.mapping, coalesce(p.email, k.name, r.created_by::text) as uploaded_by, r.created_at as uploaded_at
      from engine.all_runs r
      left join lateral (select * from engine.blobs x where x.blob_id = r.blob_id limit 1) b on true
      left join lateral (select * from public.upload_readings x where x.upload_id = r.id limit 1) u on true
      left join lateral (select * from public.users x where x.user_id = r.created_by limit 1) p on true
      left join lateral (select x.name from public.api_keys x where x.key_id = r.created_by limit 1) k on true
      where r.tenant_id = $1 and r.id = $2`,
    values: [workspaceId, runId],
  });
  return rows[0];
}
