// What the settings make of delivery: the delegator and the reader of dead messages beside the services, and what an ingest worker serves and hears.
import type { Engine } from '../../../engine/engine.ts';
import type { Service } from '../../../engine/services/loop.ts';
import type { Log } from '../../../platform/log.ts';
import type { KitProcess, ProcessParts } from '../../kit.ts';
import { createArtifactSweeper } from '../artifact-sweeper.ts';
import type { DocumentsDeps } from '../deps.ts';
import { createDeadMessageReader } from './dead-messages.ts';
import { createDelegator, type Delegator } from './delegator.ts';
import type { DeliverySettings } from './delivery-shape.ts';
import type { PayloadDeps } from './job-payload.ts';
import { openTransport } from './open-transport.ts';
import { answerProcess } from './process-endpoint.ts';
import { createQueueListener } from './queue-listener.ts';
import { createWaitingReleaser } from './release-waiting.ts';
import { SqsQueue } from './sqs-queue.ts';

export interface DeliveryHost {
  readonly engine: Engine;
  readonly settings: DeliverySettings;
  readonly own: DocumentsDeps;
  readonly log: Log;
}

const payloadDeps = ({ engine, own }: DeliveryHost): PayloadDeps => ({
  engine,
  store: own.store,
  embedders: own,
});

/** One for its consumer and its loop; none where the ledger is the transport. */
const delegators = new WeakMap<Engine, Delegator>();

export function delegatorOf(host: DeliveryHost): Delegator | undefined {
  const known = delegators.get(host.engine);
  if (known !== undefined) return known;
  const transport = openTransport(host.settings);
  if (transport === undefined) return undefined;
  const onFailure = host.settings.delegationFailure;
  const delegator = createDelegator({ ...payloadDeps(host), transport, onFailure, log: host.log });
  delegators.set(host.engine, delegator);
  return delegator;
}

export function deliveryServices(host: DeliveryHost): Service[] {
  const { settings, log } = host;
  const delegator = delegatorOf(host);
  const { ingestMode, sqsQueueUrl, sqsDlqUrl, sqsMaxReceiveCount: maxReceiveCount } = settings;
  const hasDead = ingestMode === 'queue' && sqsQueueUrl !== undefined && sqsDlqUrl !== undefined;
  return [
    delegator ?? createWaitingReleaser(host.engine, log),
    ...(hasDead
      ? [
          createDeadMessageReader({
            ...payloadDeps(host),
            queue: new SqsQueue(sqsQueueUrl, settings),
            dead: new SqsQueue(sqsDlqUrl, settings),
            maxReceiveCount,
            log,
          }),
        ]
      : []),
  ];
}

export function openIngestWorker(host: DeliveryHost): ProcessParts {
  const { engine, settings, own, log } = host;
  const deps = payloadDeps(host);
  const endpoint = { ...deps, token: settings.internalAuthToken, log };
  const slots = settings.workerMaxConcurrentJobs;
  return {
    own: {
      answer: (request, response) => answerProcess(endpoint, request, response),
      health: () => ({ mode: settings.ingestMode, slots, free: Math.max(0, engine.freeSlots()) }),
    },
    services: [
      createArtifactSweeper({ folder: own.artifacts, log }),
      ...(settings.ingestMode === 'queue' ? [listenerOf(host, deps)] : []),
    ],
  };
}

function listenerOf({ settings, log }: DeliveryHost, deps: PayloadDeps): Service {
  const queue = new SqsQueue(settings.sqsQueueUrl ?? '', settings);
  const listener = createQueueListener({ ...deps, queue, visibilitySeconds: settings.sqsVisibilitySeconds, log });
  return {
    ...listener,
    async stop() {
      await listener.stop();
      queue.close();
    },
  };
}

export const ingestWorker = {
  command: 'ingest-worker',
  summary: 'run a worker for documents alone',
  description:
    'Works on documents alone. INGEST_MODE says where it gets them: from the ledger, over HTTP (POST /internal/process) or from a queue. ' +
    'Answers /health and /metrics on port 8002 (INGEST_WORKER_PORT). It never migrates the database and needs no secret of sources.',
  databaseRoles: ['documents_worker'],
  login: ({ ingestWorkerLogin }) => ingestWorkerLogin,
  isApart: ({ ingestMode, documentsWorkedBy }) => ingestMode !== 'ledger' || documentsWorkedBy === 'ingest-worker',
  frame: ({ workerMaxConcurrentJobs: concurrency, ingestWorkerHost: host, ingestWorkerPort: port }) => ({
    concurrency,
    host,
    port,
  }),
} satisfies Partial<KitProcess<unknown, typeof import('./delivery-shape.ts').deliveryShape>>;
