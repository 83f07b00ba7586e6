// Settings of webhook deliveries. access-settings.ts decides which addresses they may reach.
import { integer } from './setting.ts';

export const webhookSettings = {
  webhookTimeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', {
    min: 1,
    max: 120,
    default: 10,
    unit: 'seconds',
    doc: 'How long a webhook receiver has to answer one try.',
  }),
  webhookConcurrency: integer('WEBHOOK_CONCURRENCY', {
    min: 1,
    max: 1_000,
    default: 50,
    unit: 'deliveries',
    doc: 'How many webhook deliveries one process makes at a time.',
  }),
  webhookEndpointConcurrency: integer('WEBHOOK_ENDPOINT_CONCURRENCY', {
    min: 1,
    max: 100,
    default: 5,
    unit: 'deliveries',
    doc: 'How many deliveries go to one endpoint at a time, over all processes. An endpoint that fails gets one.',
  }),
  webhookDisableAfterHours: integer('WEBHOOK_DISABLE_AFTER_HOURS', {
    min: 1,
    max: 8_760,
    default: 120,
    unit: 'hours',
    doc: 'An endpoint whose every delivery failed for this long is switched off, with an event webhook.disabled.',
  }),
};
