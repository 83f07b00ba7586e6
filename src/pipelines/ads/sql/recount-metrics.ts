// What the tables say of an upload's rows today: written by it, there before it, or reported later than it. Asked by key, in batches.
import type { Queryable } from '../../../platform/database.ts';

export interface RecountKeys {
  readonly date: readonly string[];
  readonly campaign: readonly (string | null)[];
  readonly adSet: readonly (string | null)[];
  readonly ad: readonly (string | null)[];
}

export type RecountOutcome = 'inserted' | 'updated' | 'unchanged' | 'stale' | 'lost';

export interface RecountedRow {
  readonly outcome: RecountOutcome;
  /** What the tables hold of the run's numbers; null where they hold none, because others have restated or outdated them. */
  readonly stored: { readonly spend: string; readonly impressions: string; readonly clicks: string } | null;
}

const found = `
  select d.id, d.metric_date, d.run_id, d.reported_at, d.updated_at, d.spend, d.impressions, d.clicks
  from daily_metrics d
  where d.workspace_id = $1 and d.platform = $3 and d.metric_date = k.date and d.client_id is not distinct from $2::uuid`;

const sums = (alias: string) =>
  `jsonb_build_object('spend', coalesce(${alias}.spend, 0)::text, 'impressions', coalesce(${alias}.impressions, 0)::text, 'clicks', coalesce(${alias}.clicks, 0)::text)`;

/** One outcome per key, in the order given. `lost`: the tables know nothing of it. */
export async function recountMetrics(
  db: Queryable,
  scope: { workspaceId: string; clientId: string | null; platform: string; runId: string; reportedAt: string },
  keys: RecountKeys,
): Promise<RecountedRow[]> {
  const { rows } = await db.query<RecountedRow>({
    name: 'ads-recount-metrics',
    text: `
      with key as (
        select * from unnest($4::date[], $5::text[], $6::text[], $7::text[]) with ordinality as k (date, campaign, ad_set, ad, nth)
      )
      select case
               when m.id is null then 'lost'
               when m.run_id = $8 and not exists (select from daily_metrics_history h where h.workspace_id = $1 and h.metric_id = m.id) then 'inserted'
               when m.run_id = $8 then 'updated'
               when own.history_id is not null and own.is_first then 'inserted'
               when own.history_id is not null then 'updated'
               when m.reported_at > $9::timestamptz and m.updated_at <= r.finished_at then 'stale'
               else 'unchanged' end as outcome,
             case
               when m.run_id = $8 or (own.history_id is null and m.reported_at <= $9::timestamptz and m.updated_at <= r.finished_at)
                 then ${sums('m')}
               when own.history_id is not null then ${sums('own')} end as stored
      from key k
      left join engine.runs r on r.id = $8
      left join lateral (
        ${found} and k.ad is not null and d.ad_external_id = k.ad
          and d.ad_set_external_id is not distinct from k.ad_set and d.campaign_external_id is not distinct from k.campaign
        union all
        ${found} and k.ad is null and d.ad_external_id is null and d.ad_set_external_id = k.ad_set
          and d.campaign_external_id is not distinct from k.campaign
        union all
        ${found} and k.ad is null and k.ad_set is null and d.ad_external_id is null and d.ad_set_external_id is null
          and d.campaign_external_id is not distinct from k.campaign
      ) m on true
      left join lateral (
        select h.history_id, h.spend, h.impressions, h.clicks, not exists (
                 select from daily_metrics_history e
                 where e.workspace_id = $1 and e.metric_id = m.id and e.history_id < h.history_id) as is_first
        from daily_metrics_history h
        where h.workspace_id = $1 and h.metric_id = m.id and h.run_id = $8
        limit 1
      ) own on true
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
      scope.reportedAt,
    ],
  });
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
