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
        from engine.rejects
        where tenant_id = $1 and run_id = $2 and replayed_as is not null
        group by replayed_as
        order by replayed_as
        limit $3
      ) j
      join engine.all_runs r on r.id = j.run_id and r.tenant_id = $1
      order by j.run_id`,
    values: [tenantId, runId, limit],
  });
  return rows;
}
