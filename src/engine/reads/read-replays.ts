// Which runs took refused rows of a run again, and what became of them there.
import type { Queryable } from '../../platform/database.ts';

export interface ReplayRow {
  readonly run_id: string;
  readonly status: string;
  readonly phase: 'waiting' | 'active' | 'done' | 'failed' | 'dead';
  readonly rows: number;
  readonly refused: number;
}

/** Oldest first. Only what is still kept of the refused rows counts. */
export async function readReplays(db: Queryable, tenantId: string, runId: string, limit: number): Promise<ReplayRow[]> {
  const { rows } = await db.query<ReplayRow>({
    name: 'reads-replays',
    text: `
      select j.run_id, r.status, r.phase, j.rows, coalesce((r.receipt -> 'outcomes' ->> 'rejected')::int, 0) as refused
      from (
        select replayed_as as run_id, count(*)::int as rows
        from (select tenant_id, replayed_as from engine.rejects where run_id = $2 offset 0) of_run
        where tenant_id = $1 and replayed_as is not null
        group by replayed_as
        order by replayed_as
        limit $3
      ) j
      cross join lateral (select * from engine.all_runs x where x.id = j.run_id limit 1) r
      where r.tenant_id = $1
      order by j.run_id`,
    values: [tenantId, runId, limit],
  });
  return rows;
}
