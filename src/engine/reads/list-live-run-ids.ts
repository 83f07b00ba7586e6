// Ids of a tenant's waiting and active runs, newest first. The queue tables have no tenant column, so the engine's role reads them and returns ids
// only; the caller reads the runs themselves under the tenant's own policy.
import type { Queryable } from '../../platform/database.ts';

interface IdRow {
  readonly id: string;
}

/**
 * As millrace_engine. A lane named after a tenant is that tenant's; for any other lane the ledger is asked, run by run (`offset 0`): joined,
 * all runs of the tenant were read for the few that wait.
 */
export async function listQueuedRunIds(control: Queryable, tenantId: string, limit: number): Promise<string[]> {
  const { rows } = await control.query<IdRow>({
    name: 'reads-list-queued-run-ids',
    text: `
      select q.run_id as id
      from (
        select run_id, lane from engine.ready
        union all
        select run_id, lane from engine.scheduled
      ) q
      cross join lateral (select o.tenant_id from engine.runs o where o.id = q.run_id offset 0) r
      where (starts_with(q.lane, $1::text) or q.lane !~ '^[0-9a-f]{8}-[0-9a-f]{4}-') and r.tenant_id = $1::uuid
      order by q.run_id desc
      limit $2`,
    values: [tenantId, limit],
  });
  return rows.map((row) => row.id);
}

/** As millrace_app: runs under way, and waiting runs that somebody holds. */
export async function listLeasedAndHeldRunIds(db: Queryable, tenantId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<IdRow>({
    name: 'reads-list-leased-and-held-run-ids',
    text: `
      select run_id as id from engine.leases where tenant_id = $1
      union
      select id from engine.runs where tenant_id = $1 and held_at is not null
      order by id desc
      limit $2`,
    values: [tenantId, limit],
  });
  return rows.map((row) => row.id);
}
