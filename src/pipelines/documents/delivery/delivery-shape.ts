// Settings of how document runs reach their workers: the ledger itself, HTTP or a queue, under the names of the specification.
import type { z } from 'zod';
import { choice, integer, optionalText, optionalUrl, text } from '../../../platform/config/setting.ts';

export const deliveryShape = {
  ingestMode: choice('INGEST_MODE', ['ledger', 'http', 'queue'], {
    default: 'ledger',
    doc: 'How document runs reach their workers. ledger: workers claim them. http: POST to INGEST_WORKER_URL. queue: messages on SQS_QUEUE_URL.',
  }),
  documentsWorkedBy: choice('DOCUMENTS_WORKED_BY', ['any', 'ingest-worker'], {
    default: 'any',
    doc: 'ingest-worker: only "millrace ingest-worker" processes claim document runs, also with INGEST_MODE=ledger. http and queue imply it.',
  }),
  internalAuthToken: optionalText('INTERNAL_AUTH_TOKEN', {
    secret: true,
    doc: 'Shared by those that delegate and the ingest workers: sent and asked for as a bearer token. At least 32 characters.',
  }),
  ingestWorkerUrl: optionalUrl('INGEST_WORKER_URL', ['http', 'https'], {
    unset: 'http://ingest-worker:8002',
    doc: 'Where ingest workers answer; used with INGEST_MODE=http.',
  }),
  ingestWorkerTimeoutMs: integer('INGEST_WORKER_TIMEOUT_MS', {
    min: 100,
    max: 3_600_000,
    default: 300_000,
    unit: 'ms',
    doc: 'How long an ingest worker may take to accept a run. After it the run is looked at before it is failed.',
  }),
  ingestWorkerHost: text('INGEST_WORKER_HOST', {
    default: '127.0.0.1',
    doc: 'The address an ingest worker listens on. In a container: 0.0.0.0.',
  }),
  ingestWorkerPort: integer('INGEST_WORKER_PORT', {
    min: 0,
    max: 65_535,
    default: 8_002,
    unit: 'port',
    doc: 'The port an ingest worker listens on: /health, /metrics, /internal/process. 0 takes a free one.',
  }),
  ingestWorkerLogin: optionalText('INGEST_WORKER_LOGIN', {
    doc: 'A database login of its own for ingest workers: migrations let it become the engine and documents_worker, and nothing else.',
  }),
  workerMaxConcurrentJobs: integer('WORKER_MAX_CONCURRENT_JOBS', {
    min: 1,
    max: 100,
    default: 3,
    unit: 'runs',
    doc: 'How many documents an ingest worker works on at a time. Over HTTP it refuses more with 503; it asks the queue only with a free slot.',
  }),
  delegationFailure: choice('DELEGATION_FAILURE', ['fail', 'hold'], {
    default: 'fail',
    doc: 'What becomes of a run that could not be delegated. fail: it fails with the reason. hold: it stays queued and is tried again.',
  }),
  deliveryOverdueSeconds: integer('DELIVERY_OVERDUE_SECONDS', {
    min: 1,
    max: 604_800,
    default: 900,
    unit: 'seconds',
    doc: 'With INGEST_MODE http or queue: a run that was not delivered for this long may be claimed by any ingest worker.',
  }),
  sqsQueueUrl: optionalUrl('SQS_QUEUE_URL', ['http', 'https'], {
    doc: 'The queue of document runs; needed when INGEST_MODE is queue.',
  }),
  sqsRegion: text('SQS_REGION', { default: 'ap-southeast-2', doc: 'Region of the queue.' }),
  sqsDlqUrl: optionalUrl('SQS_DLQ_URL', ['http', 'https'], {
    doc: 'The dead-letter queue. A message that arrives there ends its run.',
  }),
  sqsMaxReceiveCount: integer('SQS_MAX_RECEIVE_COUNT', {
    min: 1,
    max: 1_000,
    default: 3,
    unit: 'receives',
    doc: 'A message that was received this often without being acknowledged goes to the dead-letter queue. Set on the queue where it has no such policy.',
  }),
  sqsVisibilitySeconds: integer('SQS_VISIBILITY_SECONDS', {
    min: 2,
    max: 43_200,
    default: 60,
    unit: 'seconds',
    doc: 'How long a received message is hidden from others; extended while its run is worked on.',
  }),
  sqsAccessKeyId: optionalText('SQS_ACCESS_KEY_ID', {
    unset: 'the identity of the server',
    doc: 'Key of an account that may use the queues, and only those.',
  }),
  sqsSecretAccessKey: optionalText('SQS_SECRET_ACCESS_KEY', { secret: true, doc: 'The secret of SQS_ACCESS_KEY_ID.' }),
} satisfies z.ZodRawShape;

export type DeliverySettings = z.infer<z.ZodObject<typeof deliveryShape>>;

const LEAST_TOKEN = 32;

export function deliveryFaults(values: DeliverySettings): string[] {
  const { ingestMode, internalAuthToken: token, sqsQueueUrl, sqsAccessKeyId, sqsSecretAccessKey } = values;
  return [
    ...(ingestMode === 'http' && token === undefined ? ['INGEST_MODE=http needs INTERNAL_AUTH_TOKEN'] : []),
    ...(token !== undefined && token.length < LEAST_TOKEN
      ? [`INTERNAL_AUTH_TOKEN must have at least ${LEAST_TOKEN} characters`]
      : []),
    ...(ingestMode === 'queue' && sqsQueueUrl === undefined ? ['INGEST_MODE=queue needs SQS_QUEUE_URL'] : []),
    ...((sqsAccessKeyId === undefined) !== (sqsSecretAccessKey === undefined)
      ? ['SQS_ACCESS_KEY_ID and SQS_SECRET_ACCESS_KEY go together']
      : []),
  ];
}

export const workerUrlOf = ({ ingestWorkerUrl }: DeliverySettings): string =>
  ingestWorkerUrl ?? 'http://ingest-worker:8002';
