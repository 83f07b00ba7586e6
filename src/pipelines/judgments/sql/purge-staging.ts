// Statements of the cleanup worker. It sees whose staging is old and may delete it, and reads nothing of its contents.
import type { Queryable } from '../../../platform/database.ts';

/** Batches with staging, oldest first: their ids are made in order of time, so a loose walk along the key finds each in one step. */
export async function listStagedBatches(db: Queryable, days: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ batch_id: string }>({
    name: 'judgments-list-staged-batches',
    text: `
      with recursive batches as (
        (select batch_id, created_at, 1 as nth from intake.simplicity_validated_rows order by batch_id limit 1)
        union all
        select n.batch_id, n.created_at, b.nth + 1
        from batches b
        cross join lateral (
          select s.batch_id, s.created_at from intake.simplicity_validated_rows s
          where s.batch_id > b.batch_id order by s.batch_id limit 1
        ) n
        where b.nth < $2
      )
      select batch_id from batches where created_at < engine.now() - make_interval(days => $1)`,
    values: [days, limit],
  });
  return rows.map(({ batch_id }) => batch_id);
}

/** Deletes at most `limit` staged rows of a batch, from its start; how many there were. */
export async function deleteStagedRows(db: Queryable, batchId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-delete-staged-rows',
    text: `
      delete from intake.simplicity_validated_rows
      where batch_id = $1
        and row_index <= coalesce(
          (select row_index from intake.simplicity_validated_rows where batch_id = $1 order by row_index offset $2::int - 1 limit 1),
          2147483647)`,
    values: [batchId, limit],
  });
  return rowCount ?? 0;
}

/** The same of the lines that repeated an earlier one. */
export async function deleteSupersededRows(db: Queryable, batchId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-delete-superseded-rows',
    text: `
      delete from intake.superseded_rows
      where batch_id = $1
        and row_index <= coalesce(
          (select row_index from intake.superseded_rows where batch_id = $1 order by row_index offset $2::int - 1 limit 1), 2147483647)`,
    values: [batchId, limit],
  });
  return rowCount ?? 0;
}
