// Campaigns, ad sets and ads as lists, by platform and external id. The tenant is named beside row-level security: each layer holds alone.
import type { Queryable } from '../../../platform/database.ts';

export interface DimensionFilter {
  readonly clientId: string | null;
  readonly platform: string | null;
  /** External id of the campaign it belongs to, or is. */
  readonly campaign: string | null;
  readonly adSet: string | null;
  readonly runId: string | null;
  /** Part of the name, without case. */
  readonly search: string | null;
  /** Platform, external id and id of the last row of the page before. */
  readonly after: readonly [platform: string, externalId: string, id: string] | null;
}

export interface DimensionRow {
  readonly id: string;
  readonly client_id: string | null;
  readonly platform: string;
  readonly external_id: string;
  readonly name: string | null;
  readonly inferred: boolean;
  readonly run_id: string | null;
  readonly updated_at: Date;
  readonly campaign_external_id: string | null;
  readonly ad_set_external_id: string | null;
}

const shared = 'id, client_id, platform, external_id, name, inferred, run_id, updated_at';
const narrowed = `
  workspace_id = $1 and ($2::uuid is null or client_id = $2) and ($3::text is null or platform = $3)
  and ($4::uuid is null or run_id = $4) and ($5::text is null or strpos(lower(name), lower($5)) > 0)
  and ($6::text is null or (platform, external_id, id) > ($6, $7, $8::uuid))`;
const ordered = 'order by platform, external_id, id limit $11';

const statements = {
  campaigns: `
    select ${shared}, null as campaign_external_id, null as ad_set_external_id from campaigns
    where ${narrowed} and ($9::text is null or external_id = $9) and $10::text is null ${ordered}`,
  ad_sets: `
    select ${shared}, campaign_external_id, null as ad_set_external_id from ad_sets
    where ${narrowed} and ($9::text is null or campaign_external_id = $9) and ($10::text is null or external_id = $10) ${ordered}`,
  ads: `
    select ${shared}, campaign_external_id, ad_set_external_id from ads
    where ${narrowed} and ($9::text is null or campaign_external_id = $9) and ($10::text is null or ad_set_external_id = $10) ${ordered}`,
} as const;

export type Dimension = keyof typeof statements;

export async function listDimensions(
  db: Queryable,
  level: Dimension,
  workspaceId: string,
  filter: DimensionFilter,
  limit: number,
): Promise<DimensionRow[]> {
  const { clientId, platform, runId, search, after, campaign, adSet } = filter;
  const { rows } = await db.query<DimensionRow>({
    name: `ads-list-${level}`,
    text: statements[level],
    values: [
      workspaceId,
      clientId,
      platform,
      runId,
      search,
      after?.[0] ?? null,
      after?.[1] ?? null,
      after?.[2] ?? null,
      campaign,
      adSet,
      limit,
    ],
  });
  return rows;
}
