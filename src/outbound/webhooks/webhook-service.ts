// Webhooks for the rest of the product: the services to start, and the API operations that need the engine's role because they read a
// secret.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { consumeOnce } from '../../engine/consumer.ts';
import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import type { Pool } from '../../platform/database.ts';
import { withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { type DeliverDeps, deliver, type Tried } from './deliver.ts';
import { createDeliverer, IDLE_POLLS } from './deliverer.ts';
import { buildPayload, type EventFields } from './payload.ts';
import { makeSecret, type SealingBox, sealSecret } from './secrets.ts';
import { readTarget } from './sql/claim-deliveries.ts';
import { rotateSecret } from './sql/endpoints.ts';
import { insertTest, setTestPayload } from './sql/feed-deliveries.ts';
import { addDeliveries, consumerName } from './webhook-consumer.ts';
import type { WebhookSettings } from './webhook-settings.ts';

export interface WebhookService {
  readonly settings: WebhookSettings;
  readonly box: SealingBox;
  /** The new secret. */
  rotate(tenantId: string, endpointId: string, graceHours: number): Promise<string>;
  /** Sends a test now; one try. */
  test(tenantId: string, endpointId: string): Promise<Tried & { readonly deliveryId: string }>;
}

export function createWebhookService(deps: DeliverDeps): WebhookService {
  const { pool, box, settings } = deps;
  return {
    settings,
    box,
    async rotate(tenantId, endpointId, graceHours) {
      const secret = makeSecret();
      const sealed = sealSecret(box, endpointId, secret);
      if (!(await rotateSecret(pool, { tenantId, endpointId, secret: sealed, graceHours })))
        throw noEndpoint(endpointId);
      return secret;
    },
    async test(tenantId, endpointId) {
      const target = await readTarget(pool, tenantId, endpointId);
      const deliveryId = uuidv7();
      const leaseMs = settings.timeoutMs + settings.leaseMarginMs;
      const written = await withTransaction(pool, async (tx) => {
        const event = await insertTest(tx, { deliveryId, tenantId, endpointId, leaseMs });
        if (event === undefined) throw noEndpoint(endpointId);
        const told = {
          ...event,
          tenant_id: tenantId,
          run_id: null,
          type: 'webhook.test',
          data: { endpoint_id: endpointId },
        };
        const payload = buildPayload(told, undefined);
        await setTestPayload(tx, deliveryId, payload);
        return { payload, eventId: event.event_id };
      });
      if (target === undefined) throw noEndpoint(endpointId);
      const tried = await deliver(deps, {
        delivery_id: deliveryId,
        tenant_id: tenantId,
        endpoint_id: endpointId,
        event_id: written.eventId,
        event_type: 'webhook.test',
        payload: written.payload,
        attempts: 1,
        step: 0,
        ...target,
      });
      return { ...tried, deliveryId };
    },
  };
}

/** The consumer that turns events into deliveries and the deliverer that makes them. Safe in every process at once. */
export function createWebhookLoops(
  deps: DeliverDeps & {
    readonly log: Log;
    readonly election?: Elected;
    /** Called whenever new events may be there to read. */
    readonly onEvents: (listener: () => void) => () => void;
    /** Where the consumer reads. */
    readonly feedPool: Pool;
    /** What may be told of the pipelines' own events. */
    readonly eventFields?: EventFields;
  },
): Service {
  const deliverer = createDeliverer(deps);
  const options = { name: consumerName, pool: deps.feedPool, log: deps.log, everyMs: deps.settings.pollMs };
  const idleMs = deps.settings.pollMs * IDLE_POLLS;
  const consumer = createLoop({
    ...options,
    idleMs,
    election: deps.election,
    name: 'webhook consumer',
    async tick() {
      const applied = await consumeOnce({
        ...options,
        apply: (tx, events) => addDeliveries(tx, events, deps.eventFields),
      });
      if (applied === 0) return undefined;
      deliverer.wake();
      return 0;
    },
  });
  let unsubscribe = () => {};
  return {
    name: 'webhooks',
    start() {
      unsubscribe = deps.onEvents(() => consumer.wake());
      consumer.start();
      deliverer.start();
    },
    wake: () => deliverer.wake(),
    async stop() {
      unsubscribe();
      await consumer.stop();
      await deliverer.stop();
    },
  };
}

function noEndpoint(endpoint: string): MillraceError {
  return new MillraceError('webhook_not_found', { endpoint });
}
