import type { Queryable } from '../../../platform/database.ts';

export interface FoldedRow {
  readonly verdict: 'superseded' | 'merged' | 'duplicate';
  readonly rows: number;
  readonly spend: string;
  readonly impressions: string;
  readonly clicks: string;
}

/** Of the lines that are added to the first one of their key. */
const merged = (aggregate: string) =>
  `${aggregate} filter (where verdict = 'merged') over (partition by natural_key_hash)`;

/**
 * Lines of one upload that share a key, over the whole upload. A line equal to an earlier one is superseded. Otherwise, when the file has
 * a segment column and the currency is the same, it is merged: its numbers are added to the first line's. Otherwise it is refused.
 *
 * The upload has just been staged and statistics do not know it. So nothing is joined here: lines meet in windows, which only sort, and
 * an insert that always conflicts writes the verdicts back through the primary key. As joins this took 474 s for 20,000 lines.
 */
export async function foldDuplicates(db: Queryable, uploadId: string, isSegmented: boolean): Promise<FoldedRow[]> {
  const { rows } = await db.query<FoldedRow>({
    name: 'ads-fold-duplicates',
    text: `
      with keyed as (
        select *, count(*) over (partition by natural_key_hash) as copies
        from staging_rows
        where upload_id = $1 and entity_type = 'daily_metric' and validation_status = 'valid'
      ),
      lines as (
        select *,
               row_number() over key as nth,
               row_number() over (
                 partition by natural_key_hash, currency, raw_data, spend, impressions, clicks, link_clicks, reach,
                              conversions, conversion_value, video_views
                 order by row_index) as copy,
               first_value(line) over key as first_line,
               first_value(currency) over key as first_currency
        from keyed
        where copies > 1
        window key as (partition by natural_key_hash order by row_index)
      ),
      verdicts as (
        select *,
               case when nth = 1 then 'first'
                    when copy > 1 then 'superseded'
                    when $2::boolean and currency is not distinct from first_currency then 'merged'
                    else 'duplicate' end as verdict
        from lines
      ),
      judged as materialized (
        select *,
               case when verdict = 'first' and ${merged('count(*)')} > 0 then jsonb_build_object(
                 'rows', ${merged('count(*)')}, 'spend', ${merged('sum(spend)')}, 'impressions', ${merged('sum(impressions)')},
                 'clicks', ${merged('sum(clicks)')}, 'link_clicks', ${merged('sum(link_clicks)')},
                 'conversions', ${merged('sum(conversions)')}, 'conversion_value', ${merged('sum(conversion_value)')},
                 'video_views', ${merged('sum(video_views)')}) end as sums
        from verdicts
      ),
      written as (
        insert into staging_rows (upload_id, workspace_id, row_index, entity_type, natural_key_hash, line, byte_offset,
                                  folded, merged, validation_status, validation_errors)
        select upload_id, workspace_id, row_index, entity_type, natural_key_hash, line, byte_offset,
               case when verdict in ('superseded', 'merged') then verdict end, sums,
               case when verdict = 'duplicate' then 'invalid'::ads_validation else validation_status end,
               case when verdict = 'duplicate'
                 then jsonb_build_array(jsonb_build_object('code', 'duplicate_key', 'first_line', first_line)) end
        from judged
        where verdict <> 'first' or sums is not null
        on conflict (upload_id, row_index, entity_type) do update
        set folded = excluded.folded, merged = excluded.merged, validation_status = excluded.validation_status,
            validation_errors = excluded.validation_errors
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
