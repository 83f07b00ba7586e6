// Which database, and how it is used.
import { flag, integer, optionalUrl } from './setting.ts';

const schemes = ['postgres', 'postgresql'];

export const databaseSettings = {
  databaseUrl: optionalUrl('DATABASE_URL', schemes, {
    secret: true,
    unset: 'the embedded server under MILLRACE_HOME',
    doc: 'Connection string of the application login, a Postgres 15 or newer. The login should own nothing and be "noinherit".',
  }),
  databaseMigrationUrl: optionalUrl('DATABASE_MIGRATION_URL', schemes, {
    secret: true,
    unset: 'DATABASE_URL',
    doc: 'Connection string of a user who may create schemas and roles, used by migrations only.',
  }),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    min: 2,
    max: 500,
    default: 10,
    unit: 'connections',
    doc: 'The most connections each pool of a process opens. Heartbeats have a connection of their own.',
  }),
  databaseConnectTimeoutMs: integer('DATABASE_CONNECT_TIMEOUT_MS', {
    min: 50,
    max: 600_000,
    default: 2_000,
    unit: 'milliseconds',
    doc: 'How long to wait for a free or new connection before answering 503.',
  }),
  databaseStatementTimeoutMs: integer('DATABASE_STATEMENT_TIMEOUT_MS', {
    min: 100,
    max: 3_600_000,
    default: 30_000,
    unit: 'milliseconds',
    doc: 'The longest a statement on behalf of an HTTP request may take.',
  }),
  migrateOnStart: flag('MIGRATE_ON_START', {
    default: true,
    doc: 'Apply missing migrations when a process starts. If false, start refuses a schema that is behind; run "millrace migrate".',
  }),
};
