// Records the result of an attempt. The caller has locked the endpoint.
import type { Queryable } from '../../../platform/database.ts';

export interface TryResult {
  readonly deliveryId: string;
  readonly tenantId: string;
  /** The fence: only the try that holds the delivery may write. */
  readonly attempt: number;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly step: number;
  /** Set when it waits. */
  readonly delayMs: number | null;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly excerpt: string | null;
  readonly ms: number;
}

/** False when the lease was lost: somebody else has the delivery by now. */
export async function recordTry(db: Queryable, result: TryResult): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-record-try',
    text: `
      with ended as (
        update engine.deliveries
        set status = $4, step = $5, lease_until = null, http_status = $7, error_code = $8,
            next_at = case when $4 = 'waiting' then engine.now() + $6 * interval '1 millisecond' end,
            delivered_at = case when $4 = 'delivered' then engine.now() else delivered_at end
        where delivery_id = $1 and status = 'sending' and attempts = $3
        returning delivery_id, last_attempt_at
      )
      insert into engine.delivery_tries (delivery_id, attempt, tenant_id, started_at, ms, http_status, error_code, response_excerpt)
      select delivery_id, $3, $2, last_attempt_at, $10, $7, $8, $9 from ended`,
    values: [
      result.deliveryId,
      result.tenantId,
      result.attempt,
      result.status,
      result.step,
      result.delayMs,
      result.httpStatus,
      result.errorCode,
      result.excerpt,
      result.ms,
    ],
  });
  return rowCount === 1;
}

/** Back as if it had not been taken, for a process that stops. */
export async function releaseDelivery(db: Queryable, deliveryId: string, attempt: number): Promise<void> {
  await db.query({
    name: 'webhooks-release-delivery',
    text: `
      update engine.deliveries set status = 'waiting', next_at = engine.now(), lease_until = null
      where delivery_id = $1 and status = 'sending' and attempts = $2`,
    values: [deliveryId, attempt],
  });
}

export async function noteSuccess(db: Queryable, endpointId: string): Promise<void> {
  await db.query({
    name: 'webhooks-note-success',
    text: `
      update engine.webhook_endpoints
      set failure_streak = 0, failing_since = null, paused_until = null, last_success_at = engine.now()
      where endpoint_id = $1`,
    values: [endpointId],
  });
}

export interface FailingEndpoint {
  readonly failure_streak: number;
  readonly failing_ms: number;
}

/** How long it has been failing by now. */
export async function noteFailure(
  db: Queryable,
  endpointId: string,
  errorCode: string,
  pauseMs: number,
): Promise<FailingEndpoint | undefined> {
  const { rows } = await db.query<FailingEndpoint>({
    name: 'webhooks-note-failure',
    text: `
      update engine.webhook_endpoints
      set failure_streak = failure_streak + 1, failing_since = coalesce(failing_since, engine.now()),
          last_failure_at = engine.now(), last_error_code = $2,
          paused_until = case when $3::float8 > 0
            then greatest(paused_until, engine.now() + $3::float8 * interval '1 millisecond') else paused_until end
      where endpoint_id = $1
      returning failure_streak, (extract(epoch from engine.now() - failing_since) * 1000)::float8 as failing_ms`,
    values: [endpointId, errorCode, pauseMs],
  });
  return rows[0];
}
