// Which grains a day is told in, and which of them counts. An upload says which days it will write before it writes them. Writers of numbers
// share a lock that this saying takes alone: so a batch that finds its days uncontested stays right until it is committed.
import type { Queryable } from '../../../platform/database.ts';
import type { PromotionScope } from './promote-dimensions.ts';

/** The days of an upload's valid rows. */
export async function listStagedDays(db: Queryable, uploadId: string): Promise<string[]> {
  const { rows } = await db.query<{ metric_date: string }>({
    name: 'ads-list-staged-days',
    text: `
      select distinct metric_date
      from staging_rows
      where upload_id = $1 and entity_type = 'daily_metric' and validation_status = 'valid'
      order by metric_date`,
    values: [uploadId],
  });
  return rows.map(({ metric_date }) => metric_date);
}

const lockKey = `hashtextextended('ads-grains ' || $1 || ' ' || $2, 0)`;

/** Held by every writer of numbers; many at once. */
export async function shareGrains(db: Queryable, { workspaceId, platform }: PromotionScope): Promise<void> {
  await db.query({
    name: 'ads-share-grains',
    text: `select pg_advisory_xact_lock_shared(${lockKey})`,
    values: [workspaceId, platform],
  });
}

/** Waits until nobody writes numbers of the workspace and platform, and keeps them waiting until the transaction ends. */
export async function lockGrains(db: Queryable, { workspaceId, platform }: PromotionScope): Promise<void> {
  await db.query({
    name: 'ads-lock-grains',
    text: `select pg_advisory_xact_lock(${lockKey})`,
    values: [workspaceId, platform],
  });
}

/** Of the days, those of which the grain is not known to tell. */
export async function listUntoldDays(
  db: Queryable,
  scope: PromotionScope,
  days: readonly string[],
  grain: string,
): Promise<string[]> {
  const { rows } = await db.query<{ day: string }>({
    name: 'ads-list-untold-days',
    text: `
      select d.day
      from unnest($4::date[]) as d (day)
      where (
        select true from daily_metric_grains g
        where g.workspace_id = $1 and g.platform = $3 and g.metric_date = d.day and g.grain = $5 and g.client_id is not distinct from $2::uuid
        limit 1) is null`,
    values: [scope.workspaceId, scope.clientId, scope.platform, days, grain],
  });
  return rows.map(({ day }) => day);
}

export async function insertToldDays(
  db: Queryable,
  scope: PromotionScope,
  days: readonly string[],
  grain: string,
): Promise<void> {
  await db.query({
    name: 'ads-insert-told-days',
    text: `
      insert into daily_metric_grains (workspace_id, client_id, platform, metric_date, grain)
      select $1, $2, $3, day, $5 from unnest($4::date[]) as d (day)
      on conflict on constraint daily_metric_grains_key do nothing`,
    values: [scope.workspaceId, scope.clientId, scope.platform, days, grain],
  });
}

/** Of the days, those that several grains tell. */
export async function listContestedDays(
  db: Queryable,
  scope: PromotionScope,
  days: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ metric_date: string }>({
    name: 'ads-list-contested-days',
    text: `
      select metric_date
      from daily_metric_grains
      where workspace_id = $1 and platform = $3 and metric_date = any ($4::date[]) and client_id is not distinct from $2::uuid
      group by metric_date
      having count(*) > 1`,
    values: [scope.workspaceId, scope.clientId, scope.platform, days],
  });
  return rows.map(({ metric_date }) => metric_date);
}

/** Marks the numbers that count (the rule stands with the function, in migration 0150). */
export async function chooseWinners(db: Queryable, scope: PromotionScope, days: readonly string[]): Promise<void> {
  await db.query({
    name: 'ads-choose-winners',
    text: `select choose_daily_winners($1, $2, $3, $4::date[])`,
    values: [scope.workspaceId, scope.clientId, scope.platform, days],
  });
}

/** Of the days, those on which no number of the grain counts because a fuller one tells them. `depth`: 0 account to 3 ad. */
export async function listOutrankedDays(
  db: Queryable,
  scope: PromotionScope,
  days: readonly string[],
  depth: number,
): Promise<string[]> {
  const { rows } = await db.query<{ metric_date: string }>({
    name: 'ads-list-outranked-days',
    text: `
      select metric_date
      from daily_metric_rows
      where workspace_id = $1 and platform = $3 and metric_date = any ($4::date[]) and client_id is not distinct from $2::uuid
        and part is not distinct from $5::text and period_end is null
        and case when ad_external_id is not null then 3 when ad_set_external_id is not null then 2
                 when campaign_external_id is not null then 1 else 0 end = $6
      group by metric_date
      having not bool_or(is_winner)
      order by metric_date`,
    values: [scope.workspaceId, scope.clientId, scope.platform, days, scope.part, depth],
  });
  return rows.map(({ metric_date }) => metric_date);
}
