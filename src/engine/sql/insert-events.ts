// Adds events to the outbox inside the caller's transaction. An event that is there already stays as it is.
import type { Queryable } from '../../platform/database.ts';
import { noteEventsWritten } from '../events-written.ts';

export interface OutboxRow {
  readonly tenantId: string;
  readonly runId: string | null;
  readonly type: string;
  readonly key: string;
  readonly data: string;
}

export async function insertEvents(db: Queryable, events: readonly OutboxRow[]): Promise<void> {
  await db.query({
    name: 'engine-insert-events',
    text: `
      with told as (
        insert into engine.events (tenant_id, run_id, type, key, data)
        select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[])
        on conflict (run_id, type, key) where run_id is not null do nothing
        returning event_id
      )
      insert into engine.event_inbox (event_id) select event_id from told`,
    values: [
      events.map((event) => event.tenantId),
      events.map((event) => event.runId),
      events.map((event) => event.type),
      events.map((event) => event.key),
      events.map((event) => event.data),
    ],
  });
  noteEventsWritten();
}
