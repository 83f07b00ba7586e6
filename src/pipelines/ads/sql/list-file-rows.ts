// The rows of an upload with how each ended, in file order. Rows that were judged at promotion come from the ranges noted there, so a
// page costs its own rows whatever the size of the file; rows folded into others, and those the gate held back, are
// found in staging. Refused rows are in front of the user as rejects and not here; that goes for lines added to a row that was refused, too.
import type { Queryable } from '../../../platform/database.ts';
import type { MeasureColumns } from './read-metrics.ts';

export interface FileRow extends MeasureColumns {
  readonly row_index: number;
  readonly line: number;
  readonly outcome: string;
  readonly metric_date: string;
  readonly campaign: string | null;
  readonly ad_set: string | null;
  readonly ad: string | null;
  readonly currency: string | null;
  /** The stored number of its key, if there is one now. */
  readonly metric_id: string | null;
}

export interface FileRowQuery {
  readonly workspaceId: string;
  readonly runId: string;
  readonly platform: string;
  readonly clientId: string | null;
  /** null: every outcome. */
  readonly outcomes: readonly string[] | null;
  readonly afterRow: number;
  readonly limit: number;
  /** The gate stopped the upload: its valid rows were held back. */
  readonly isHeldBack: boolean;
}

const nameOf = (table: string, column: string) => `
  coalesce((select d.name from public.${table} d
            where d.workspace_id = $2 and d.platform = $3 and d.external_id = p.${column} and d.name is not null limit 1), p.${column})`;

const stored = (level: string) => `
  select d.id from daily_metric_rows d
  where d.workspace_id = $2 and d.platform = $3 and d.metric_date = p.metric_date and d.client_id is not distinct from $4::uuid
    and d.part is not distinct from (select u.part from upload_readings u where u.upload_id = $1)
    and d.period_end is not distinct from (p.raw_data ->> 'period_end')::date
    and ${level}`;

/** One for each level, so that the index is entered at the name of the row's own. */
const storedAtAnyLevel = [
  `d.ad_external_id = p.ad_external_id and d.ad_set_external_id is not distinct from p.ad_set_external_id
     and d.campaign_external_id is not distinct from p.campaign_external_id`,
  `p.ad_external_id is null and d.ad_external_id is null and d.ad_set_external_id = p.ad_set_external_id
     and d.campaign_external_id is not distinct from p.campaign_external_id`,
  `p.ad_external_id is null and p.ad_set_external_id is null and d.ad_external_id is null and d.ad_set_external_id is null
     and d.campaign_external_id = p.campaign_external_id`,
  `p.ad_external_id is null and p.ad_set_external_id is null and p.campaign_external_id is null
     and d.ad_external_id is null and d.ad_set_external_id is null and d.campaign_external_id is null`,
]
  .map(stored)
  .join(' union all ');

// Each span has at least one row and a page needs no more than its limit from any, so both are cut before the rows are read. Rows are looked
// up from the spans and from the page, in this order and one by one: joined, a page could read 20 million rows of an upload of 3,200.
const text = `
  with spans as materialized (
    select o.outcome, lower(r) as first, least(upper(r), greatest(lower(r), $6::int + 1) + $7::int) as past
    from engine.row_outcomes o
    cross join lateral unnest(o.rows) as r
    where o.run_id = $1 and o.tenant_id = $2 and ($5::text[] is null or o.outcome = any ($5)) and upper(r) > $6::int + 1
    order by lower(r)
    limit $7
  ),
  folded as (
    select s.row_index,
           case when s.folded = 'merged' and (select exists (select from engine.row_outcomes where run_id = $1 and outcome = 'stale')) and exists (
             select from staging_rows l
             join engine.row_outcomes o on o.run_id = $1 and o.outcome = 'stale' and o.rows @> l.row_index
             where l.upload_id = $1 and l.merged is not null and l.natural_key_hash = s.natural_key_hash
           ) then 'stale' else s.folded end as outcome
    from staging_rows s
    where s.upload_id = $1 and s.row_index > $6 and s.entity_type = 'daily_metric' and s.folded is not null
      and ($5::text[] is null or $5 && array['merged', 'superseded', 'stale'])
      and exists (select from engine.row_outcomes o where o.run_id = $1)
      and not (s.folded = 'merged' and s.byte_offset in (
        select j.byte_offset from engine.rejects j
        where j.run_id = $1 and j.tenant_id = $2 and j.code = 'promotion_failed' and j.byte_offset is not null))
  ),
  page as (
    select s.*, w.outcome
    from (
      (select s.row_index, x.outcome
       from spans x
       cross join lateral (
         select n.row_index from staging_rows n
         where n.upload_id = $1 and n.row_index >= greatest(x.first, $6::int + 1) and n.row_index < x.past and n.entity_type = 'daily_metric'
         order by n.row_index
         limit $7
       ) s
       order by s.row_index
       limit $7)
      union all
      (select f.row_index, f.outcome from folded f
       where $5::text[] is null or f.outcome = any ($5)
       order by f.row_index
       limit $7)
      union all
      (select h.row_index, 'held_back' from staging_rows h
       where $8::boolean and ($5::text[] is null or 'held_back' = any ($5))
         and h.upload_id = $1 and h.row_index > $6 and h.entity_type = 'daily_metric' and h.validation_status = 'valid'
       order by h.row_index
       limit $7)
    ) w
    cross join lateral (
      select * from staging_rows n
      where n.upload_id = $1 and n.row_index = w.row_index and n.entity_type = 'daily_metric' and n.workspace_id = $2
      offset 0
    ) s
    order by w.row_index
    limit $7
  )
  select p.row_index, p.line, p.outcome, p.metric_date::text, p.currency, ${nameOf('campaigns', 'campaign_external_id')} as campaign,
         ${nameOf('ad_sets', 'ad_set_external_id')} as ad_set, ${nameOf('ads', 'ad_external_id')} as ad,
         p.spend::text, p.impressions::text, p.clicks::text, p.link_clicks::text, p.reach::text, p.conversions::text,
         p.conversion_value::text, p.video_views::text, p.metric_date::text || '.' || k.id as metric_id
  from page p
  left join lateral (
    ${storedAtAnyLevel}
    limit 1
  ) k on true
  order by p.row_index`;

export async function listFileRows(db: Queryable, query: FileRowQuery): Promise<FileRow[]> {
  const { workspaceId, runId, platform, clientId, outcomes, afterRow, limit, isHeldBack } = query;
  const { rows } = await db.query<FileRow>({
    name: 'ads-list-file-rows',
    text,
    values: [runId, workspaceId, platform, clientId, outcomes, afterRow, limit, isHeldBack],
  });
  return rows;
}

export async function hasStagedRows(db: Queryable, workspaceId: string, runId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'ads-has-staged-rows',
    text: `select from staging_rows where upload_id = $2 and workspace_id = $1 limit 1`,
    values: [workspaceId, runId],
  });
  return rows.length > 0;
}
