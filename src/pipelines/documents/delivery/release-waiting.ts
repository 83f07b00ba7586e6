// INGEST_MODE=ledger after another mode: runs that wait for a delivery are claimed at once instead of when it is overdue, and the outbox keeps no
// events for a consumer that is gone. A process that still has the old mode for a while is seen at the next look.
import type { Engine } from '../../../engine/engine.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import type { Log } from '../../../platform/log.ts';
import { clearDeliveries } from '../sql/deliveries.ts';
import { asDelivery, DELIVERY_CONSUMER } from './delegator.ts';

const EVERY_MS = 3_600_000;

export function createWaitingReleaser(engine: Engine, log: Log): Service {
  return createLoop({
    name: 'documents that waited for a delivery',
    everyMs: EVERY_MS,
    election: engine.election,
    log,
    tick: async () => {
      await engine.forgetConsumer(DELIVERY_CONSUMER);
      await asDelivery({ engine }, clearDeliveries);
      const released = await engine.releaseUndelivered('documents');
      if (released > 0)
        log.info({ pipeline: 'documents', count: released }, 'document runs do not wait for a delivery any more');
      return undefined;
    },
  });
}
