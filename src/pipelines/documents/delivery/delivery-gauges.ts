// How deliveries stand, for /metrics of the process that delegates.
import { gauge } from '../../../http/gauge.ts';
import type { DeliverySigns } from '../sql/deliveries.ts';

const EVERY_MS = 10_000;

export function deliveryGauges() {
  const waiting = gauge(
    'millrace_document_deliveries',
    'Document runs that no ingest worker or queue has accepted yet.',
  );
  const oldest = gauge('millrace_document_delivery_oldest_seconds', 'Age of the oldest of those.');
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async refresh(read: () => Promise<DeliverySigns>): Promise<void> {
      if (performance.now() - readAt < EVERY_MS) return;
      readAt = performance.now();
      const signs = await read();
      waiting.set(signs.waiting);
      oldest.set(signs.oldest_seconds);
    },
  };
}
