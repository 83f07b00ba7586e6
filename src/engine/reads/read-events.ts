// Events in the order of the outbox, of one run or of the whole tenant, after a position.
import type { Queryable } from '../../platform/database.ts';

export interface RunEventRow {
  readonly position: number;
  readonly event_id: number;
  readonly run_id: string | null;
  readonly type: string;
  readonly key: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

export interface RunEventsAsked {
  readonly after?: string | number | undefined;
  /** Null, or left out: all types. */
  readonly types?: readonly string[] | null;
  /** Left out: all of them. */
  readonly limit?: number;
}

/** Events that have their position. */
export async function readRunEvents(
  db: Queryable,
  tenantId: string,
  runId: string,
  { after = 0, types = null, limit }: RunEventsAsked = {},
): Promise<RunEventRow[]> {
  const { rows } = await db.query<RunEventRow>({
    name: 'reads-run-events',
    text: `
      select e.position, e.event_id, e.run_id, e.type, e.key, e.data, e.created_at
      from (
        (select p.position, l.event_id, l.tenant_id, l.run_id, l.type, l.key, l.data, l.created_at
         from (select * from engine.events where run_id = $2 offset 0) l
         cross join lateral (select position from engine.event_positions where event_id = l.event_id limit 1) p)
        union all
        (select position, event_id, tenant_id, run_id, type, key, data, created_at from engine.past_events where run_id = $2 offset 0)
      ) e
      where e.tenant_id = $1 and e.position > $3 and ($4::text[] is null or e.type = any ($4))
      order by e.position
      limit $5`,
    values: [tenantId, runId, after, types, limit ?? null],
  });
  return rows;
}

/** What a reader of the live feed missed: the tenant's events after a position, up to one that is fed live from there on. */
export async function readTenantEvents(
  db: Queryable,
  request: { tenantId: string; after: number; upTo: number; limit: number },
): Promise<RunEventRow[]> {
  const { rows } = await db.query<RunEventRow>({
    name: 'reads-tenant-events',
    text: `
      select p.position, e.event_id, e.run_id, e.type, e.key, e.data, e.created_at
      from engine.event_positions p
      cross join lateral (select * from engine.events where event_id = p.event_id limit 1) e
      where p.position > $2 and p.position <= $3 and e.tenant_id = $1
      order by p.position
      limit $4`,
    values: [request.tenantId, request.after, request.upTo, request.limit],
  });
  return rows;
}
