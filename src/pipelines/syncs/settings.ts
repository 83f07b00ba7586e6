// Airbyte: where it is, how we sign in, how often a connection may be synced.
import { z } from 'zod';
import { integer, isUrl, optionalText, settingInfo } from '../../platform/config/setting.ts';
import type { SettingGroup } from '../../platform/config.ts';

const airbyteBaseUrl = z
  .string()
  .refine((value) => isUrl(value, ['http', 'https']), 'an address that begins with http:// or https://')
  .default('https://api.airbyte.com/v1');
settingInfo.add(airbyteBaseUrl, {
  env: 'AIRBYTE_BASE_URL',
  doc: 'Address of the Airbyte API. A self-managed server answers under <host>/api/public/v1.',
  default: 'https://api.airbyte.com/v1',
  takes: 'an address that begins with http:// or https://',
});

const shape = {
  airbyteBaseUrl,
  airbyteApiToken: optionalText('AIRBYTE_API_TOKEN', {
    secret: true,
    doc: 'A long-lived token for Airbyte. Either this, or AIRBYTE_CLIENT_ID and AIRBYTE_CLIENT_SECRET.',
  }),
  airbyteClientId: optionalText('AIRBYTE_CLIENT_ID', {
    doc: 'Client id of an Airbyte application; goes with AIRBYTE_CLIENT_SECRET.',
  }),
  airbyteClientSecret: optionalText('AIRBYTE_CLIENT_SECRET', {
    secret: true,
    doc: 'Client secret of the Airbyte application; tokens are fetched and renewed with it.',
  }),
  airbyteWorkspaceId: optionalText('AIRBYTE_WORKSPACE_ID', {
    doc: 'The Airbyte workspace whose connections can be chosen.',
  }),
  airbyteTimeoutSeconds: integer('AIRBYTE_TIMEOUT_SECONDS', {
    min: 1,
    max: 600,
    default: 30,
    unit: 'seconds',
    doc: 'How long one call to Airbyte may take.',
  }),
  minIntervalSeconds: integer('MIN_INTERVAL_SECONDS', {
    min: 1,
    max: 86_400,
    default: 60,
    unit: 'seconds',
    doc: 'The shortest time between two sync triggers of one connector (min_interval_seconds).',
  }),
  accountTriggersPerHour: integer('ACCOUNT_TRIGGERS_PER_HOUR', {
    min: 1,
    max: 100_000,
    default: 60,
    unit: 'triggers',
    doc: 'How many syncs of one external account may be triggered in an hour, over all its connectors.',
  }),
  connectorFailureLimit: integer('CONNECTOR_FAILURE_LIMIT', {
    min: 2,
    max: 1_000,
    default: 10,
    unit: 'dead letters',
    doc: 'A connector whose syncs ended as dead letters this often in a row is switched off; half way there is a warning.',
  }),
};

export const syncSettings = {
  title: 'Airbyte and connectors',
  shape,
  faults: ({ airbyteClientId: id, airbyteClientSecret: secret }) =>
    (id === undefined) === (secret === undefined) ? [] : ['AIRBYTE_CLIENT_ID and AIRBYTE_CLIENT_SECRET go together'],
} satisfies SettingGroup<typeof shape>;

export type SyncSettings = z.infer<z.ZodObject<typeof shape>>;
