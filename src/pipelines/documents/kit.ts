// Documents: a PDF, DOCX, HTML, TXT or MD file becomes exactly one version that is served, with a fate for each page.
import { defineKit } from '../kit.ts';
import { documentsStaging } from './cleanup.ts';
import { checkDocuments } from './cli/doctor-check.ts';
import { addDocumentCommands } from './cli/documents.ts';
import { addMcpCommand } from './cli/mcp.ts';
import { addModelCommands } from './cli/models.ts';
import { addSearchCommands } from './cli/search.ts';
import { createCrashGuard } from './crash-guard.ts';
import { documentsPipeline } from './documents.pipeline.ts';
import { changeHandlers } from './http/change-handlers.ts';
import { fileHandlers } from './http/file-handlers.ts';
import { documentsIntake, ingestHandler } from './http/ingest.ts';
import { modelHandlers } from './http/model-handlers.ts';
import { queryHandlers } from './http/query-handlers.ts';
import { readHandlers } from './http/read-handlers.ts';
import { searchHandlers } from './http/search-handlers.ts';
import { buildServices, MODELS_ROLE } from './model-swap/build-vectors.ts';
import { openDocuments } from './open-documents.ts';
import { createQueryPruner } from './search/prune-queries.ts';
import { documentSettings } from './settings.ts';

export const documentsKit = defineKit({
  name: 'documents',
  title: 'Documents',
  settings: documentSettings,
  open: ({ settings, config, blobs }) => openDocuments(settings, config, blobs),
  pipeline: ({ own }) => documentsPipeline(own),
  intake: ({ engine, log }) => documentsIntake(engine, log),
  handlers: ({ own, blobs, uploadLimits }) => ({
    ...ingestHandler({ store: blobs, limits: uploadLimits }),
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
  services: ({ engine, log, settings, own }) => [
    ...buildServices(engine, own, log),
    createCrashGuard({
      pool: engine.pools.control,
      log,
      election: engine.election,
      queuedHours: settings.crashGuardQueuedTtlHours,
      staleMinutes: settings.crashGuardRunningStaleMin,
    }),
    createQueryPruner({ pool: engine.pools.control, log, election: engine.election, days: settings.queryLogDays }),
  ],
  staging: documentsStaging,
  databaseRoles: ['documents_api', 'documents_worker', 'documents_purge', 'documents_cleanup', MODELS_ROLE],
  samples: [
    {
      name: 'documents',
      title: 'A security policy',
      about: 'Headings, lists and a table in Markdown; what becomes of each section is said.',
      file: new URL('../../../samples/security-policy.md', import.meta.url),
      fields: {},
    },
  ],
  doctor: [{ name: 'documents', ask: checkDocuments }],
});
