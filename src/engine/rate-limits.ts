// Rate limits shared by all processes. A stage that is refused throws `rate_limited` with the time to wait, which costs no retry.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { takeTokens } from './sql/rate-limits.ts';

export interface RateLimit {
  /** What is limited, e.g. "connector:42". */
  readonly key: string;
  /** Tokens the bucket holds at the most: the burst. */
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** 0 when the tokens were taken, else how long to wait before asking again. */
export async function tryTake(db: Queryable, limit: RateLimit, tokens = 1): Promise<number> {
  if (tokens > limit.capacity) throw new Error(`${tokens} tokens are more than the bucket holds: ${limit.capacity}`);
  const answer = await takeTokens(db, { ...limit, tokens });
  return answer.granted ? 0 : answer.wait_ms;
}

export async function takeOrThrow(db: Queryable, limit: RateLimit, tokens = 1): Promise<void> {
  const waitMs = await tryTake(db, limit, tokens);
  if (waitMs > 0) {
    throw new MillraceError(
      'rate_limited',
      { key: limit.key, seconds: Math.ceil(waitMs / 1000) },
      { retryAfterMs: waitMs },
    );
  }
}
