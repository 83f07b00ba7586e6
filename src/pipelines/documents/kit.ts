// Documents: a PDF, DOCX, HTML, TXT or MD file becomes exactly one version that is served, with a fate for each page.
import { defineKit } from '../kit.ts';
import { documentsAlertRules } from './alerts.ts';
import { createArtifactSweeper } from './artifact-sweeper.ts';
import { documentsStaging } from './cleanup.ts';
import { checkDocuments } from './cli/doctor-check.ts';
import { checkDelivery } from './cli/doctor-delivery.ts';
import { addDocumentCommands } from './cli/documents.ts';
import { addMcpCommand } from './cli/mcp.ts';
import { addModelCommands } from './cli/models.ts';
import { addSearchCommands } from './cli/search.ts';
import { createCrashGuard } from './crash-guard.ts';
import { failNeverAccepted } from './delivery/delegator.ts';
import { delegatorOf, deliveryServices, ingestWorker, openIngestWorker } from './delivery/deliver-documents.ts';
import { documentsPipeline } from './documents.pipeline.ts';
import { failuresConsumer } from './failures.ts';
import { changeHandlers } from './http/change-handlers.ts';
import { fileHandlers } from './http/file-handlers.ts';
import { documentsIntake, ingestHandler } from './http/ingest.ts';
import { modelHandlers } from './http/model-handlers.ts';
import { queryHandlers } from './http/query-handlers.ts';
import { readHandlers } from './http/read-handlers.ts';
import { searchHandlers } from './http/search-handlers.ts';
import { buildServices, MODELS_ROLE } from './model-swap/build-vectors.ts';
import { openDocuments } from './open-documents.ts';
import { createVectorIndexer } from './search/index-vectors.ts';
import { createQueryPruner } from './search/prune-queries.ts';
import { documentSettings } from './settings.ts';
import { DELIVERY_ROLE } from './sql/deliveries.ts';

export const documentsKit = defineKit({
  name: 'documents',
  title: 'Documents',
  retriesAreAttempts: true,
  settings: documentSettings,
  open: ({ settings, config, blobs }) => openDocuments(settings, config, blobs),
  pipeline: ({ own }) => documentsPipeline(own),
  intake: ({ engine, log, settings }) => documentsIntake(engine, log, settings.ingestMode),
  handlers: ({ own, blobs, uploadLimits, settings }) => ({
    ...ingestHandler({ store: blobs, limits: uploadLimits, mode: settings.ingestMode }),
    ...readHandlers,
    ...fileHandlers(own),
    ...changeHandlers(own),
    ...searchHandlers(own.search),
    ...queryHandlers,
    ...modelHandlers(own),
  }),
  commands: [
    { group: 'Documents:', add: addDocumentCommands },
    { group: 'Search:', add: addSearchCommands },
    { group: 'Documents:', add: addModelCommands },
    { group: 'Search:', add: addMcpCommand },
  ],
  consumers: (host) => {
    const { engine, log, own } = host;
    const delegator = delegatorOf(host);
    return [
      failuresConsumer({ engine, log, failedTtlDays: own.failedTtlDays }),
      ...(delegator === undefined ? [] : [delegator.consumer]),
    ];
  },
  process: { ...ingestWorker, open: openIngestWorker },
  services: ({ engine, log, settings, own }) => [
    ...deliveryServices({ engine, log, settings, own }),
    ...buildServices(engine, own, log),
    createCrashGuard({
      pool: engine.pools.control,
      log,
      election: engine.election,
      queuedHours: settings.crashGuardQueuedTtlHours,
      staleMinutes: settings.crashGuardRunningStaleMin,
      failNeverAccepted:
        settings.ingestMode === 'http' ? (seconds) => failNeverAccepted({ engine }, seconds) : undefined,
    }),
    createVectorIndexer(engine, own, log),
    createArtifactSweeper({ folder: own.artifacts, log }),
    createQueryPruner({ pool: engine.pools.control, log, election: engine.election, days: settings.queryLogDays }),
  ],
  staging: documentsStaging,
  databaseRoles: [
    'documents_api',
    'documents_worker',
    'documents_purge',
    'documents_cleanup',
    MODELS_ROLE,
    DELIVERY_ROLE,
  ],
  samples: [
    {
      name: 'documents',
      title: 'A security policy',
      about: 'Headings, lists and a table in Markdown; what becomes of each section is said.',
      file: new URL('../../../samples/security-policy.md', import.meta.url),
      fields: {},
    },
  ],
  figures: { staleAfter: ({ settings }) => ({ atWorkSeconds: settings.crashGuardRunningStaleMin * 60 }) },
  alertRules: ({ settings }) => documentsAlertRules(settings),
  doctor: [
    { name: 'documents', ask: checkDocuments },
    { name: 'delivery', ask: () => checkDelivery() },
  ],
});
