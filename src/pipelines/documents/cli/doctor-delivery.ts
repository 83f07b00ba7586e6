// The doctor's question about transports: can document runs reach their workers?
import type { Finding } from '../../../cli/doctor/finding.ts';
import { readSettings } from '../../../platform/config.ts';
import { type DeliverySettings, workerUrlOf } from '../delivery/delivery-shape.ts';
import { openTransport } from '../delivery/open-transport.ts';
import { SqsQueue } from '../delivery/sqs-queue.ts';
import { documentSettings } from '../settings.ts';

const check = 'delivery';

export async function checkDelivery(
  settings: DeliverySettings = readSettings({ environment: process.env }, documentSettings),
  hasDatabaseUrl = (process.env.DATABASE_URL ?? '') !== '',
): Promise<Finding> {
  const needsWorker = settings.ingestMode !== 'ledger' || settings.documentsWorkedBy === 'ingest-worker';
  if (needsWorker && !hasDatabaseUrl)
    return {
      check,
      state: 'fail',
      detail: 'documents wait for an ingest worker, and none can reach the Postgres that "millrace start" runs itself',
      fix: 'Set DATABASE_URL to a Postgres that both can reach, or leave INGEST_MODE and DOCUMENTS_WORKED_BY as they are by default.',
    };
  const transport = openTransport(settings);
  if (transport === undefined) return { check, state: 'ok', detail: 'workers claim documents from the ledger' };
  const where = settings.ingestMode === 'http' ? workerUrlOf(settings) : 'SQS_QUEUE_URL';
  try {
    await transport.check();
  } catch (error) {
    const { name, code, cause } = error as Error & { code?: string; cause?: { code?: string } };
    return {
      check,
      state: 'fail',
      detail: `${where} does not answer (${cause?.code ?? code ?? name}); document runs are not delivered`,
      fix:
        settings.ingestMode === 'http'
          ? 'Start "millrace ingest-worker" there, or correct INGEST_WORKER_URL.'
          : 'Correct SQS_QUEUE_URL, SQS_REGION and the keys, or create the queue.',
    };
  } finally {
    transport.close();
  }
  if (settings.ingestMode === 'http') return { check, state: 'ok', detail: `an ingest worker answers at ${where}` };
  return checkRedrive(settings);
}

async function checkRedrive(settings: DeliverySettings): Promise<Finding> {
  const queue = new SqsQueue(settings.sqsQueueUrl ?? '', settings);
  try {
    const { RedrivePolicy: policy } = await queue.attributes();
    if (policy !== undefined && settings.sqsDlqUrl !== undefined)
      return { check, state: 'ok', detail: 'the queue answers and has a dead-letter queue that is read' };
    return {
      check,
      state: 'warn',
      detail: `the queue answers; ${policy === undefined ? 'it has no dead-letter queue' : 'SQS_DLQ_URL is not set'}, so messages that fail for good end no run`,
      fix: 'Create a dead-letter queue and set SQS_DLQ_URL; a worker then gives the queue its redrive policy.',
    };
  } finally {
    queue.close();
  }
}
