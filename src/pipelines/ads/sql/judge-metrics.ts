// The judgement that promotion goes by: each staged row of a range with what is stored under its key, and its outcome. Pieces of SQL for the
// statements that write (promote-metrics.ts) and for the one that only looks (survey-metrics.ts).
//
// The look-up is a lateral subquery that the planner can only run as an index scan per row, whatever the statistics say. Each asks for an
// order that only the unique key's index has: sorting is switched off (tune-transaction.ts), and a table without statistics would else be
// read a whole day per row, by its primary key. `is not distinct from` is no index condition, so there is one branch per level of the key.
// In most files every row names a campaign, an ad set and an ad; then the whole key is an index condition, which finds the one row there
// can be, also when several clients have the same ads. Reports of a part and of periods are rare and looked up as any.
import { measures } from '../fields.ts';
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
  /** Of those that were updated: rows that had a value in a measure of which the file says nothing. */
  readonly emptied?: number;
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

/** How keys are looked up: whole ones of a client, whole ones of none, or any, whatever parts they have. Each has a statement of its own. */
export const lookUps = ['of-client', 'of-none', 'any'] as const;
export type LookUp = (typeof lookUps)[number];

/** One text per way of looking up, made once. */
export function perLookUp(text: (lookUp: LookUp) => string): Readonly<Record<LookUp, string>> {
  return Object.fromEntries(lookUps.map((lookUp) => [lookUp, text(lookUp)])) as Record<LookUp, string>;
}

const values = ['currency', 'account_time_zone', ...measures];

/** The values a daily number consists of; equal ones are not written again. */
export const valueColumns = values.join(', ');
export const valuesOf = (alias: string) => values.map((column) => `${alias}.${column}`).join(', ');

/** The row's own number plus those of the lines merged into it; null only when all are. */
const withMerged = (measure: string, type: string) => `
  case when s.merged is null then s.${measure}
       when s.${measure} is null then (s.merged ->> '${measure}')::${type}
       else s.${measure} + coalesce((s.merged ->> '${measure}')::${type}, 0) end as ${measure}`;

/** Of a staged row `s`: what is compared and stored. A row that is not to be promoted comes along, as one that `is_skipped`. */
export const stagedValues = `
  s.row_index, s.metric_date, s.campaign_external_id, s.ad_set_external_id, s.ad_external_id, s.currency,
  s.raw_data ->> 'account_time_zone' as account_time_zone, (s.raw_data ->> 'period_end')::date as period_end,
  s.spend as own_spend, s.impressions as own_impressions, s.clicks as own_clicks, s.merged,
  ${withMerged('spend', 'numeric')},
  ${withMerged('impressions', 'bigint')},
  ${withMerged('clicks', 'bigint')},
  ${withMerged('link_clicks', 'bigint')},
  case when s.merged is null then s.reach end as reach,
  ${withMerged('conversions', 'numeric')},
  ${withMerged('conversion_value', 'numeric')},
  ${withMerged('video_views', 'bigint')},
  s.validation_status <> 'valid' or s.folded is not null as is_skipped`;

export const inRange = `s.upload_id = $1 and s.row_index >= $6 and s.row_index < $7 and s.entity_type = 'daily_metric'`;

const known = `
  select d.id, d.reported_at, d.run_id, ${valuesOf('d')}
  from daily_metric_rows d
  where i.may_be_known and d.workspace_id = $2 and d.platform = $4 and d.metric_date = i.metric_date`;

/** Without `offset 0` it would be joined, and the planner could choose how. */
const inOrderOf = (column: string, condition: string) => `${known} and ${condition} order by d.${column} offset 0`;

const ofOneGrain = `
  d.client_id is not distinct from $3::uuid and d.part is not distinct from $8::text and d.period_end is not distinct from i.period_end`;

const whole = (client: string) =>
  inOrderOf(
    'client_id',
    `d.ad_external_id = i.ad_external_id and d.ad_set_external_id = i.ad_set_external_id
       and d.campaign_external_id = i.campaign_external_id and ${client} and d.part is null and $8::text is null
       and d.period_end is null`,
  );

const anyOf = (...keys: readonly (readonly [column: string, condition: string])[]) =>
  keys.map(([column, key]) => `(${inOrderOf(column, `${ofOneGrain} and ${key}`)})`).join(' union all ');

/** What is stored under the key of the row `i`. A column that must equal a value has no order to ask for; one between two has. */
const stored: Readonly<Record<LookUp, string>> = {
  'of-client': whole('d.client_id between $3::uuid and $3::uuid'),
  'of-none': whole('d.client_id is null and $3::uuid is null'),
  any: anyOf(
    [
      'ad_set_external_id',
      `i.ad_external_id is not null and d.ad_external_id = i.ad_external_id
         and d.ad_set_external_id is not distinct from i.ad_set_external_id
         and d.campaign_external_id is not distinct from i.campaign_external_id`,
    ],
    [
      'ad_external_id',
      `i.ad_external_id is null and d.ad_external_id is null and d.ad_set_external_id = i.ad_set_external_id
         and d.campaign_external_id is not distinct from i.campaign_external_id`,
    ],
    [
      'ad_external_id',
      `i.ad_external_id is null and i.ad_set_external_id is null and d.ad_external_id is null
         and d.ad_set_external_id is null and d.campaign_external_id = i.campaign_external_id`,
    ],
    [
      'ad_external_id',
      `i.ad_external_id is null and i.ad_set_external_id is null and i.campaign_external_id is null
         and d.ad_external_id is null and d.ad_set_external_id is null and d.campaign_external_id is null`,
    ],
  ),
};

/** Judges the rows of `staged`, a select of `stagedValues` and of `may_be_known`: false when nothing can be stored under the row's key. */
export const judgement = (lookUp: LookUp, staged: string) => `
  select i.*, k.id as known_id, k.reported_at as known_reported_at,
         ${measures.map((measure) => `(k.${measure} is not null and i.${measure} is null)`).join(' or ')} as is_emptied,
         case when i.is_skipped then 'skipped'
              when k.id is null then 'inserted'
              when (${valuesOf('k')}) is not distinct from (${valuesOf('i')}) and k.run_id is distinct from $9::uuid then 'unchanged'
              when k.reported_at > $5::timestamptz then 'stale'
              else 'updated' end as outcome
  from (${staged}) i
  left join lateral (${stored[lookUp]}) k on true`;

/** The parameters of the judgement, $1 to $9. A file that is read again takes its numbers over from the run before: they are updated. */
export function judgementValues(scope: PromotionScope, range: RowRange): unknown[] {
  const { uploadId, workspaceId, clientId, platform, reportedAt, part, rereadOf } = scope;
  return [uploadId, workspaceId, clientId, platform, reportedAt, range.from, range.to, part, rereadOf];
}
