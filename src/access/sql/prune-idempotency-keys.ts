// Stored answers live for a day.
import type { Queryable } from '../../platform/database.ts';

export async function pruneIdempotencyKeys(db: Queryable, olderThanSeconds: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'access-prune-idempotency-keys',
    text: `
      delete from public.idempotency_keys
      where ctid = any (array(
        select ctid from public.idempotency_keys
        where created_at < (select engine.now() - make_interval(secs => $1)) and locked_until < (select engine.now())
        order by created_at
        limit $2))`,
    values: [olderThanSeconds, limit],
  });
  return rowCount ?? 0;
}
