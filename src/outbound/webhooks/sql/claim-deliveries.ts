// Takes due deliveries under a lease, and takes back those whose process died. Two statements in one transaction: the first locks endpoints,
// so that the second, on its own snapshot, counts exactly the deliveries under way to each.
import type { Queryable } from '../../../platform/database.ts';

export interface ClaimedDelivery {
  readonly delivery_id: string;
  readonly tenant_id: string;
  readonly endpoint_id: string;
  readonly event_id: number;
  readonly event_type: string;
  readonly payload: string;
  /** Raised by every claim: it fences what is written about the try. */
  readonly attempts: number;
  readonly step: number;
  readonly url: string;
  readonly secret: Buffer;
  readonly former_secret: Buffer | null;
}

/** What a try gets from the row of its endpoint. */
const secrets = `e.url, e.secret, case when e.former_secret_until > engine.now() then e.former_secret end as former_secret`;

/**
 * Endpoints that have something due, in random order so that none is always last. The walk jumps from endpoint to endpoint over
 * the index: its cost grows with the endpoints that wait, not with what waits for them. Endpoints another process has are skipped.
 */
export async function lockDueEndpoints(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ endpoint_id: string }>({
    name: 'webhooks-lock-due-endpoints',
    text: `
      with recursive due as (
        (select endpoint_id, next_at from engine.deliveries where status = 'waiting' order by endpoint_id, next_at limit 1)
        union all
        select n.endpoint_id, n.next_at
        from due d
        cross join lateral (
          select endpoint_id, next_at from engine.deliveries
          where status = 'waiting' and endpoint_id > d.endpoint_id
          order by endpoint_id, next_at limit 1
        ) n
      )
      select e.endpoint_id
      from engine.webhook_endpoints e
      where e.endpoint_id in (select endpoint_id from due where next_at <= (select engine.now()))
        and e.disabled_at is null
        and (e.paused_until is null or e.paused_until <= engine.now())
      order by random()
      limit $1
      for no key update of e skip locked`,
    values: [limit],
  });
  return rows.map((row) => row.endpoint_id);
}

/** An endpoint that fails is tried one delivery at a time, so that it cannot keep many senders waiting for time-outs. */
export async function claimDeliveries(
  db: Queryable,
  given: { endpointIds: readonly string[]; perEndpoint: number; limit: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: 'webhooks-claim-deliveries',
    text: `
      with picked as (
        select d.delivery_id, e.url, e.secret, e.former_secret
        from (
          select e.endpoint_id, ${secrets},
                 case when e.failure_streak > 0 then 1 else $2 end
                   - (select count(*) from engine.deliveries s where s.endpoint_id = e.endpoint_id and s.status = 'sending') as room
          from engine.webhook_endpoints e
          where e.endpoint_id = any ($1)
        ) e
        cross join lateral (
          select d.delivery_id from engine.deliveries d
          where d.endpoint_id = e.endpoint_id and d.status = 'waiting' and d.next_at <= (select engine.now())
          order by d.next_at, d.delivery_id
          limit greatest(e.room, 0)
          for update skip locked
        ) d
        limit $3
      )
      update engine.deliveries d
      set status = 'sending', attempts = d.attempts + 1, next_at = null, last_attempt_at = engine.now(),
          lease_until = engine.now() + $4 * interval '1 millisecond'
      from unnest(array(select delivery_id from picked), array(select url from picked), array(select secret from picked),
                  array(select former_secret from picked)) as p (delivery_id, url, secret, former_secret)
      where d.delivery_id = p.delivery_id
      returning d.delivery_id, d.tenant_id, d.endpoint_id, d.event_id, d.event_type, d.payload, d.attempts, d.step,
                p.url, p.secret, p.former_secret`,
    values: [given.endpointIds, given.perEndpoint, given.limit, given.leaseMs],
  });
  return rows;
}

/** What a test needs of its endpoint. */
export async function readTarget(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<Pick<ClaimedDelivery, 'url' | 'secret' | 'former_secret'> | undefined> {
  const { rows } = await db.query<Pick<ClaimedDelivery, 'url' | 'secret' | 'former_secret'>>({
    name: 'webhooks-read-target',
    text: `select ${secrets} from engine.webhook_endpoints e where e.tenant_id = $1 and e.endpoint_id = $2`,
    values: [tenantId, endpointId],
  });
  return rows[0];
}

/** Deliveries whose process fell silent are due again; the try is noted as interrupted. */
export async function takeBackLost(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'webhooks-take-back-lost',
    text: `
      with lost as (
        select delivery_id from engine.deliveries
        where status = 'sending' and lease_until < (select engine.now())
        limit $1
        for update skip locked
      ),
      back as (
        update engine.deliveries d
        set status = 'waiting', next_at = engine.now(), lease_until = null, error_code = 'webhook_interrupted', http_status = null
        where d.delivery_id = any (array(select delivery_id from lost))
        returning d.delivery_id, d.attempts, d.tenant_id, d.last_attempt_at
      )
      insert into engine.delivery_tries (delivery_id, attempt, tenant_id, started_at, error_code)
      select delivery_id, attempts, tenant_id, last_attempt_at, 'webhook_interrupted' from back
      on conflict do nothing`,
    values: [limit],
  });
  return rowCount ?? 0;
}
