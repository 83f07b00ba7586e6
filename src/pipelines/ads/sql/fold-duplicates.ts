import type { Queryable } from '../../../platform/database.ts';

export interface FoldedRow {
  readonly verdict: 'superseded' | 'merged' | 'duplicate';
  readonly rows: number;
  readonly spend: string;
  readonly impressions: string;
  readonly clicks: string;
}

/**
 * Lines of one upload that share a key, over the whole upload. A line equal to an earlier one is superseded. Otherwise, when the file has
 * a segment column and the currency is the same, it is merged: its numbers are added to the first line's. Otherwise it is refused.
 */
export async function foldDuplicates(db: Queryable, uploadId: string, isSegmented: boolean): Promise<FoldedRow[]> {
  const { rows } = await db.query<FoldedRow>({
    name: 'ads-fold-duplicates',
    text: `
      with repeated as materialized (
        select natural_key_hash
        from staging_rows
        where upload_id = $1 and entity_type = 'daily_metric' and validation_status = 'valid'
        group by natural_key_hash
        having count(*) > 1
      ),
      lines as (
        select s.row_index, s.line, s.currency, s.spend, s.impressions, s.clicks, s.link_clicks, s.conversions, s.conversion_value, s.video_views,
               row_number() over key as nth,
               row_number() over (
                 partition by s.natural_key_hash, s.currency, s.raw_data, s.spend, s.impressions, s.clicks, s.link_clicks, s.reach,
                              s.conversions, s.conversion_value, s.video_views
                 order by s.row_index) as copy,
               first_value(s.row_index) over key as first_index,
               first_value(s.line) over key as first_line,
               first_value(s.currency) over key as first_currency
        from staging_rows s
        join repeated r on r.natural_key_hash = s.natural_key_hash
        where s.upload_id = $1 and s.entity_type = 'daily_metric' and s.validation_status = 'valid'
        window key as (partition by s.natural_key_hash order by s.row_index)
      ),
      judged as materialized (
        select *,
               case when nth = 1 then 'first'
                    when copy > 1 then 'superseded'
                    when $2::boolean and currency is not distinct from first_currency then 'merged'
                    else 'duplicate' end as verdict
        from lines
      ),
      followers as (
        update staging_rows s
        set folded = nullif(j.verdict, 'duplicate'),
            validation_status = case when j.verdict = 'duplicate' then 'invalid'::ads_validation else s.validation_status end,
            validation_errors = case when j.verdict = 'duplicate'
              then jsonb_build_array(jsonb_build_object('code', 'duplicate_key', 'first_line', j.first_line)) end
        from judged j
        where j.verdict <> 'first' and s.upload_id = $1 and s.row_index = j.row_index and s.entity_type = 'daily_metric'
      ),
      leaders as (
        update staging_rows s
        set merged = m.sums
        from (
          select first_index, jsonb_build_object(
                   'rows', count(*), 'spend', sum(spend), 'impressions', sum(impressions), 'clicks', sum(clicks),
                   'link_clicks', sum(link_clicks), 'conversions', sum(conversions), 'conversion_value', sum(conversion_value),
                   'video_views', sum(video_views)) as sums
          from judged
          where verdict = 'merged'
          group by first_index
        ) m
        where s.upload_id = $1 and s.row_index = m.first_index and s.entity_type = 'daily_metric'
      )
      select verdict, count(*)::int as rows, coalesce(sum(spend), 0)::text as spend,
             coalesce(sum(impressions), 0)::text as impressions, coalesce(sum(clicks), 0)::text as clicks
      from judged
      where verdict <> 'first'
      group by verdict`,
    values: [uploadId, isSegmented],
  });
  return rows;
}

export interface DuplicateRow {
  readonly row_index: number;
  readonly line: number;
  readonly byte_offset: number;
  readonly first_line: number;
}

/** Refused duplicates behind a row, in file order. */
export async function selectDuplicates(db: Queryable, uploadId: string, afterIndex: number): Promise<DuplicateRow[]> {
  const { rows } = await db.query<DuplicateRow>({
    name: 'ads-select-duplicates',
    text: `
      select row_index, line, byte_offset, (validation_errors -> 0 ->> 'first_line')::int as first_line
      from staging_rows
      where upload_id = $1 and row_index > $2 and entity_type = 'daily_metric' and validation_status = 'invalid'
        and validation_errors -> 0 ->> 'code' = 'duplicate_key'
      order by row_index`,
    values: [uploadId, afterIndex],
  });
  return rows;
}
