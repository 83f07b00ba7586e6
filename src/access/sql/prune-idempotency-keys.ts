// Stored answers live for a day.
import type { Queryable } from '../../platform/database.ts';

export async function pruneIdempotencyKeys(db: Queryable, olderThanSeconds: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'access-prune-idempotency-keys',
    text: `
      delete from public.idempotency_keys
      where created_at < engine.now() - make_interval(secs => $1) and locked_until < engine.now()`,
    values: [olderThanSeconds],
  });
  return rowCount ?? 0;
}
