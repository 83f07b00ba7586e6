import type { Queryable } from '../../../platform/database.ts';

export interface StagedRow {
  readonly line: number;
  readonly byte_offset: number;
  readonly spend: string | null;
  readonly impressions: string | null;
  readonly clicks: string | null;
  /** Lines whose numbers were added to it. */
  readonly merged_rows: number;
  /** Of those lines. As text: a sum can have more digits than a float. */
  readonly merged_spend: string;
  readonly merged_impressions: string;
  readonly merged_clicks: string;
}

/** One valid daily row, as it was staged; undefined when the row has another kind, is refused or folded. */
export async function selectStagedRow(
  db: Queryable,
  uploadId: string,
  rowIndex: number,
): Promise<StagedRow | undefined> {
  const { rows } = await db.query<StagedRow>({
    name: 'ads-select-staged-row',
    text: `
      select s.line, s.byte_offset, s.spend::text as spend, s.impressions::text as impressions, s.clicks::text as clicks,
             coalesce((s.merged ->> 'rows')::int, 0) as merged_rows, coalesce(s.merged ->> 'spend', '0') as merged_spend,
             coalesce(s.merged ->> 'impressions', '0') as merged_impressions, coalesce(s.merged ->> 'clicks', '0') as merged_clicks
      from staging_rows s
      where s.upload_id = $1 and s.row_index = $2 and s.entity_type = 'daily_metric' and s.validation_status = 'valid' and s.folded is null`,
    values: [uploadId, rowIndex],
  });
  return rows[0];
}

export interface RowPlace {
  readonly line: number;
  readonly byte_offset: number;
}

/** The lines whose numbers were added to a staged row, in file order. */
export async function selectMergedLines(db: Queryable, uploadId: string, rowIndex: number): Promise<RowPlace[]> {
  const { rows } = await db.query<RowPlace>({
    name: 'ads-select-merged-lines',
    text: `
      select f.line, f.byte_offset
      from staging_rows l
      join staging_rows f on f.upload_id = $1 and f.natural_key_hash = l.natural_key_hash
        and f.entity_type = 'daily_metric' and f.folded = 'merged'
      where l.upload_id = $1 and l.row_index = $2 and l.entity_type = 'daily_metric'
      order by f.row_index`,
    values: [uploadId, rowIndex],
  });
  return rows;
}
