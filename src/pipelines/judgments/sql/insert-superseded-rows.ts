import type { Queryable } from '../../../platform/database.ts';
import type { StagingTarget } from './stage-rows.ts';

export interface SupersededRow {
  readonly rowIndex: number;
  readonly line: number;
  /** The staged row that says the same. */
  readonly firstIndex: number;
}

/** Lines that repeat an earlier one, kept so that they can be looked at. */
export async function insertSupersededRows(
  db: Queryable,
  { batchId, tenantId }: StagingTarget,
  rows: readonly SupersededRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await db.query({
    name: 'judgments-insert-superseded-rows',
    text: `
      insert into intake.superseded_rows (batch_id, tenant_id, row_index, line, first_index)
      select $1, $2, given.* from unnest($3::int[], $4::int[], $5::int[]) as given`,
    values: [
      batchId,
      tenantId,
      rows.map(({ rowIndex }) => rowIndex),
      rows.map(({ line }) => line),
      rows.map(({ firstIndex }) => firstIndex),
    ],
  });
}
