// Items: a file becomes rows before anything is done with them; each row is processed with its own fate.
import { defineKit } from '../kit.ts';
import { itemsAlerts, itemsEventFields } from './alerts.ts';
import { createBackfillService } from './backfill.ts';
import { createItemsCleanup } from './cleanup.ts';
import { addJobCommands } from './cli/jobs.ts';
import { openItems } from './deps.ts';
import { FIGURES_ROLE, itemSection, refreshItemGauges } from './figures.ts';
import { catalogHandlers } from './http/catalog-handlers.ts';
import { changeHandlers } from './http/change-handlers.ts';
import { exportHandlers } from './http/export-handlers.ts';
import { itemsFileRows } from './http/file-rows.ts';
import { createHandler, itemsIntake } from './http/intake.ts';
import { readHandlers } from './http/read-handlers.ts';
import { itemsReadings } from './http/readings.ts';
import { scanHandler } from './http/scan-handler.ts';
import { tryHandler } from './http/try-handler.ts';
import { itemsPipeline } from './items.pipeline.ts';
import { leftoversConsumer, startLeftovers } from './leftovers.ts';
import { itemSettings } from './settings.ts';

export const itemsKit = defineKit({
  name: 'items',
  title: 'Items',
  settings: itemSettings,
  open: ({ settings, blobs, secrets, config }) =>
    openItems(settings, blobs, { box: secrets, allowPrivate: config.allowPrivateWebhooks }),
  pipeline: ({ own }) => itemsPipeline(own),
  intake: ({ engine, log, own }) => itemsIntake(engine, log, own),
  rows: itemsFileRows,
  readings: ({ blobs }) => itemsReadings(blobs),
  ready({ own, engine }, _intakes, connected) {
    own.connected = connected;
    own.isAwaited = engine.isAwaited;
  },
  handlers: ({ own, uploadLimits }) => ({
    ...createHandler(own, uploadLimits),
    ...tryHandler(own, uploadLimits),
    ...scanHandler(own),
    ...readHandlers(own),
    ...changeHandlers(own),
    ...exportHandlers(own),
    ...catalogHandlers(own, uploadLimits),
  }),
  consumers: ({ engine, log }) => [leftoversConsumer({ engine, log })],
  services: ({ engine, log, settings }) => [
    createItemsCleanup({
      pool: engine.pools.control,
      log,
      election: engine.election,
      retentionDays: settings.itemRetentionDays,
      startLeftovers: () => startLeftovers({ engine, log }),
    }),
    createBackfillService({ pool: engine.pools.control, log, election: engine.election }),
  ],
  isPrivate: true,
  figures: { sections: itemSection, refreshGauges: refreshItemGauges },
  events: itemsEventFields,
  alerts: itemsAlerts,
  commands: [{ group: 'Items:', add: addJobCommands }],
  databaseRoles: ['items_worker', 'items_cleanup', FIGURES_ROLE],
  samples: [
    {
      name: 'items',
      title: 'Rows matched with a catalogue',
      about:
        'An order list against a price list: found by SKU, GTIN and name, not found, a wrong check digit, a row twice.',
      file: new URL('../../../samples/items.csv', import.meta.url),
      fields: { processor: 'catalog', catalog: 'sample' },
    },
    {
      name: 'images',
      title: 'Images matched by their barcodes',
      about:
        'An archive of photographs against a price list: found by barcode, unknown, nearly the same twice, broken off.',
      file: new URL('../../../samples/images.zip', import.meta.url),
      fields: { processor: 'image', catalog: 'sample' },
    },
  ],
});
