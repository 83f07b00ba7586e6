// The transport that the settings ask for; none where the ledger is the transport.
import { type DeliverySettings, workerUrlOf } from './delivery-shape.ts';
import { createHttpTransport } from './http-transport.ts';
import { createQueueTransport, SqsQueue } from './sqs-queue.ts';
import type { Transport } from './transport.ts';

export function openTransport(settings: DeliverySettings): Transport | undefined {
  if (settings.ingestMode === 'ledger') return undefined;
  if (settings.ingestMode === 'http')
    return createHttpTransport({
      url: workerUrlOf(settings),
      token: settings.internalAuthToken ?? '',
      timeoutMs: settings.ingestWorkerTimeoutMs,
    });
  return createQueueTransport(new SqsQueue(settings.sqsQueueUrl ?? '', settings));
}
