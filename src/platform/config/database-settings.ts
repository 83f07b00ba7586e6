// Settings of the database and of its connections.
import { choice, flag, integer, optionalUrl } from './setting.ts';

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
  databasePooler: choice('DATABASE_POOLER', ['none', 'transaction'], {
    default: 'none',
    doc: 'What DATABASE_URL names: the server itself (none), or a pooler such as PgBouncer in transaction mode (transaction). See docs/operations.md, "Behind PgBouncer".',
  }),
  databaseDirectUrl: optionalUrl('DATABASE_DIRECT_URL', schemes, {
    secret: true,
    unset: 'DATABASE_URL',
    doc: 'Connection string of the same login past the pooler, needed with DATABASE_POOLER=transaction: for wake-ups, heartbeats and, unless DATABASE_MIGRATION_URL is set, migrations. A process opens at most 2 such connections.',
  }),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    min: 2,
    max: 500,
    default: 10,
    unit: 'connections',
    doc: 'The most connections a process opens for requests, and for the work of stages; at least a quarter of WORKER_CONCURRENCY. The engine has up to 5 more for its own statements, and 2 for heartbeats and wake-ups. Behind a pooler a worker uses at most 8 and 2.',
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
