// Who may come in, whom we may call, and the accounts we use elsewhere.
import { flag, integer, optionalText, text } from './setting.ts';

const minSecretBytes = 32;
const longEnough = {
  takes: `at least ${minSecretBytes} characters`,
  test: (value: string) => Buffer.byteLength(value) >= minSecretBytes,
};

export const accessSettings = {
  authEnabled: flag('AUTH_ENABLED', {
    default: true,
    doc: 'Ask for a credential. false is for development and refused unless HOST is a loopback address.',
  }),
  jwtSecret: optionalText('JWT_SECRET', {
    ...longEnough,
    secret: true,
    unset: 'generated once and kept in MILLRACE_HOME',
    doc: 'The key that signs sign-in tokens. All processes of an installation need the same.',
  }),
  jwtExpiryHours: integer('JWT_EXPIRY_HOURS', {
    min: 1,
    max: 8_760,
    default: 24,
    unit: 'hours',
    doc: 'How long a sign-in lasts.',
  }),
  internalAuthToken: optionalText('INTERNAL_AUTH_TOKEN', {
    ...longEnough,
    secret: true,
    doc: 'The token that processes of this installation show each other on /internal. Unset, those routes are closed.',
  }),
  secretsKey: optionalText('SECRETS_KEY', {
    ...longEnough,
    secret: true,
    unset: 'generated once and kept in MILLRACE_HOME',
    doc: 'The key that encrypts stored credentials of connectors and webhooks. All processes need the same.',
  }),
  allowPrivateWebhooks: flag('ALLOW_PRIVATE_WEBHOOKS', {
    default: false,
    doc: 'Allow webhooks, alerts and sources to reach private, loopback and link-local addresses.',
  }),
  airbyteBaseUrl: text('AIRBYTE_BASE_URL', {
    default: 'https://api.airbyte.com/v1',
    doc: 'Syncs: address of the Airbyte API.',
  }),
  airbyteApiToken: optionalText('AIRBYTE_API_TOKEN', {
    secret: true,
    doc: 'Syncs: a fixed token for the Airbyte API; or use AIRBYTE_CLIENT_ID and AIRBYTE_CLIENT_SECRET.',
  }),
  airbyteClientId: optionalText('AIRBYTE_CLIENT_ID', { doc: 'Syncs: client id of an Airbyte application.' }),
  airbyteClientSecret: optionalText('AIRBYTE_CLIENT_SECRET', {
    secret: true,
    doc: 'Syncs: secret of the Airbyte application.',
  }),
  airbyteWorkspaceId: optionalText('AIRBYTE_WORKSPACE_ID', {
    doc: 'Syncs: the Airbyte workspace whose connections are used.',
  }),
  airbyteTimeoutMs: integer('AIRBYTE_TIMEOUT_MS', {
    min: 100,
    max: 600_000,
    default: 30_000,
    unit: 'milliseconds',
    doc: 'Syncs: how long one request to Airbyte may take.',
  }),
};
