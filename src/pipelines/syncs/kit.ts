// Airbyte connections driven on schedule: trigger, watch, account.
import { defineKit } from '../kit.ts';
import { syncsAlerts } from './alerts.ts';
import { syncsAudit } from './audit-consumer.ts';
import { createCanceller } from './cancellations.ts';
import { addConnectorCommands } from './cli/connectors.ts';
import { addSyncCommands } from './cli/syncs.ts';
import { JobDispatcher } from './dispatcher.ts';
import { syncsEvents } from './events.ts';
import { connectorHandlers } from './http/connector-handlers.ts';
import { refreshSyncGauges, syncSection } from './http/sync-figures.ts';
import { syncHandlers } from './http/sync-handlers.ts';
import { jobEvents } from './job-events.ts';
import { openSyncs } from './open-syncs.ts';
import { syncSettings } from './settings.ts';
import { syncsPipeline } from './syncs.pipeline.ts';

export const syncsKit = defineKit({
  name: 'syncs',
  title: 'Syncs',
  settings: syncSettings,
  open: ({ settings, secrets }) => openSyncs(settings, secrets),
  pipeline: ({ own }) => syncsPipeline(own),
  actions: ({ engine }) => ({
    // Retrying a sync is triggering one.
    retryNeeds: 'syncs.trigger',
    beforeRetry: (tenantId, runId) => new JobDispatcher({ engine }, tenantId).requireRetryable(runId),
    async requeue(tenantId, { runId, ticket, by }) {
      const request = { jobId: runId, correlationId: ticket, by };
      return (await new JobDispatcher({ engine }, tenantId).requeueFromDlq(request)).job_id;
    },
  }),
  handlers({ own, engine }) {
    const service = { ...own, engine };
    return { ...connectorHandlers(service), ...syncHandlers(service) };
  },
  commands: [
    { group: 'Airbyte:', add: addConnectorCommands },
    { group: 'Airbyte:', add: addSyncCommands },
  ],
  consumers: ({ own }) => [jobEvents(own.limits), syncsAudit],
  services: ({ own, engine, log }) => [createCanceller({ ...own, engine }, log)],
  databaseRoles: ['syncs_worker', 'syncs_canceller', 'syncs_support'],
  figures: {
    // Two hours, as the specification says.
    staleAfter: () => ({ atWorkSeconds: 7_200 }),
    sections: syncSection,
    refreshGauges: refreshSyncGauges,
  },
  events: syncsEvents,
  alerts: syncsAlerts,
  // A sync is Airbyte's, whoever asked for it, and asks Airbyte in any case.
  channel: 'airbyte',
  provider: 'airbyte',
});
