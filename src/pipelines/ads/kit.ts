// Exports of Meta, Google and TikTok ads: parse → gate → promote.
import { defineKit } from '../kit.ts';
import { adsPipeline } from './ads.pipeline.ts';
import { auditConsumer } from './audit-consumer.ts';
import { adsStaging } from './cleanup.ts';
import { adsHandlers, adsIntake, adsRejectTools } from './http/ads-handlers.ts';
import { adsFileRows } from './http/file-rows.ts';
import { adsSamples } from './samples.ts';

export const adsKit = defineKit({
  name: 'ads',
  title: 'Ads',
  pipeline: ({ blobs }) => adsPipeline({ store: blobs }),
  intake: ({ engine }) => adsIntake(engine),
  rows: adsFileRows,
  rejects: ({ engine, blobs }) => adsRejectTools(engine, blobs),
  handlers: ({ blobs }) => adsHandlers({ store: blobs }),
  consumers: () => [auditConsumer],
  staging: adsStaging,
  migrations: ['0010_ads.sql', '0044_ads_promotion_and_returns.sql'],
  databaseRoles: ['ads_parse', 'ads_promote', 'ads_cleanup'],
  samples: adsSamples,
});
