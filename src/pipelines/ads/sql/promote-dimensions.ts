// Campaigns, ad sets and ads from staging into production, one statement each, in key order. A key that was staged more than once
// (another name further down) counts once: the last name wins. What is older than the stored row, or says nothing new, is not written.
import type { Queryable } from '../../../platform/database.ts';

export interface PromotionScope {
  readonly uploadId: string;
  readonly workspaceId: string;
  readonly clientId: string | null;
  readonly platform: string;
  readonly reportedAt: string;
  /** What the report lists, when it is not whole; part of the key of its numbers. */
  readonly part: string | null;
  /** The run whose numbers this one takes over because its file is read again. */
  readonly rereadOf: string | null;
}

const keepsKnown = (table: string) => `
  on conflict (workspace_id, platform, external_id, client_id) do update
  set name = coalesce(excluded.name, ${table}.name),
      inferred = ${table}.inferred and excluded.inferred,
      run_id = excluded.run_id, line = excluded.line, reported_at = excluded.reported_at, updated_at = engine.now()`;

/** Nothing is written that is older or says nothing new; a parent that was not known yet is something new. */
const isNewer = (table: string, ...parents: readonly string[]) => `
  where ${table}.reported_at <= excluded.reported_at
    and ((excluded.name is not null and excluded.name is distinct from ${table}.name) or (${table}.inferred and not excluded.inferred)
      ${parents.map((parent) => `or (excluded.${parent} is not null and ${table}.${parent} is null)`).join(' ')})`;

/** A resumed attempt stages again what it no longer remembers; the line is that of the first row that said the same. */
const staged = (entity: string, column: string) => `
  select distinct on (${column}) *,
         min(line) over (partition by ${column}, raw_data ->> 'name', campaign_external_id, ad_set_external_id) as first_line
  from staging_rows
  where upload_id = $1 and metric_date is null and entity_type = '${entity}' and validation_status = 'valid'
  order by ${column}, (raw_data ->> 'name') is null, row_index desc`;

/** Of a parent that this upload names, by key: joined, a plan for any upload read all of this one's names for each. */
const resolved = (alias: string, entity: string, column: string) => `left join lateral (
      select internal_id from staging_id_resolution
      where upload_id = $1 and external_id = s.${column} and entity_type = '${entity}' limit 1
    ) ${alias} on true`;

const statements = {
  campaign: `
    insert into campaigns (workspace_id, client_id, platform, external_id, name, inferred, id_derived, run_id, line, reported_at)
    select $2, $3, $4, s.campaign_external_id, s.raw_data ->> 'name', (s.raw_data ->> 'inferred')::boolean,
           (s.raw_data ->> 'id_derived')::boolean, $1, s.first_line, $5::timestamptz
    from (${staged('campaign', 'campaign_external_id')}) s
    order by s.campaign_external_id
    ${keepsKnown('campaigns')}
    ${isNewer('campaigns')}
    returning id, external_id, xmax = 0 as first_seen`,
  ad_set: `
    insert into ad_sets (workspace_id, client_id, platform, external_id, name, inferred, id_derived, campaign_external_id, campaign_id,
                         run_id, line, reported_at)
    select $2, $3, $4, s.ad_set_external_id, s.raw_data ->> 'name', (s.raw_data ->> 'inferred')::boolean,
           (s.raw_data ->> 'id_derived')::boolean, s.campaign_external_id, c.internal_id, $1, s.first_line, $5::timestamptz
    from (${staged('ad_set', 'ad_set_external_id')}) s
    ${resolved('c', 'campaign', 'campaign_external_id')}
    order by s.ad_set_external_id
    ${keepsKnown('ad_sets')},
      campaign_external_id = coalesce(excluded.campaign_external_id, ad_sets.campaign_external_id),
      campaign_id = coalesce(excluded.campaign_id, ad_sets.campaign_id)
    ${isNewer('ad_sets', 'campaign_external_id')}
    returning id, external_id, xmax = 0 as first_seen`,
  ad: `
    insert into ads (workspace_id, client_id, platform, external_id, name, inferred, id_derived, campaign_external_id, ad_set_external_id,
                     campaign_id, ad_set_id, run_id, line, reported_at)
    select $2, $3, $4, s.ad_external_id, s.raw_data ->> 'name', (s.raw_data ->> 'inferred')::boolean,
           (s.raw_data ->> 'id_derived')::boolean, s.campaign_external_id, s.ad_set_external_id, c.internal_id, a.internal_id,
           $1, s.first_line, $5::timestamptz
    from (${staged('ad', 'ad_external_id')}) s
    ${resolved('c', 'campaign', 'campaign_external_id')}
    ${resolved('a', 'ad_set', 'ad_set_external_id')}
    order by s.ad_external_id
    ${keepsKnown('ads')},
      campaign_external_id = coalesce(excluded.campaign_external_id, ads.campaign_external_id),
      ad_set_external_id = coalesce(excluded.ad_set_external_id, ads.ad_set_external_id),
      campaign_id = coalesce(excluded.campaign_id, ads.campaign_id),
      ad_set_id = coalesce(excluded.ad_set_id, ads.ad_set_id)
    ${isNewer('ads', 'campaign_external_id', 'ad_set_external_id')}
    returning id, external_id, xmax = 0 as first_seen`,
} as const;

export type Dimension = keyof typeof statements;
export const dimensions = Object.keys(statements) as Dimension[];

/**
 * Upserts one dimension, remembers the internal id of what was written, and returns how many rows that were. A row that this statement
 * inserted has no earlier version (xmax = 0).
 */
export async function upsertDimension(db: Queryable, dimension: Dimension, scope: PromotionScope): Promise<number> {
  const { rows } = await db.query<{ written: number }>({
    name: `ads-upsert-${dimension}`,
    text: `
      with written as (${statements[dimension]}),
      resolved as (
        insert into staging_id_resolution (upload_id, workspace_id, entity_type, external_id, internal_id, first_seen)
        select $1, $2, '${dimension}', external_id, id, first_seen
        from written
        on conflict (upload_id, external_id, entity_type) do nothing
      )
      select count(*)::int as written from written`,
    values: [scope.uploadId, scope.workspaceId, scope.clientId, scope.platform, scope.reportedAt],
  });
  return rows[0]?.written ?? 0;
}

const resolutions: Readonly<Record<Dimension, { readonly table: string; readonly column: string }>> = {
  campaign: { table: 'campaigns', column: 'campaign_external_id' },
  ad_set: { table: 'ad_sets', column: 'ad_set_external_id' },
  ad: { table: 'ads', column: 'ad_external_id' },
};

/**
 * Remembers the internal id of everything else of that dimension the upload names. Each is looked up in the order that only the index of
 * names has: joined, a table without statistics was read once per name.
 */
export async function resolveDimension(db: Queryable, dimension: Dimension, scope: PromotionScope): Promise<void> {
  const { table, column } = resolutions[dimension];
  await db.query({
    name: `ads-resolve-${dimension}`,
    text: `
      insert into staging_id_resolution (upload_id, workspace_id, entity_type, external_id, internal_id)
      select $1, $2, '${dimension}', t.external_id, t.id
      from (
        select distinct ${column} as external_id
        from staging_rows
        where upload_id = $1 and metric_date is null and entity_type = '${dimension}' and validation_status = 'valid'
      ) n
      cross join lateral (
        select external_id, id from ${table}
        where workspace_id = $2 and platform = $4 and external_id between n.external_id and n.external_id
          and client_id is not distinct from $3::uuid
        order by external_id
        limit 1
      ) t
      on conflict (upload_id, external_id, entity_type) do nothing`,
    values: [scope.uploadId, scope.workspaceId, scope.clientId, scope.platform],
  });
}
