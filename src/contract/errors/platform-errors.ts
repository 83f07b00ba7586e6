// Errors of the ground floor: configuration, database, disk, migrations, blobs.
import { defineErrors } from './entry.ts';

export const platformErrors = defineErrors({
  config_invalid: {
    kind: 'config',
    status: 500,
    message: 'The configuration is not valid:\n{faults}',
    next: 'Correct the settings above and start again; docs/configuration.md lists them all.',
  },
  database_unreachable: {
    kind: 'transient',
    status: 503,
    message: 'The database at {target} does not answer: {reason}.',
    next: 'Check that it runs and that DATABASE_URL is right.',
  },
  database_refused: {
    kind: 'config',
    status: 500,
    message: 'The database at {target} refused the sign-in: {reason}.',
    next: 'Check user, password and database name in DATABASE_URL.',
  },
  database_too_old: {
    kind: 'config',
    status: 500,
    message: 'The database server is Postgres {version}; Millrace needs 15 or newer.',
    next: 'Upgrade the server, or unset DATABASE_URL to use the embedded one.',
  },
  database_lost: {
    kind: 'transient',
    status: 503,
    message: 'The connection to the database was lost.',
    next: 'Millrace tries runs again by itself; nothing that it acknowledged is lost. Your request may have made its change: look before you repeat it.',
  },
  process_outdated: {
    kind: 'config',
    status: 500,
    message: 'This process is older than the schema of its database.',
    next: 'Stop it and start the version that migrated the database. Current processes take over its runs; nothing is lost.',
  },
  database_busy: {
    kind: 'transient',
    status: 503,
    message: 'The database has no room for another connection or statement: {reason}.',
    next: 'Millrace tries again; lower DATABASE_POOL_SIZE or raise the limits of the server if this goes on.',
  },
  transaction_conflict: {
    kind: 'transient',
    status: 503,
    message: 'The transaction collided with another one, and the database rolled it back.',
    next: 'Millrace tries again; nothing was written.',
  },
  statement_cancelled: {
    kind: 'transient',
    status: 504,
    message: 'A database statement took too long or was cancelled; it wrote nothing.',
    next: 'Millrace tries again; narrow the request if this goes on.',
  },
  pool_exhausted: {
    kind: 'transient',
    status: 503,
    message: 'No database connection became free in time.',
    next: 'Try again; raise DATABASE_POOL_SIZE if this happens often.',
  },
  own_worker_without_database: {
    kind: 'config',
    status: 500,
    message: '"millrace {command}" works for a server elsewhere and needs DATABASE_URL.',
    next: 'Set DATABASE_URL to the database of that server. Without one, "millrace start" works on everything itself; INGEST_MODE must then be ledger.',
  },
  connections_too_few: {
    kind: 'config',
    status: 500,
    message:
      'WORKER_CONCURRENCY={concurrency} needs {least} connections or more; with DATABASE_POOL_SIZE={poolSize} and DATABASE_POOLER={pooler} a process has {connections} for its runs.',
    next: 'Lower WORKER_CONCURRENCY to {most}, or raise DATABASE_POOL_SIZE; behind a pooler start more workers instead.',
  },
  pooler_undeclared: {
    kind: 'config',
    status: 500,
    message:
      'The database at {target} is reached through a connection pooler that drops settings of a session: {reason}.',
    next: 'Set DATABASE_POOLER=transaction and DATABASE_DIRECT_URL, or let DATABASE_URL name the server itself.',
  },
  role_not_taken: {
    kind: 'config',
    status: 500,
    message: 'Statements at {target} run as {found} instead of {wanted}.',
    next: 'Run "millrace doctor"; behind a connection pooler set DATABASE_POOLER=transaction and DATABASE_DIRECT_URL.',
  },
  // Somebody has to make room, which takes as long as it takes: work waits, and it costs no attempt.
  disk_full: {
    kind: 'rate_limited',
    status: 507,
    message: 'There is no space left on the disk.',
    next: 'Free some space; waiting work goes on by itself.',
  },
  schema_newer: {
    kind: 'config',
    status: 500,
    message: 'The database schema is at {found}, newer than the {known} this version knows.',
    next: 'Start the newer version of Millrace.',
  },
  schema_behind: {
    kind: 'config',
    status: 500,
    message: 'The database schema is at {found}; this version needs {known}.',
    next: 'Run "millrace migrate".',
  },
  migration_changed: {
    kind: 'config',
    status: 500,
    message: 'Migration {name} was changed after it had been applied.',
    next: 'Restore the file as it was; put the change into a new migration.',
  },
  migration_failed: {
    kind: 'config',
    status: 500,
    message: 'Migration {name} failed and was rolled back: {reason}.',
    next: 'Fix the cause and run "millrace migrate" again.',
  },
  migration_blocked: {
    kind: 'transient',
    status: 503,
    message:
      'Migration {name} was tried {tries} times; other transactions held a lock that it needs for longer than {seconds} s each time.',
    next: 'End the transaction that holds it (pg_stat_activity shows it) and run "millrace migrate" again; nothing was changed.',
  },
  preparation_blocked: {
    kind: 'transient',
    status: 503,
    message:
      'What {name} prepares in the database was tried {tries} times; others held a lock it needs for longer than {seconds} s each time.',
    next: 'End the transaction that holds it (pg_stat_activity shows it) and start again, or run "millrace migrate".',
  },
  preparation_failed: {
    kind: 'config',
    status: 500,
    message: 'What {name} prepares in the database failed: {reason}.',
    next: 'Correct its "prepare" function and start again; it runs at every start and may find what it made before.',
  },
  migration_forbidden: {
    kind: 'config',
    status: 500,
    message: 'The user of {target} may not change the schema: {reason}.',
    next: 'Set DATABASE_MIGRATION_URL to a user who may create schemas and roles, or run "millrace migrate" as that user.',
  },
  embedded_unsupported: {
    kind: 'config',
    status: 500,
    message: 'There is no embedded Postgres for this system ({system}).',
    next: 'Set DATABASE_URL to a Postgres 15 or newer.',
  },
  embedded_failed: {
    kind: 'config',
    status: 500,
    message: 'The embedded Postgres under {home} did not start: {reason}.',
    next: 'See {log}; or set DATABASE_URL to another server.',
  },
  home_unusable: {
    kind: 'config',
    status: 500,
    message: 'The folder {home} cannot be used: {reason}.',
    next: 'Set MILLRACE_HOME to a folder this user may write to.',
  },
  home_in_use: {
    kind: 'config',
    status: 500,
    message: 'Another process uses the database under {home} (server {pid}), and its supervisor does not answer.',
    next: 'Wait for it to stop, or set MILLRACE_HOME to another folder.',
  },
  blob_missing: {
    kind: 'input',
    status: 410,
    message: 'The stored bytes of {blob} are gone.',
    next: 'Upload the file again.',
  },
  blob_store_unreachable: {
    kind: 'transient',
    status: 503,
    message: 'The blob store does not answer: {reason}.',
    next: 'Millrace tries again; check the store if this goes on.',
  },
  pipeline_module_invalid: {
    kind: 'config',
    status: 500,
    message: 'The module {module} of PIPELINE_MODULES cannot be used: {reason}.',
    next: 'Correct the path, or the module; docs/adding-a-pipeline.md says what it may declare.',
  },
  watched_folder_invalid: {
    kind: 'config',
    status: 500,
    message: 'The configuration of the watched folder "{entry}" is wrong: {reason}.',
    next: 'Correct WATCHED_FOLDERS, e.g. "/data/meta=ads:meta".',
  },
  port_in_use: {
    kind: 'config',
    status: 500,
    message: 'Port {port} on {host} is already in use.',
    next: 'Stop what listens there, or set PORT.',
  },
  status_port_in_use: {
    kind: 'config',
    status: 500,
    message: 'Port {port} on {host}, where /health and /metrics should be served, is already in use.',
    next: 'Set METRICS_PORT to another port, or leave it out to take the first free one from 8081 on.',
  },
  internal: {
    kind: 'bug',
    status: 500,
    message: 'Something went wrong inside Millrace.',
    next: 'Try again; if it happens again, report the correlation id.',
  },
});
