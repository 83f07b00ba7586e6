// Staging that a pipeline keeps row by row, (run, row_index): which runs have some, and its deletion in slices. The table is named by the
// pipeline's code, never by anybody who calls it.
import type { Queryable } from '../../platform/database.ts';

const identifier = /^(?:[a-z_]+\.)?[a-z_]+$/;

export interface StagedRows {
  /** Runs with rows older than this, oldest first. */
  list(db: Queryable, days: number, limit: number): Promise<string[]>;
  /** Deletes at most `limit` rows of a run, from its start; how many there were. */
  remove(db: Queryable, runId: string, limit: number): Promise<number>;
}

/** `table` has `created_at` and a key that begins with the run's column and `row_index`. */
export function stagedRows(table: string, runColumn: string): StagedRows {
  for (const name of [table, runColumn]) if (!identifier.test(name)) throw new Error(`"${name}" names no table`);
  return {
    // Ids of runs are made in order of time, so a loose walk along the key finds each in one step.
    async list(db, days, limit) {
      const { rows } = await db.query<{ run_id: string }>({
        name: `staging-list-${table}`,
        text: `
          with recursive staged as (
            (select ${runColumn} as run_id, created_at, 1 as nth from ${table} order by ${runColumn} limit 1)
            union all
            select n.run_id, n.created_at, s.nth + 1
            from staged s
            cross join lateral (
              select r.${runColumn} as run_id, r.created_at from ${table} r
              where r.${runColumn} > s.run_id order by r.${runColumn} limit 1
            ) n
            where s.nth < $2
          )
          select run_id from staged where created_at < engine.now() - make_interval(days => $1)`,
        values: [days, limit],
      });
      return rows.map(({ run_id: runId }) => runId);
    },
    async remove(db, runId, limit) {
      const { rowCount } = await db.query({
        name: `staging-delete-${table}`,
        text: `
          delete from ${table}
          where ${runColumn} = $1
            and row_index <= coalesce(
              (select row_index from ${table} where ${runColumn} = $1 order by row_index offset $2::int - 1 limit 1), 2147483647)`,
        values: [runId, limit],
      });
      return rowCount ?? 0;
    },
  };
}
