// Exports of Meta, Google and TikTok ads: parse → gate → promote.
import { defineKit } from '../kit.ts';
import { adsPipeline } from './ads.pipeline.ts';
import { adsAlerts } from './alerts.ts';
import { auditConsumer } from './audit-consumer.ts';
import { adsStaging } from './cleanup.ts';
import { adsIngest } from './cli/ingest.ts';
import { INGESTION_COMPLETE } from './event.ts';
import { adsHandlers, adsIntake, adsRejectTools } from './http/ads-handlers.ts';
import { adsFileRows } from './http/file-rows.ts';
import { adsReadings } from './http/readings.ts';
import { adsSamples } from './samples.ts';
import { adsUndo } from './undo.ts';

export const adsKit = defineKit({
  name: 'ads',
  title: 'Ads',
  pipeline: ({ blobs }) => adsPipeline({ store: blobs }),
  isDefault: true,
  intake: ({ engine }) => adsIntake(engine),
  rows: adsFileRows,
  readings: ({ blobs }) => adsReadings(blobs),
  rejects: ({ engine, blobs }) => adsRejectTools(engine, blobs),
  actions: () => ({ undo: adsUndo }),
  handlers: ({ blobs }) => adsHandlers({ store: blobs }),
  ingest: adsIngest,
  consumers: () => [auditConsumer],
  staging: adsStaging,
  databaseRoles: ['ads_intake', 'ads_parse', 'ads_promote', 'ads_cleanup'],
  samples: adsSamples,
  // Whose upload, and how it ended; its counts are in the receipt of run.done.
  events: { [INGESTION_COMPLETE]: ['upload_id', 'client_id', 'platform'] },
  alerts: adsAlerts,
});
