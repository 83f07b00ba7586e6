// Tenants that have something at stake when the engine does not move on. Runs as millrace_engine.
import type { Queryable } from '../../platform/database.ts';

interface TenantRow {
  readonly tenant_id: string;
}

/** At most this many tenants are told at once; the operator's sinks hear of the first as well as of the last. */
const MOST = 1_000;

/** With active runs. */
export async function readTenantsAtWork(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<TenantRow>({
    name: 'reads-tenants-at-work',
    text: `select distinct tenant_id from engine.leases limit ${MOST}`,
  });
  return rows.map(({ tenant_id: tenantId }) => tenantId);
}

/** With active or due runs: lanes of a tenant begin with its id, found by a loose walk along the key; of another lane its first run is asked. */
export async function readTenantsWithWork(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<TenantRow>({
    name: 'reads-tenants-with-work',
    text: `
      with recursive lanes as (
        (select pipeline, lane, run_id, 1 as nth from engine.ready order by pipeline, lane limit 1)
        union all
        select n.pipeline, n.lane, n.run_id, l.nth + 1
        from lanes l
        cross join lateral (
          select r.pipeline, r.lane, r.run_id from engine.ready r
          where (r.pipeline, r.lane) > (l.pipeline, l.lane)
          order by r.pipeline, r.lane limit 1
        ) n
        where l.nth < ${MOST}
      )
      select tenant_id from engine.leases
      union
      select r.tenant_id from lanes l cross join lateral (select tenant_id from engine.runs where id = l.run_id limit 1) r
      limit ${MOST}`,
  });
  return rows.map(({ tenant_id: tenantId }) => tenantId);
}
