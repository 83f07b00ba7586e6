// Settings of sign-in, and of the addresses that Millrace may call.
import { flag, integer, optionalText } from './setting.ts';

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
  connectorSecretKey: optionalText('CONNECTOR_SECRET_KEY', {
    ...longEnough,
    secret: true,
    unset: 'generated once and kept in MILLRACE_HOME',
    doc: 'The key that encrypts credentials of connectors and addresses of alert sinks in the database. All processes of an installation need the same.',
  }),
  jwtExpiryHours: integer('JWT_EXPIRY_HOURS', {
    min: 1,
    max: 8_760,
    default: 24,
    unit: 'hours',
    doc: 'How long a sign-in lasts.',
  }),
  metricsToken: optionalText('METRICS_TOKEN', {
    secret: true,
    unset: 'open on loopback, closed elsewhere',
    doc: 'The bearer token that /metrics asks for.',
  }),
  allowPrivateWebhooks: flag('ALLOW_PRIVATE_WEBHOOKS', {
    default: false,
    doc: 'Allow webhooks, alerts and providers of items to reach private, loopback and link-local addresses. Sources have ALLOW_PRIVATE_SOURCES.',
  }),
};
