// Where the live feed reads: the engine's outbox for what is new, the tenant's own view of it for what a reader missed.
import { inTenant } from '../../access/tenant-session.ts';
import type { Engine } from '../../engine/engine.ts';
import { listOwners } from '../../engine/reads/private-runs.ts';
import { readTenantEvents } from '../../engine/reads/read-events.ts';
import { lastPosition, readFeed } from '../../engine/sql/event-feed.ts';
import type { Pool } from '../../platform/database.ts';
import type { FeedSource } from './feed.ts';

/** `isPrivate`: pipelines whose runs are private to the user who started them; their events come with that user. */
export function engineFeedSource(engine: Engine, pool: Pool, isPrivate: readonly string[] = []): FeedSource {
  const { control } = engine.pools;
  const owned = async <Row extends { readonly run_id: string | null }>(rows: readonly Row[]) => {
    const ids = isPrivate.length === 0 ? [] : [...new Set(rows.flatMap(({ run_id: id }) => id ?? []))];
    if (ids.length === 0) return rows;
    const owners = new Map((await listOwners(control, isPrivate, ids)).map(({ id, created_by: by }) => [id, by]));
    return rows.map((row) => {
      const owner = row.run_id === null ? undefined : owners.get(row.run_id);
      return owner === undefined ? row : { ...row, owner };
    });
  };
  return {
    read: async (after, limit) => owned(await readFeed(control, after, limit)),
    readMissed: async (tenantId, after, upTo, limit) =>
      owned(
        await inTenant(pool, tenantId, (db) => readTenantEvents(db, { tenantId, after, upTo, limit }), {
          readOnly: true,
        }),
      ),
    lastPosition: () => lastPosition(control),
    onEvents: (listener) => engine.onEvents(listener),
  };
}
