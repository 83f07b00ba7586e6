// Housekeeping of the API: counters of sign-in attempts and answers of idempotent requests that nobody needs any more.
// Safe to run in every process at once.
import type { Pool } from '../platform/database.ts';
import { pruneLoginAttempts } from './sql/count-login-attempts.ts';
import { pruneIdempotencyKeys } from './sql/prune-idempotency-keys.ts';
import { asOperator } from './tenant-session.ts';

const DAY_SECONDS = 86_400;
const BATCH = 5_000;

/** In bounded transactions, until nothing is left. */
export async function pruneSpentRows(pool: Pool, batch = BATCH): Promise<void> {
  for (const prune of [pruneLoginAttempts, pruneIdempotencyKeys]) {
    let removed = batch;
    while (removed >= batch) removed = await asOperator(pool, (db) => prune(db, DAY_SECONDS, batch));
  }
}
