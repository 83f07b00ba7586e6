// Rows into staging. The arrays come in binary (platform/binary-array.ts). A first attempt inserts plainly: its checkpoint is in the same
// transaction, so no row can be there already, and looking for it costs 40 % (0.8 of 2.0 s of server time per 266,000 rows). An attempt
// that resumes ignores rows that are there.
import type { Queryable } from '../../../platform/database.ts';
import type { StagingFlush } from '../staging-buffer.ts';

export interface StagingTarget {
  readonly uploadId: string;
  readonly workspaceId: string;
  readonly isResumed: boolean;
}

const ignoringKnown = 'on conflict (upload_id, row_index, entity_type) do nothing';

const metricsText = `
  insert into staging_rows (
    upload_id, workspace_id, entity_type, validation_status, row_index, natural_key_hash, raw_data, line, byte_offset, metric_date,
    campaign_external_id, ad_set_external_id, ad_external_id, currency,
    spend, impressions, clicks, link_clicks, reach, conversions, conversion_value, video_views
  )
  select $1::uuid, $2::uuid, 'daily_metric'::ads_entity, 'valid'::ads_validation,
         x.row_index, x.hash, coalesce(x.rest::jsonb, '{}'), x.line, x.byte_offset, x.metric_date,
         x.campaign, x.ad_set, x.ad, x.currency,
         x.spend, x.impressions, x.clicks, x.link_clicks, x.reach, x.conversions, x.conversion_value, x.video_views
  from (
    select unnest($3::int4[]) as row_index, unnest($4::text[]) as hash, unnest($5::text[]) as rest, unnest($6::int4[]) as line,
           unnest($7::int8[]) as byte_offset, unnest($8::date[]) as metric_date, unnest($9::text[]) as campaign,
           unnest($10::text[]) as ad_set, unnest($11::text[]) as ad, unnest($12::text[]) as currency,
           unnest($13::numeric[]) as spend, unnest($14::int8[]) as impressions, unnest($15::int8[]) as clicks,
           unnest($16::int8[]) as link_clicks, unnest($17::int8[]) as reach, unnest($18::numeric[]) as conversions,
           unnest($19::numeric[]) as conversion_value, unnest($20::int8[]) as video_views
  ) x`;

const dimensionsText = `
  insert into staging_rows (
    upload_id, workspace_id, validation_status, row_index, entity_type, natural_key_hash, raw_data, line, byte_offset,
    campaign_external_id, ad_set_external_id, ad_external_id
  )
  select $1::uuid, $2::uuid, 'valid'::ads_validation, unnest($3::int4[]), unnest($4::text[])::ads_entity, unnest($5::text[]),
         unnest($6::text[])::jsonb, unnest($7::int4[]), unnest($8::int8[]),
         unnest($9::text[]), unnest($10::text[]), unnest($11::text[])`;

const invalidText = `
  insert into staging_rows (
    upload_id, workspace_id, entity_type, validation_status, row_index, natural_key_hash, raw_data, validation_errors, line, byte_offset
  )
  select $1::uuid, $2::uuid, 'daily_metric'::ads_entity, 'invalid'::ads_validation, unnest($3::int4[]), unnest($4::text[]),
         unnest($5::text[])::jsonb, unnest($6::text[])::jsonb, unnest($7::int4[]), unnest($8::int8[])`;

export async function insertStagingRows(db: Queryable, target: StagingTarget, flush: StagingFlush): Promise<void> {
  await insert(db, 'ads-stage-metrics', metricsText, target, flush.metrics);
  await insert(db, 'ads-stage-dimensions', dimensionsText, target, flush.dimensions);
  await insert(db, 'ads-stage-invalid', invalidText, target, flush.invalid);
}

async function insert(
  db: Queryable,
  name: string,
  text: string,
  { uploadId, workspaceId, isResumed }: StagingTarget,
  columns: readonly Buffer[] | null,
): Promise<void> {
  if (columns === null) return;
  const values = [uploadId, workspaceId, ...columns];
  await db.query(
    isResumed ? { name: `${name}-again`, text: `${text} ${ignoringKnown}`, values } : { name, text, values },
  );
}
