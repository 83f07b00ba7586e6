// What a range of staged rows would come to, without writing. A file that was loaded before has nothing to write; keeping the judged rows for
// statements that find nothing to do would take twice as long, and so would resolving parents that are not needed.
//
// Rows that are unchanged are all rows of the range but the others: gathering a range per row would be an eighth of the time.
import type { Queryable } from '../../../platform/database.ts';
import {
  inRange,
  judgement,
  judgementValues,
  type LookUp,
  type PromotedRow,
  type Promotion,
  perLookUp,
  type RowRange,
  stagedValues,
} from './judge-metrics.ts';
import type { PromotionScope } from './promote-dimensions.ts';

const staged = `
  select ${stagedValues}, s.validation_status = 'valid' and s.folded is null as may_be_known
  from staging_rows s
  where ${inRange}`;

const texts = perLookUp(
  (lookUp) => `
  select outcome, count(*)::int as rows,
         coalesce(sum(own_spend), 0)::text as spend, coalesce(sum(own_impressions), 0)::text as impressions, coalesce(sum(own_clicks), 0)::text as clicks,
         coalesce(sum((merged ->> 'rows')::int), 0)::int as merged_rows,
         coalesce(sum((merged ->> 'spend')::numeric), 0)::text as merged_spend,
         coalesce(sum((merged ->> 'impressions')::numeric), 0)::text as merged_impressions,
         coalesce(sum((merged ->> 'clicks')::numeric), 0)::text as merged_clicks,
         coalesce(range_agg(int4range(row_index, row_index + 1)) filter (where outcome <> 'unchanged'), '{}')::text as ranges
  from (${judgement(lookUp, staged)}) judged
  group by outcome`,
);

interface SurveyedRow extends Omit<PromotedRow, 'outcome'> {
  readonly outcome: PromotedRow['outcome'] | 'skipped';
  /** Of all outcomes but unchanged. */
  readonly ranges: string;
}

/** Undefined when something of the range is to be written. */
export async function surveyMetrics(
  db: Queryable,
  scope: PromotionScope,
  range: RowRange,
  lookUp: LookUp,
): Promise<Promotion | undefined> {
  const { rows } = await db.query<SurveyedRow>({
    name: `ads-survey-metrics-${lookUp}`,
    text: texts[lookUp],
    values: judgementValues(scope, range),
  });
  const read = rows.reduce((sum, row) => sum + row.rows, 0);
  const toWrite = rows.some(({ outcome }) => outcome === 'inserted' || outcome === 'updated');
  if (toWrite || read !== range.to - range.from) return undefined;
  await noteOutcomes(db, scope, range, rows);
  const outcomes = rows.filter((row): row is SurveyedRow & PromotedRow => row.outcome !== 'skipped');
  return { outcomes, dates: [], isContended: false };
}

async function noteOutcomes(
  db: Queryable,
  scope: PromotionScope,
  range: RowRange,
  rows: readonly SurveyedRow[],
): Promise<void> {
  await db.query({
    name: 'ads-note-outcomes',
    text: `
      with found as (select outcome, ranges::int4multirange as rows from unnest($3::text[], $4::text[]) as f (outcome, ranges))
      insert into engine.row_outcomes (run_id, tenant_id, outcome, rows)
      select $1, $2, outcome,
             case when outcome = 'unchanged' then int4multirange(int4range($5, $6)) - (select range_agg(rows) from found) else rows end
      from found
      where outcome <> 'skipped'`,
    values: [
      scope.uploadId,
      scope.workspaceId,
      rows.map(({ outcome }) => outcome),
      rows.map(({ ranges }) => ranges),
      range.from,
      range.to,
    ],
  });
}
