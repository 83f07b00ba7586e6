// Daily numbers from staging into production, for a range of staged rows, in one statement.
//
// Each row is first looked up by its key and judged (judge-metrics.ts): new, changed, unchanged or stale. Only new and changed rows are
// written, in key order, so that uploads promoting at once rarely lock each other out. Rows of an ad (ad set, campaign) that this very upload
// brought are not looked up, as long as nobody has shown the hint to be wrong (`trustsHints`).
// New rows are inserted plainly: `on conflict` costs two thirds more, and what was looked up a moment ago is rarely there by now. Known ones
// are met by it: joined by their id, all rows of the workspace were read for every batch, 0.7 s to restate 300 of 400,000. When another
// upload did write the key in between, the unique key refuses (isKeyTaken) or fewer rows are written than were judged as changed
// (contended); either way the batch is done again and judges what it finds. Lines added to a row (merged) share its fate.
// Which row ended how is noted as ranges of rows, for the reader of the receipt. Most rows of a batch end alike, and their ranges are the
// batch without the others: a range made of every single row took 6 % of the time.
//
// A file that was loaded before has nothing to write. Where the batch before had nothing, the next is only surveyed (survey-metrics.ts).
import type { Queryable } from '../../../platform/database.ts';
import {
  inRange,
  judgement,
  judgementValues,
  type LookUp,
  type PromotedRow,
  type Promotion,
  perLookUp,
  type RowRange,
  stagedValues,
  valueColumns,
  valuesOf,
} from './judge-metrics.ts';
import type { PromotionScope } from './promote-dimensions.ts';

const resolved = (alias: string, entity: string) =>
  `left join staging_id_resolution ${alias} on ${alias}.upload_id = $1 and ${alias}.entity_type = '${entity}' and ${alias}.external_id = s.${entity}_external_id`;

/** The rows of the range with their parents. */
const staged = `
  select ${stagedValues}, s.line, s.byte_offset, rc.internal_id as campaign_id, rs.internal_id as ad_set_id, ra.internal_id as ad_id,
         s.validation_status = 'valid' and s.folded is null
           and not ($10::boolean and (rc.first_seen is true or rs.first_seen is true or ra.first_seen is true)) as may_be_known
  from staging_rows s
  ${resolved('rc', 'campaign')}
  ${resolved('rs', 'ad_set')}
  ${resolved('ra', 'ad')}
  where ${inRange}`;

/** Rows for the table, in key order. */
const rowsWhere = (condition: string) => `
    insert into daily_metric_rows (
      workspace_id, client_id, platform, metric_date, campaign_external_id, ad_set_external_id, ad_external_id, campaign_id, ad_set_id, ad_id,
      currency, account_time_zone, spend, impressions, clicks, link_clicks, reach, conversions, conversion_value, video_views,
      run_id, line, byte_offset, reported_at, part, period_end, is_winner
    )
    select $2, $3, $4, j.metric_date, j.campaign_external_id, j.ad_set_external_id, j.ad_external_id, j.campaign_id, j.ad_set_id, j.ad_id,
           ${valuesOf('j')}, $1, j.line, j.byte_offset, $5::timestamptz, $8::text, j.period_end,
           j.period_end is null and not (j.metric_date = any ($12::date[]))
    from judged j
    where ${condition}
    order by j.metric_date, j.ad_external_id, j.ad_set_external_id, j.campaign_external_id`;

const onKnown = `on conflict on constraint daily_metrics_key do update`;

const texts = perLookUp(
  (lookUp) => `
  with judged as materialized (${judgement(lookUp, staged)}
  ),
  inserted as (
    ${rowsWhere(`j.outcome = 'inserted'`)}
    returning 1
  ),
  updated as (
    ${rowsWhere(`j.outcome = 'updated'`)}
    ${onKnown}
    set campaign_id = coalesce(excluded.campaign_id, daily_metric_rows.campaign_id),
        ad_set_id = coalesce(excluded.ad_set_id, daily_metric_rows.ad_set_id), ad_id = coalesce(excluded.ad_id, daily_metric_rows.ad_id),
        (${valueColumns}) = (${valuesOf('excluded')}),
        run_id = $1, line = excluded.line, byte_offset = excluded.byte_offset, reported_at = $5::timestamptz, updated_at = engine.now()
    where daily_metric_rows.reported_at <= $5::timestamptz
    returning 1
  ),
  confirmed as (
    ${rowsWhere(`$11::boolean and j.outcome = 'unchanged' and j.known_reported_at < $5::timestamptz`)}
    ${onKnown}
    set reported_at = $5::timestamptz
    where daily_metric_rows.reported_at < $5::timestamptz and (${valuesOf('daily_metric_rows')}) is not distinct from (${valuesOf('excluded')})
  ),
  days as (
    select outcome, metric_date, count(*) as rows, sum(own_spend) as spend, sum(own_impressions) as impressions, sum(own_clicks) as clicks,
           count(*) filter (where outcome = 'updated' and is_emptied) as emptied, sum((merged ->> 'rows')::int) as merged_rows, sum((merged ->> 'spend')::numeric) as merged_spend,
           sum((merged ->> 'impressions')::numeric) as merged_impressions, sum((merged ->> 'clicks')::numeric) as merged_clicks
    from judged
    group by outcome, metric_date
  ),
  totals as materialized (
    select outcome, sum(rows)::int as rows, sum(emptied)::int as emptied,
           coalesce(sum(spend), 0)::text as spend, coalesce(sum(impressions), 0)::text as impressions, coalesce(sum(clicks), 0)::text as clicks,
           coalesce(sum(merged_rows), 0)::int as merged_rows, coalesce(sum(merged_spend), 0)::text as merged_spend,
           coalesce(sum(merged_impressions), 0)::text as merged_impressions, coalesce(sum(merged_clicks), 0)::text as merged_clicks,
           array_agg(metric_date)::text[] as dates
    from days
    group by outcome
  ),
  noted as (
    insert into engine.row_outcomes (run_id, tenant_id, outcome, rows)
    select $1, $2, t.outcome,
           case when t.rows * 2 > $7 - $6 and (select sum(rows) from totals) = $7 - $6
                then int4multirange(int4range($6, $7))
                     - coalesce((select range_agg(int4range(row_index, row_index + 1)) from judged j where j.outcome <> t.outcome), '{}')
                else (select range_agg(int4range(row_index, row_index + 1)) from judged j where j.outcome = t.outcome) end
    from totals t
    where t.outcome <> 'skipped'
  )
  select t.*,
         (case outcome when 'inserted' then (select count(*) from inserted) when 'updated' then (select count(*) from updated) end)::int as written
  from totals t
  where t.outcome <> 'skipped'`,
);

/** Whether another upload has written one of the keys since they were looked up. */
export function isKeyTaken(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'daily_metrics_key';
}

export interface PromotionChoices {
  /** The sender said when the numbers were reported, so that equal but later ones confirm the stored row. */
  readonly confirms: boolean;
  /** Numbers of what the upload itself brought are not looked up. */
  readonly trustsHints: boolean;
  readonly lookUp: LookUp;
  /** Days that another grain tells as well. New numbers of these count only once the whole upload is in and the fullest grain is known. */
  readonly contested: readonly string[];
}

export async function promoteMetrics(
  db: Queryable,
  scope: PromotionScope,
  range: RowRange,
  { confirms, trustsHints, lookUp, contested }: PromotionChoices,
): Promise<Promotion> {
  const { rows } = await db.query<PromotedRow & { written: number | null; dates: string[] }>({
    name: `ads-promote-metrics-${lookUp}`,
    text: texts[lookUp],
    values: [...judgementValues(scope, range), trustsHints, confirms, contested],
  });
  return {
    outcomes: rows,
    dates: rows.flatMap(({ outcome, dates }) => (outcome === 'inserted' || outcome === 'updated' ? dates : [])),
    isContended: rows.some(({ written, rows: judged }) => written !== null && written !== judged),
  };
}
