// Events in the order of the outbox, of one run or of the whole tenant, after a position.
import type { Queryable } from '../../platform/database.ts';

export interface EventRow {
  readonly position: number;
  readonly event_id: number;
  readonly run_id: string | null;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

export async function readRunEvents(
  db: Queryable,
  request: { tenantId: string; runId: string; after: string; types: readonly string[] | null; limit: number },
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: 'http-read-run-events',
    text: `
      select e.position, e.event_id, e.run_id, e.type, e.data, e.created_at
      from engine.all_events e
      where e.run_id = $2 and e.tenant_id = $1 and e.position > $3 and ($4::text[] is null or e.type = any ($4))
      order by e.position
      limit $5`,
    values: [request.tenantId, request.runId, request.after, request.types, request.limit],
  });
  return rows;
}

/** What a reader of the live feed missed: the tenant's events after a position, up to one that is fed live from there on. */
export async function readTenantEvents(
  db: Queryable,
  request: { tenantId: string; after: number; upTo: number; limit: number },
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>({
    name: 'http-read-tenant-events',
    text: `
      select p.position, e.event_id, e.run_id, e.type, e.data, e.created_at
      from engine.event_positions p
      join engine.events e on e.event_id = p.event_id
      where p.position > $2 and p.position <= $3 and e.tenant_id = $1
      order by p.position
      limit $4`,
    values: [request.tenantId, request.after, request.upTo, request.limit],
  });
  return rows;
}

export async function readLastPosition(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ position: number }>({
    name: 'http-read-last-position',
    text: 'select coalesce(max(position), 0) as position from engine.event_positions',
  });
  return rows[0]?.position ?? 0;
}
