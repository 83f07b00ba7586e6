// Daily numbers from staging into production, for a range of staged rows, in one statement.
//
// Each row is first looked up by its key and judged: new, changed, unchanged or stale. Only new and changed rows are written, in key
// order, so that uploads promoting at once rarely lock each other out. The look-up is a lateral join, one branch per level of the key,
// because `is not distinct from` is no index condition; it reads a few index pages per row whatever the statistics say. Rows of an ad (ad
// set, campaign) that this very upload brought are not looked up, as long as nobody has shown the hint to be wrong (`trustsHints`).
// New rows are inserted plainly: `on conflict` costs two thirds more, and what was looked up a moment ago is rarely there by now. When
// another upload did write the key in between, the unique key refuses (isKeyTaken) or fewer rows are locked than were judged as changed
// (contended); either way the batch is done again and judges what it finds. Lines added to a row (merged) share its fate.
// Which row ended how is noted as ranges of rows, for the reader of the receipt.
//
// A file that was loaded before has nothing to write. Where the batch before had nothing, the next is only surveyed: the same judgement
// without keeping the judged rows, and the whole statement only when something is to be written after all.
import type { Queryable } from '../../../platform/database.ts';
import type { PromotionScope } from './promote-dimensions.ts';

export interface PromotedRow {
  readonly outcome: 'inserted' | 'updated' | 'unchanged' | 'stale';
  readonly rows: number;
  readonly spend: string;
  readonly impressions: string;
  readonly clicks: string;
  readonly merged_rows: number;
  readonly merged_spend: string;
  readonly merged_impressions: string;
  readonly merged_clicks: string;
}

export interface Promotion {
  readonly outcomes: readonly PromotedRow[];
  /** Days on which a number was inserted or changed. */
  readonly dates: readonly string[];
  /** Another upload has changed a row since it was judged; nothing of this may be kept. */
  readonly isContended: boolean;
}

export interface RowRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

const known = `
  select d.id, d.reported_at, d.currency, d.account_time_zone, d.spend, d.impressions, d.clicks, d.link_clicks, d.reach, d.conversions,
         d.conversion_value, d.video_views
  from daily_metrics d
  where i.may_be_known and d.workspace_id = $2 and d.platform = $4 and d.metric_date = i.metric_date
    and d.client_id is not distinct from $3::uuid`;

const values = (alias: string) =>
  [
    'currency',
    'account_time_zone',
    'spend',
    'impressions',
    'clicks',
    'link_clicks',
    'reach',
    'conversions',
    'conversion_value',
    'video_views',
  ]
    .map((column) => `${alias}.${column}`)
    .join(', ');

/** The row's own number plus those of the lines merged into it; null only when all are. */
const withMerged = (measure: string, type: string) => `
  case when s.merged is null then s.${measure}
       when s.${measure} is null then (s.merged ->> '${measure}')::${type}
       else s.${measure} + coalesce((s.merged ->> '${measure}')::${type}, 0) end as ${measure}`;

const resolved = (alias: string, entity: string) =>
  `left join staging_id_resolution ${alias} on ${alias}.upload_id = $1 and ${alias}.entity_type = '${entity}' and ${alias}.external_id = s.${entity}_external_id`;

const sums = `
  count(*)::int as rows,
  coalesce(sum(own_spend), 0)::text as spend, coalesce(sum(own_impressions), 0)::text as impressions, coalesce(sum(own_clicks), 0)::text as clicks,
  coalesce(sum((merged ->> 'rows')::int), 0)::int as merged_rows,
  coalesce(sum((merged ->> 'spend')::numeric), 0)::text as merged_spend,
  coalesce(sum((merged ->> 'impressions')::numeric), 0)::text as merged_impressions,
  coalesce(sum((merged ->> 'clicks')::numeric), 0)::text as merged_clicks`;

/** Each staged row of the range with what is known of its key, and its outcome. */
const judgement = `
    select i.*, k.id as known_id,
           case when k.id is null then 'inserted'
                when k.reported_at > $5::timestamptz then 'stale'
                when (${values('k')}) is not distinct from (${values('i')}) then 'unchanged'
                else 'updated' end as outcome
    from (
      select s.row_index, s.line, s.byte_offset, s.metric_date, s.campaign_external_id, s.ad_set_external_id, s.ad_external_id, s.currency,
             s.raw_data ->> 'account_time_zone' as account_time_zone,
             s.spend as own_spend, s.impressions as own_impressions, s.clicks as own_clicks, s.merged,
             ${withMerged('spend', 'numeric')},
             ${withMerged('impressions', 'bigint')},
             ${withMerged('clicks', 'bigint')},
             ${withMerged('link_clicks', 'bigint')},
             case when s.merged is null then s.reach end as reach,
             ${withMerged('conversions', 'numeric')},
             ${withMerged('conversion_value', 'numeric')},
             ${withMerged('video_views', 'bigint')},
             rc.internal_id as campaign_id, rs.internal_id as ad_set_id, ra.internal_id as ad_id,
             not ($8::boolean and (rc.first_seen is true or rs.first_seen is true or ra.first_seen is true)) as may_be_known
      from staging_rows s
      ${resolved('rc', 'campaign')}
      ${resolved('rs', 'ad_set')}
      ${resolved('ra', 'ad')}
      where s.upload_id = $1 and s.row_index >= $6 and s.row_index < $7
        and s.entity_type = 'daily_metric' and s.validation_status = 'valid' and s.folded is null
    ) i
    left join lateral (
      ${known} and i.ad_external_id is not null and d.ad_external_id = i.ad_external_id
        and d.ad_set_external_id is not distinct from i.ad_set_external_id
        and d.campaign_external_id is not distinct from i.campaign_external_id
      union all
      ${known} and i.ad_external_id is null and d.ad_external_id is null and d.ad_set_external_id = i.ad_set_external_id
        and d.campaign_external_id is not distinct from i.campaign_external_id
      union all
      ${known} and i.ad_external_id is null and i.ad_set_external_id is null and d.ad_external_id is null
        and d.ad_set_external_id is null and d.campaign_external_id = i.campaign_external_id
      union all
      ${known} and i.ad_external_id is null and i.ad_set_external_id is null and i.campaign_external_id is null
        and d.ad_external_id is null and d.ad_set_external_id is null and d.campaign_external_id is null
    ) k on true`;

const text = `
  with judged as materialized (${judgement}
  ),
  inserted as (
    insert into daily_metrics (
      workspace_id, client_id, platform, metric_date, campaign_external_id, ad_set_external_id, ad_external_id, campaign_id, ad_set_id, ad_id,
      currency, account_time_zone, spend, impressions, clicks, link_clicks, reach, conversions, conversion_value, video_views,
      run_id, line, byte_offset, reported_at
    )
    select $2, $3, $4, j.metric_date, j.campaign_external_id, j.ad_set_external_id, j.ad_external_id, j.campaign_id, j.ad_set_id, j.ad_id,
           ${values('j')}, $1, j.line, j.byte_offset, $5::timestamptz
    from judged j
    where j.outcome = 'inserted'
    order by j.metric_date, j.ad_external_id, j.ad_set_external_id, j.campaign_external_id
    returning 1
  ),
  locked as materialized (
    select d.id, d.metric_date, j.byte_offset as key
    from judged j
    join daily_metrics d on d.workspace_id = $2 and d.metric_date = j.metric_date and d.id = j.known_id
    where j.outcome = 'updated' and d.reported_at <= $5::timestamptz
    order by j.metric_date, j.ad_external_id, j.ad_set_external_id, j.campaign_external_id
    for no key update of d
  ),
  updated as (
    update daily_metrics d
    set campaign_id = coalesce(j.campaign_id, d.campaign_id), ad_set_id = coalesce(j.ad_set_id, d.ad_set_id), ad_id = coalesce(j.ad_id, d.ad_id),
        currency = j.currency, account_time_zone = j.account_time_zone, spend = j.spend, impressions = j.impressions, clicks = j.clicks,
        link_clicks = j.link_clicks, reach = j.reach, conversions = j.conversions, conversion_value = j.conversion_value,
        video_views = j.video_views, run_id = $1, line = j.line, byte_offset = j.byte_offset, reported_at = $5::timestamptz, updated_at = engine.now()
    from locked l
    join judged j on j.byte_offset = l.key
    where d.workspace_id = $2 and d.metric_date = l.metric_date and d.id = l.id
    returning 1
  ),
  confirmed as (
    update daily_metrics d
    set reported_at = $5::timestamptz
    from judged j
    where $9::boolean and j.outcome = 'unchanged'
      and d.workspace_id = $2 and d.metric_date = j.metric_date and d.id = j.known_id and d.reported_at < $5::timestamptz
  ),
  noted as (
    insert into engine.row_outcomes (run_id, tenant_id, outcome, rows)
    select $1, $2, outcome, range_agg(int4range(row_index, row_index + 1)) from judged group by outcome
  )
  select outcome, ${sums},
         (case outcome when 'inserted' then (select count(*) from inserted) when 'updated' then (select count(*) from updated) end)::int as written,
         array(select distinct d.metric_date from judged d where d.outcome = j.outcome and d.outcome in ('inserted', 'updated'))::text[] as dates
  from judged j
  group by outcome`;

// Without keeping the rows: half of the time where nothing is to be written.
const surveyText = `
  select outcome, ${sums}, range_agg(int4range(row_index, row_index + 1))::text as ranges
  from (${judgement}) judged
  group by outcome`;

/** The parameters of the judgement, $1 to $8. */
function judgementValues(scope: PromotionScope, range: RowRange, trustsHints: boolean): unknown[] {
  const { uploadId, workspaceId, clientId, platform, reportedAt } = scope;
  return [uploadId, workspaceId, clientId, platform, reportedAt, range.from, range.to, trustsHints];
}

/** Whether another upload has written one of the keys since they were looked up. */
export function isKeyTaken(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'daily_metrics_key';
}

export interface PromotionChoices {
  /** The sender said when the numbers were reported, so that equal but later ones confirm the stored row. */
  readonly confirms: boolean;
  /** Numbers of what the upload itself brought are not looked up. */
  readonly trustsHints: boolean;
}

export async function promoteMetrics(
  db: Queryable,
  scope: PromotionScope,
  range: RowRange,
  { confirms, trustsHints }: PromotionChoices,
): Promise<Promotion> {
  const { rows } = await db.query<PromotedRow & { written: number | null; dates: string[] }>({
    name: 'ads-promote-metrics',
    text,
    values: [...judgementValues(scope, range, trustsHints), confirms],
  });
  return {
    outcomes: rows,
    dates: rows.flatMap(({ dates }) => dates),
    isContended: rows.some(({ written, rows: judged }) => written !== null && written !== judged),
  };
}

/** What the range would come to, when nothing of it is to be written; undefined when something is. */
export async function surveyMetrics(
  db: Queryable,
  scope: PromotionScope,
  range: RowRange,
  trustsHints: boolean,
): Promise<Promotion | undefined> {
  const { rows } = await db.query<PromotedRow & { ranges: string }>({
    name: 'ads-survey-metrics',
    text: surveyText,
    values: judgementValues(scope, range, trustsHints),
  });
  if (rows.some(({ outcome }) => outcome === 'inserted' || outcome === 'updated')) return undefined;
  for (const { outcome, ranges } of rows) await noteOutcome(db, scope, outcome, ranges);
  return { outcomes: rows, dates: [], isContended: false };
}

async function noteOutcome(db: Queryable, scope: PromotionScope, outcome: string, ranges: string): Promise<void> {
  await db.query({
    name: 'ads-note-outcome',
    text: `insert into engine.row_outcomes (run_id, tenant_id, outcome, rows) values ($1, $2, $3, $4::int4multirange)`,
    values: [scope.uploadId, scope.workspaceId, outcome, ranges],
  });
}
