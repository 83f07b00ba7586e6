import type { Queryable } from '../../../platform/database.ts';
import type { Bucket } from '../parse-counts.ts';

/** The valid lines of an upload as they are staged, those folded into others included: what the gate holds back. */
export async function sumValidRows(db: Queryable, uploadId: string): Promise<Bucket> {
  const { rows } = await db.query<{ rows: number; spend: string; impressions: string; clicks: string }>({
    name: 'ads-sum-valid-rows',
    text: `
      select count(*)::int as rows, coalesce(sum(spend), 0)::text as spend, coalesce(sum(impressions), 0)::text as impressions,
             coalesce(sum(clicks), 0)::text as clicks
      from staging_rows
      where upload_id = $1 and entity_type = 'daily_metric' and validation_status = 'valid'`,
    values: [uploadId],
  });
  const { rows: count = 0, spend = '0', impressions = '0', clicks = '0' } = rows[0] ?? {};
  return { rows: count, sums: { spend, impressions, clicks } };
}
