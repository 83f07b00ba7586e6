// What the tables say of an upload's rows: written by it, equal to what was there, or outdated by what was there. Asked by key, in batches.
// What was there when the upload was promoted is found in the history, whatever has been restated since.
import type { Queryable } from '../../../platform/database.ts';
import { inIndexOrder, type PlannedStatement } from '../../../platform/planner-settings.ts';
import { type Measure, measures, wholeMeasures } from '../fields.ts';
import { valuesOf } from './judge-metrics.ts';

export interface RecountKeys {
  readonly date: readonly string[];
  /** The last day of a number over several days. */
  readonly periodEnd: readonly (string | null)[];
  readonly campaign: readonly (string | null)[];
  readonly adSet: readonly (string | null)[];
  readonly ad: readonly (string | null)[];
  readonly currency: readonly (string | null)[];
  readonly timeZone: readonly (string | null)[];
  /** By measure, the lines added to the row included. */
  readonly measures: readonly (readonly (string | null)[])[];
}

export type RecountOutcome = 'inserted' | 'updated' | 'unchanged' | 'stale' | 'lost';

export interface RecountedRow {
  readonly outcome: RecountOutcome;
  /** What the tables hold of the run's numbers; null where they hold none, because newer ones were there. */
  readonly stored: { readonly spend: string; readonly impressions: string; readonly clicks: string } | null;
}

/**
 * What is stored under the key `k`. One branch per level of the key, each in an order that only the unique key's index has (see
 * judge-metrics.ts): by the primary key, which looks as good to a server without statistics, each key read all numbers of its day.
 */
const foundInOrderOf = (column: string, condition: string) => `(
  select d.*
  from daily_metric_rows d
  where d.workspace_id = $1 and d.platform = $3 and d.metric_date = k.date and d.client_id is not distinct from $2::uuid
    and d.part is not distinct from $9::text and d.period_end is not distinct from k.period_end
    and ${condition}
  order by d.${column} offset 0)`;
const found = [
  foundInOrderOf(
    'ad_set_external_id',
    `k.ad is not null and d.ad_external_id = k.ad and d.ad_set_external_id is not distinct from k.ad_set
     and d.campaign_external_id is not distinct from k.campaign`,
  ),
  foundInOrderOf(
    'ad_external_id',
    `k.ad is null and d.ad_external_id is null and d.ad_set_external_id = k.ad_set
     and d.campaign_external_id is not distinct from k.campaign`,
  ),
  foundInOrderOf(
    'ad_external_id',
    `k.ad is null and k.ad_set is null and d.ad_external_id is null and d.ad_set_external_id is null
     and d.campaign_external_id = k.campaign`,
  ),
  foundInOrderOf(
    'ad_external_id',
    `k.ad is null and k.ad_set is null and k.campaign is null and d.ad_external_id is null
     and d.ad_set_external_id is null and d.campaign_external_id is null`,
  ),
].join(' union all ');

const sums = (alias: string) =>
  `jsonb_build_object('spend', coalesce(${alias}.spend, 0)::text, 'impressions', coalesce(${alias}.impressions, 0)::text, 'clicks', coalesce(${alias}.clicks, 0)::text)`;

const FIRST_VALUE = 11;
const typeOf = (measure: Measure) => (wholeMeasures.has(measure) ? 'bigint' : 'numeric');
const valueArrays = ['text', 'text', ...measures.map(typeOf)].map((type, n) => `$${FIRST_VALUE + n}::${type}[]`);

/** One outcome per key, in the order given. `lost`: the tables know nothing of it. */
export async function recountMetrics(
  db: Queryable,
  scope: { workspaceId: string; clientId: string | null; platform: string; runId: string; part: string | null },
  keys: RecountKeys,
): Promise<RecountedRow[]> {
  const statement: PlannedStatement = {
    settings: inIndexOrder,
    name: 'ads-recount-metrics',
    text: `
      with key as (
        select * from unnest($4::date[], $10::date[], $5::text[], $6::text[], $7::text[], ${valueArrays.join(', ')})
          with ordinality as k (date, period_end, campaign, ad_set, ad, currency, account_time_zone, ${measures.join(', ')}, nth)
      ),
      promotion as (
        select coalesce((select min(a.started_at) from engine.all_attempts a where a.run_id = r.id and a.stage = 'promote'), r.started_at) as started_at,
               r.finished_at
        from engine.all_runs r
        where r.id = $8
      )
      select case
               when m.id is null then 'lost'
               -- Replaced by an upload that was undone: it is the run's own again, as it was at first.
               when m.run_id = $8 and own.is_first then 'inserted'
               when m.run_id = $8 and not exists (select from daily_metrics_history h where h.workspace_id = $1 and h.metric_id = m.id) then 'inserted'
               when m.run_id = $8 then 'updated'
               when own.history_id is not null and own.is_first then 'inserted'
               when own.history_id is not null then 'updated'
               when seen.is_equal then 'unchanged'
               when seen.is_equal is false then 'stale'
               else 'lost' end as outcome,
             case
               when m.run_id = $8 then ${sums('m')}
               when own.history_id is not null then ${sums('own')}
               when seen.is_equal then ${sums('k')} end as stored
      from key k
      cross join promotion p
      left join lateral (${found}) m on true
      left join lateral (
        select h.history_id, h.spend, h.impressions, h.clicks, not exists (
                 select from daily_metrics_history e
                 where e.workspace_id = $1 and e.metric_id = m.id and e.history_id < h.history_id) as is_first
        from daily_metrics_history h
        where h.workspace_id = $1 and h.metric_id = m.id and h.run_id = $8
        order by h.history_id
        limit 1
      ) own on true
      left join lateral (
        select bool_or(is_equal) as is_equal
        from (
          select (${valuesOf('m')}) is not distinct from (${valuesOf('k')}) as is_equal
          where m.updated_at <= p.finished_at
          union all
          select (${valuesOf('h')}) is not distinct from (${valuesOf('k')})
          from daily_metrics_history h
          where h.workspace_id = $1 and h.metric_id = m.id and h.recorded_at <= p.finished_at and h.replaced_at > p.started_at
        ) version
      ) seen on true
      order by k.nth`,
    values: [
      scope.workspaceId,
      scope.clientId,
      scope.platform,
      keys.date,
      keys.campaign,
      keys.adSet,
      keys.ad,
      scope.runId,
      scope.part,
      keys.periodEnd,
      keys.currency,
      keys.timeZone,
      ...keys.measures,
    ],
  };
  const { rows } = await db.query<RecountedRow>(statement);
  return rows;
}

/** Offsets of rows that were valid and that the database refused. */
export async function selectRefusedOffsets(db: Queryable, tenantId: string, runId: string): Promise<number[]> {
  const { rows } = await db.query<{ byte_offset: number }>({
    name: 'ads-select-refused-offsets',
    text: `select byte_offset from engine.rejects where tenant_id = $1 and run_id = $2 and code = 'promotion_failed'`,
    values: [tenantId, runId],
  });
  return rows.map(({ byte_offset }) => byte_offset);
}
