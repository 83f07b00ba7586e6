// Token buckets in one row each: shared by all processes, refilled by the engine's clock.
import type { Queryable } from '../../platform/database.ts';

export interface BucketRequest {
  readonly key: string;
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly tokens: number;
}

export interface BucketAnswer {
  readonly granted: boolean;
  /** How long until enough tokens are there; 0 when granted. */
  readonly wait_ms: number;
}

/**
 * Takes tokens if they are there. The row lock serialises takers; a refused take still refills, so that the stored
 * state is never older than the last question.
 */
export async function takeTokens(db: Queryable, request: BucketRequest): Promise<BucketAnswer> {
  const { rows } = await db.query<BucketAnswer>({
    name: 'engine-take-tokens',
    text: `
      with asked as (
        insert into engine.rate_limits as b (key, tokens, capacity, refill_per_second, granted)
        values ($1, $2::float8 - $4::float8, $2, $3, true)
        on conflict (key) do update
        set (tokens, granted, capacity, refill_per_second, refilled_at) = (
          select case when level >= $4::float8 then level - $4::float8 else level end, level >= $4::float8, $2, $3, moment
          from (
            select least($2::float8, b.tokens + greatest(extract(epoch from moment - b.refilled_at), 0) * $3::float8) as level, moment
            from (select engine.now() as moment) clock
          ) refilled
        )
        returning tokens, granted
      )
      select granted, case when granted then 0 else ceil(($4::float8 - tokens) / $3::float8 * 1000) end::float8 as wait_ms
      from asked`,
    values: [request.key, request.capacity, request.refillPerSecond, request.tokens],
  });
  return rows[0] ?? { granted: false, wait_ms: 1000 };
}
