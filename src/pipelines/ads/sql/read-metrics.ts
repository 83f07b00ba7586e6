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
}

const measures = `
  m.spend::text, m.impressions::text, m.clicks::text, m.link_clicks::text, m.reach::text, m.conversions::text,
  m.conversion_value::text, m.video_views::text`;

const metricColumns = `
  m.id::text, m.client_id, m.platform, m.metric_date, m.campaign_external_id, c.name as campaign_name,
  m.ad_set_external_id, s.name as ad_set_name, m.ad_external_id, a.name as ad_name, m.currency, ${measures},
  m.reported_at, m.run_id, m.line, m.byte_offset`;

const withNames = `
  left join public.campaigns c on c.workspace_id = m.workspace_id and c.id = m.campaign_id
  left join public.ad_sets s on s.workspace_id = m.workspace_id and s.id = m.ad_set_id
  left join public.ads a on a.workspace_id = m.workspace_id and a.id = m.ad_id`;

/** Parameters 1 to 9. */
const narrowed = `
  m.workspace_id = $1
    and ($2::uuid is null or m.client_id = $2)
    and ($3::text is null or m.platform = $3)
    and ($4::text is null or m.campaign_external_id = $4)
    and ($5::text is null or m.ad_set_external_id = $5)
    and ($6::text is null or m.ad_external_id = $6)
    and ($7::uuid is null or m.run_id = $7)
    and ($8::date is null or m.metric_date >= $8)
    and ($9::date is null or m.metric_date <= $9)`;

function narrowing(workspaceId: string, filter: MetricFilter): (string | null)[] {
  const { clientId, platform, campaign, adSet, ad, runId, since, until } = filter;
  return [workspaceId, clientId, platform, campaign, adSet, ad, runId, since, until];
}

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
        select * from public.daily_metrics m
        where ${narrowed}
          and ($10::date is null or (m.metric_date, m.id) < ($10, $11::bigint))
        order by m.metric_date desc, m.id desc
        limit $12
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
}

const totalKeys: Record<TotalsBy, { key: string; name: string; order: string }> = {
  day: { key: 'm.metric_date::text', name: 'null::text', order: 'key' },
  campaign: { key: 'm.campaign_external_id', name: 'max(c.name)', order: 'sum(m.spend) desc nulls last, key' },
  ad_set: { key: 'm.ad_set_external_id', name: 'max(s.name)', order: 'sum(m.spend) desc nulls last, key' },
  ad: { key: 'm.ad_external_id', name: 'max(a.name)', order: 'sum(m.spend) desc nulls last, key' },
};

const MAX_TOTALS = 5_000;

/**
 * Sums by day or level, never over two currencies. A campaign's day may be stored at several levels (one file by campaign,
 * another by ad); only the finest one counts, or the same money would be added twice.
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
      with levelled as (
        select m.*,
               (m.ad_set_external_id is not null)::int + (m.ad_external_id is not null)::int as level,
               max((m.ad_set_external_id is not null)::int + (m.ad_external_id is not null)::int)
                 over (partition by m.client_id, m.platform, m.campaign_external_id, m.metric_date) as finest
        from public.daily_metrics m
        where ${narrowed}
      )
      select ${key} as key, ${name} as name, m.currency,
             sum(m.spend)::text as spend, sum(m.impressions)::text as impressions, sum(m.clicks)::text as clicks,
             sum(m.link_clicks)::text as link_clicks, null::text as reach, sum(m.conversions)::text as conversions,
             sum(m.conversion_value)::text as conversion_value, sum(m.video_views)::text as video_views,
             count(*)::int as rows
      from levelled m
      ${withNames}
      where m.level = m.finest and ${key} is not null
      group by ${key}, m.currency
      order by ${order}
      limit ${MAX_TOTALS}`,
    values: narrowing(workspaceId, filter),
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
      from public.daily_metrics m
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
             u.mapping, coalesce(p.email, r.created_by::text) as uploaded_by, r.created_at as uploaded_at
      from engine.all_runs r
      left join engine.blobs b on b.blob_id = r.blob_id
      left join public.upload_readings u on u.upload_id = r.id
      left join public.users p on p.user_id = r.created_by
      where r.tenant_id = $1 and r.id = $2`,
    values: [workspaceId, runId],
  });
  return rows[0];
}
