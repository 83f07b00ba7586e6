// Housekeeping of the front door: counters of sign-in attempts and answers of idempotent requests that nobody needs any more.
// Safe to run in every process at once.
import type { Pool } from '../platform/database.ts';
import { pruneLoginAttempts } from './sql/count-login-attempts.ts';
import { pruneIdempotencyKeys } from './sql/prune-idempotency-keys.ts';
import { asOperator } from './tenant-session.ts';

const DAY_SECONDS = 86_400;

export function pruneSpentRows(pool: Pool): Promise<void> {
  return asOperator(pool, async (db) => {
    await pruneLoginAttempts(db, DAY_SECONDS);
    await pruneIdempotencyKeys(db, DAY_SECONDS);
  });
}
