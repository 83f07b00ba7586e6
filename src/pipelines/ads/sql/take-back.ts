import type { Queryable } from '../../../platform/database.ts';
import { measures } from '../fields.ts';
import type { PromotionScope } from './promote-dimensions.ts';

/** Days on which the run still owns numbers that nobody has confirmed since. There is no index by run: this is rare and reads the workspace's rows. */
export async function listOwnedDays(db: Queryable, scope: PromotionScope, runId: string): Promise<string[]> {
  const { rows } = await db.query<{ metric_date: string }>({
    name: 'ads-list-owned-days',
    text: `
      select distinct metric_date
      from daily_metric_rows
      where workspace_id = $1 and run_id = $2 and reported_at <= $3::timestamptz
      order by metric_date`,
    values: [scope.workspaceId, runId, scope.reportedAt],
  });
  return rows.map(({ metric_date }) => metric_date);
}

const values = ['currency', 'account_time_zone', ...measures];

/** Numbers that replaced an earlier one become that again; the others are removed. */
export async function takeBackNumbers(
  db: Queryable,
  scope: PromotionScope,
  runId: string,
  days: readonly string[],
): Promise<{ removed: number; restored: number }> {
  const { rows } = await db.query<{ removed: number; restored: number }>({
    name: 'ads-take-back-numbers',
    text: `
      with owned as materialized (
        select r.metric_date, r.id
        from daily_metric_rows r
        where r.workspace_id = $1 and r.metric_date = any ($4::date[]) and r.run_id = $2 and r.reported_at <= $3::timestamptz
      ),
      earlier as materialized (
        select o.metric_date, h.*
        from owned o
        cross join lateral (
          select metric_id, run_id, line, byte_offset, reported_at, ${values.join(', ')}
          from daily_metrics_history
          where workspace_id = $1 and metric_id = o.id and run_id <> $2
            and not exists (select from undone_uploads u where u.workspace_id = $1 and u.upload_id = daily_metrics_history.run_id)
          order by history_id desc
          limit 1
        ) h
      ),
      restored as (
        update daily_metric_rows r
        set ${values.map((name) => `${name} = e.${name}`).join(', ')},
            run_id = e.run_id, line = e.line, byte_offset = e.byte_offset, reported_at = e.reported_at, updated_at = engine.now()
        from earlier e
        where r.workspace_id = $1 and r.metric_date = e.metric_date and r.id = e.metric_id
        returning 1
      ),
      removed as (
        delete from daily_metric_rows r
        using owned o
        where r.workspace_id = $1 and r.metric_date = o.metric_date and r.id = o.id
          and not exists (select from earlier e where e.metric_id = o.id)
        returning 1
      )
      select (select count(*) from removed)::int as removed, (select count(*) from restored)::int as restored`,
    values: [scope.workspaceId, runId, scope.reportedAt, days],
  });
  return rows[0] ?? { removed: 0, restored: 0 };
}

/** Ads, ad sets and campaigns that only the run had named and that have no number and nothing below them any more. */
export async function removeUnusedDimensions(db: Queryable, scope: PromotionScope, runId: string): Promise<void> {
  const unused = (column: string) => `
    not exists (select from daily_metric_rows m where m.workspace_id = $1 and m.platform = d.platform and m.${column} = d.external_id
                  and m.client_id is not distinct from d.client_id)`;
  const owned = `d.workspace_id = $1 and d.run_id = $2`;
  const childless = (table: string, column: string) => `
    not exists (select from ${table} c where c.workspace_id = $1 and c.platform = d.platform and c.${column} = d.external_id
                  and c.client_id is not distinct from d.client_id)`;
  const run = (name: string, text: string) =>
    db.query({ name: `ads-remove-unused-${name}`, text, values: [scope.workspaceId, runId] });
  await run('ads', `delete from ads d where ${owned} and ${unused('ad_external_id')}`);
  await run(
    'ad-sets',
    `delete from ad_sets d where ${owned} and ${unused('ad_set_external_id')} and ${childless('ads', 'ad_set_external_id')}`,
  );
  await run(
    'campaigns',
    `delete from campaigns d where ${owned} and ${unused('campaign_external_id')} and ${childless('ad_sets', 'campaign_external_id')}
       and ${childless('ads', 'campaign_external_id')}`,
  );
}
