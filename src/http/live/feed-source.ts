// Where the live feed reads: the engine's outbox for what is new, the tenant's own view of it for what a reader missed.
import { inTenant } from '../../access/tenant-session.ts';
import type { Engine } from '../../engine/engine.ts';
import { readTenantEvents } from '../../engine/reads/read-events.ts';
import { lastPosition, readFeed } from '../../engine/sql/event-feed.ts';
import type { Pool } from '../../platform/database.ts';
import type { FeedSource } from './feed.ts';

export function engineFeedSource(engine: Engine, pool: Pool): FeedSource {
  const { control } = engine.pools;
  return {
    read: (after, limit) => readFeed(control, after, limit),
    readMissed: (tenantId, after, upTo, limit) =>
      inTenant(pool, tenantId, (db) => readTenantEvents(db, { tenantId, after, upTo, limit }), { readOnly: true }),
    lastPosition: () => lastPosition(control),
    onEvents: (listener) => engine.onEvents(listener),
  };
}
