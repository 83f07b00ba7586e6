// Sources: buckets, servers and folders that feed the other pipelines by themselves.
import { defineKit } from '../kit.ts';
import { sourcesAlerts } from './alerts.ts';
import { createAnnouncementListener } from './announcements.ts';
import { checkSources } from './cli/doctor-check.ts';
import { addSourceCommands } from './cli/sources.ts';
import { connectedSources } from './connected.ts';
import { sourcesEvents } from './events.ts';
import { sourceHandlers } from './http/source-handlers.ts';
import { sourceSettings } from './settings.ts';
import { sourcesPipeline } from './sources.pipeline.ts';
import type { SourcesDeps } from './sources-deps.ts';
import { deleteLines, listOldLines } from './sql/lines.ts';
import { createStaleWatch, SERVICES_ROLE } from './stale-watch.ts';

export const sourcesKit = defineKit({
  name: 'sources',
  title: 'Sources',
  settings: sourceSettings,
  open: ({ settings, blobs, secrets, log }): SourcesDeps => ({
    settings,
    store: blobs,
    secrets,
    log,
    house: undefined,
  }),
  pipeline: ({ own }) => sourcesPipeline(own),
  ready({ own, engine, uploadLimits }, intakes) {
    own.house = { engine, pool: engine.pools.control, maxBytes: uploadLimits.maxFileBytes, intakes };
  },
  connectedSources: ({ own }) => connectedSources(own),
  handlers: ({ own }) => sourceHandlers(own),
  commands: [{ group: 'Sources:', add: addSourceCommands }],
  services: ({ own, engine, log }) => [createStaleWatch(engine, log), createAnnouncementListener(own, engine, log)],
  staging: { pipeline: 'sources', role: SERVICES_ROLE, listStaged: listOldLines, deletions: [deleteLines] },
  databaseRoles: ['sources_worker', SERVICES_ROLE],
  events: sourcesEvents,
  alerts: sourcesAlerts,
  doctor: [{ name: 'sources', ask: checkSources }],
});
