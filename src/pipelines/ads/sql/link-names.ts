// Names that turn out to be ids. A file without ids gets ids made of names (natural-key.ts); when another file tells the id of the same
// name under the same parent, both are one thing.
import type { Queryable } from '../../../platform/database.ts';
import type { Dimension, PromotionScope } from './promote-dimensions.ts';

export interface NamedMatch {
  readonly made_id: string;
  readonly name: string;
  /** What it can be. More than one: nobody can tell. */
  readonly found: readonly string[];
}

interface Place {
  readonly table: string;
  readonly column: string;
  readonly parents: readonly string[];
  readonly children: readonly string[];
  /** Of the numbers: the thing's own id. */
  readonly internal: string;
}

const places: Readonly<Record<Dimension, Place>> = {
  campaign: {
    table: 'campaigns',
    column: 'campaign_external_id',
    parents: [],
    children: ['ad_sets', 'ads'],
    internal: 'campaign_id',
  },
  ad_set: {
    table: 'ad_sets',
    column: 'ad_set_external_id',
    parents: ['campaign_external_id'],
    children: ['ads'],
    internal: 'ad_set_id',
  },
  ad: {
    table: 'ads',
    column: 'ad_external_id',
    parents: ['campaign_external_id', 'ad_set_external_id'],
    children: [],
    internal: 'ad_id',
  },
};

const plain = (name: string) => `btrim(normalize(${name}, nfkc))`;

/** What the upload names of a level. */
const staged = ({ column }: Place, dimension: Dimension) => `
  select distinct ${column} as external_id, raw_data ->> 'name' as name, (raw_data ->> 'id_derived')::boolean as is_made,
         campaign_external_id, ad_set_external_id
  from staging_rows
  where upload_id = $1 and metric_date is null and entity_type = '${dimension}' and validation_status = 'valid'
    and raw_data ->> 'name' is not null`;

const sameThing = ({ parents }: Place) =>
  [
    `d.workspace_id = $2 and d.platform = $4 and d.client_id is not distinct from $3::uuid`,
    `${plain('d.name')} = ${plain('s.name')} and d.external_id <> s.external_id`,
    ...parents.map((parent) => `d.${parent} is not distinct from s.${parent}`),
  ].join(' and ');

const values = ({ uploadId, workspaceId, clientId, platform }: PromotionScope) => [
  uploadId,
  workspaceId,
  clientId,
  platform,
];

/** Made ids of the upload, with what is stored under the same name; what was linked before stays linked. */
export async function matchStagedNames(
  db: Queryable,
  dimension: Dimension,
  scope: PromotionScope,
): Promise<NamedMatch[]> {
  const place = places[dimension];
  const { rows } = await db.query<NamedMatch>({
    name: `ads-match-staged-names-${dimension}`,
    text: `
      with made as (select * from (${staged(place, dimension)}) s where s.is_made),
      linked as (
        select s.external_id, s.name, l.external_id as found
        from made s
        join ads_links l on l.workspace_id = $2 and l.platform = $4 and l.client_id is not distinct from $3::uuid
          and l.entity = '${dimension}' and l.made_id = s.external_id
      ),
      matched as (
        select s.external_id, s.name, d.external_id as found
        from made s
        join ${place.table} d on ${sameThing(place)}
        where s.external_id not in (select external_id from linked)
      )
      select external_id as made_id, min(name) as name, array_agg(distinct found) as found
      from (select * from linked union all select * from matched) m
      group by external_id`,
    values: values(scope),
  });
  return rows;
}

/** Made ids that are stored, with the ids that this upload and earlier ones tell for the same name. */
export async function matchStoredNames(
  db: Queryable,
  dimension: Dimension,
  scope: PromotionScope,
): Promise<NamedMatch[]> {
  const place = places[dimension];
  const { rows } = await db.query<NamedMatch>({
    name: `ads-match-stored-names-${dimension}`,
    text: `
      with told as (select * from (${staged(place, dimension)}) s where not s.is_made),
      matched as (
        select d.external_id as made_id, d.name, s.external_id as found
        from told s
        join ${place.table} d on d.id_derived and ${sameThing(place)}
      ),
      known as (
        select m.made_id, m.name, d.external_id as found
        from (select distinct made_id, name from matched) m
        join ${place.table} o on o.workspace_id = $2 and o.platform = $4 and o.client_id is not distinct from $3::uuid and o.external_id = m.made_id
        join ${place.table} d on not d.id_derived and d.workspace_id = $2 and d.platform = $4 and d.client_id is not distinct from $3::uuid
          and ${plain('d.name')} = ${plain('o.name')}
          ${place.parents.map((parent) => `and d.${parent} is not distinct from o.${parent}`).join(' ')}
      )
      select made_id, min(name) as name, array_agg(distinct found) as found
      from (select * from matched union all select * from known) m
      group by made_id`,
    values: values(scope),
  });
  return rows;
}

export interface Link {
  readonly madeId: string;
  readonly externalId: string;
}

/** The staged rows name what is meant. */
export async function relabelStaged(
  db: Queryable,
  dimension: Dimension,
  scope: PromotionScope,
  links: readonly Link[],
): Promise<void> {
  const { column } = places[dimension];
  await db.query({
    name: `ads-relabel-staged-${dimension}`,
    text: `
      update staging_rows s
      set ${column} = l.external_id
      from unnest($2::text[], $3::text[]) as l (made_id, external_id)
      where s.upload_id = $1 and s.${column} = l.made_id`,
    values: [scope.uploadId, links.map(({ madeId }) => madeId), links.map(({ externalId }) => externalId)],
  });
}

/** Remembered, and links that led to a made id lead on to where it leads. */
export async function rememberLinks(
  db: Queryable,
  dimension: Dimension,
  scope: PromotionScope,
  links: readonly Link[],
): Promise<void> {
  await db.query({
    name: 'ads-remember-links',
    text: `
      with new_link as (select * from unnest($5::text[], $6::text[]) as l (made_id, external_id)),
      led_on as (
        update ads_links a set external_id = l.external_id
        from new_link l
        where a.workspace_id = $1 and a.platform = $3 and a.client_id is not distinct from $2::uuid and a.entity = $4 and a.external_id = l.made_id
      )
      insert into ads_links (workspace_id, client_id, platform, entity, made_id, external_id, run_id)
      select $1, $2, $3, $4, made_id, external_id, $7 from new_link
      on conflict on constraint ads_links_key do update set external_id = excluded.external_id`,
    values: [
      scope.workspaceId,
      scope.clientId,
      scope.platform,
      dimension,
      links.map(({ madeId }) => madeId),
      links.map(({ externalId }) => externalId),
      scope.uploadId,
    ],
  });
}

/**
 * What is stored under a made id goes to the id it stands for: the thing itself, what lies below it, its numbers. Where both have a number of
 * the same day, the later report stays and the other goes into its history. Returns the days that were touched. No index leads from a
 * name to its numbers; this happens once per name.
 */
export async function rekeyStored(
  db: Queryable,
  dimension: Dimension,
  scope: PromotionScope,
  link: Link,
): Promise<string[]> {
  const { table, column, children, internal } = places[dimension];
  const of = 'workspace_id = $1 and platform = $3 and client_id is not distinct from $2::uuid';
  const named = [scope.workspaceId, scope.clientId, scope.platform, link.madeId, link.externalId];
  const keyColumns = ['campaign_external_id', 'ad_set_external_id', 'ad_external_id'].filter((each) => each !== column);
  const sameKey = ['part', 'period_end', ...keyColumns]
    .map((each) => `n.${each} is not distinct from m.${each}`)
    .join(' and ');
  const { rows } = await db.query<{ metric_date: string }>({
    name: `ads-list-days-of-${dimension}`,
    text: `select distinct metric_date from daily_metric_rows where ${of} and ${column} = $4 and $5::text is not null`,
    values: named,
  });
  await db.query({
    name: `ads-drop-twins-${dimension}`,
    text: `
      with twin as materialized (
        select m.id as made, n.id as told, m.metric_date, m.reported_at > n.reported_at as made_is_later
        from daily_metric_rows m
        join daily_metric_rows n on n.workspace_id = m.workspace_id and n.platform = m.platform and n.metric_date = m.metric_date
          and n.client_id is not distinct from m.client_id and n.${column} = $5 and ${sameKey}
        where m.workspace_id = $1 and m.platform = $3 and m.client_id is not distinct from $2::uuid and m.${column} = $4
      ),
      kept as (
        insert into daily_metrics_history (workspace_id, metric_id, metric_date, currency, account_time_zone, spend, impressions, clicks, link_clicks,
          reach, conversions, conversion_value, video_views, run_id, line, byte_offset, reported_at, recorded_at)
        select r.workspace_id, case when t.made_is_later then t.made else t.told end, r.metric_date, r.currency, r.account_time_zone, r.spend,
               r.impressions, r.clicks, r.link_clicks, r.reach, r.conversions, r.conversion_value, r.video_views, r.run_id, r.line,
               r.byte_offset, r.reported_at, r.updated_at
        from twin t
        join daily_metric_rows r on r.workspace_id = $1 and r.metric_date = t.metric_date
          and r.id = case when t.made_is_later then t.told else t.made end
      )
      delete from daily_metric_rows r
      using twin t
      where r.workspace_id = $1 and r.metric_date = t.metric_date and r.id = case when t.made_is_later then t.told else t.made end`,
    values: named,
  });
  await db.query({
    name: `ads-rekey-numbers-${dimension}`,
    text: `
      update daily_metric_rows m
      set ${column} = $5,
          ${internal} = coalesce((select t.id from ${table} t where t.workspace_id = $1 and t.platform = $3
                                    and t.client_id is not distinct from $2::uuid and t.external_id = $5), m.${internal})
      where ${of} and ${column} = $4`,
    values: named,
  });
  for (const child of children)
    await db.query({
      name: `ads-rekey-${child}-of-${dimension}`,
      text: `update ${child} set ${column} = $5 where ${of} and ${column} = $4`,
      values: named,
    });
  await db.query({
    name: `ads-drop-made-${dimension}`,
    text: `
      delete from ${table} where ${of} and external_id = $4
        and exists (select from ${table} t where t.workspace_id = $1 and t.platform = $3 and t.client_id is not distinct from $2::uuid and t.external_id = $5)`,
    values: named,
  });
  await db.query({
    name: `ads-rename-made-${dimension}`,
    text: `update ${table} set external_id = $5, id_derived = false where ${of} and external_id = $4`,
    values: named,
  });
  return rows.map(({ metric_date }) => metric_date);
}

/** Links of a client's campaigns, ad sets and ads, for reading a file that had no ids. */
export async function listLinks(
  db: Queryable,
  scope: Pick<PromotionScope, 'workspaceId' | 'clientId' | 'platform'>,
): Promise<{ entity: Dimension; made_id: string; external_id: string }[]> {
  const { rows } = await db.query<{ entity: Dimension; made_id: string; external_id: string }>({
    name: 'ads-list-links',
    text: `select entity, made_id, external_id from ads_links where workspace_id = $1 and platform = $3 and client_id is not distinct from $2::uuid`,
    values: [scope.workspaceId, scope.clientId, scope.platform],
  });
  return rows;
}
