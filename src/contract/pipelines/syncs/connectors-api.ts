// Connectors: Airbyte connections of a tenant that are synced on schedule. Credentials go in and never come out.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, empty, json } from '../../api/route.ts';
import { Count, Id, list, Page, Time } from '../../api/values.ts';

const Freshness = z.enum(['on time', 'on track', 'late', 'failing', 'action required']);
export const JobStatus = z.enum(['queued', 'running', 'failed', 'dead_letter', 'cancelled', 'success']);

const Connector = z.object({
  connector_id: Id,
  name: z.string(),
  connection_id: Id.describe('The connection at Airbyte.'),
  airbyte_workspace_id: z.string(),
  provider: z.string().nullable().describe('Whose API it reads: the type of its source at Airbyte.'),
  external_account_id: z.string(),
  interval_seconds: Count.nullable().describe('As chosen; null: the shortest the plan allows.'),
  effective_interval_seconds: Count.describe('As it holds now, by the plan.'),
  enabled: z.boolean(),
  credential: z
    .enum(['installation', 'token', 'client'])
    .describe('Which kind of credential it uses; never the credential.'),
  error_kinds: z.record(z.string(), z.string()),
  freshness: Freshness.nullable().describe('null when a person has switched it off.'),
  live_job: z.object({ job_id: Id, status: JobStatus }).nullable(),
  next_sync_at: Time.nullable(),
  consecutive_failures: Count,
  warned_at: Time.nullable(),
  disabled_at: Time.nullable().describe('Set when too many syncs in a row failed.'),
  disabled_reason: z.string().nullable(),
  last_started_at: Time.nullable(),
  last_success_started_at: Time.nullable(),
  last_success_at: Time.nullable(),
  last_error_code: z.string().nullable(),
  last_error_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
});

const secret = z.string().trim().min(1).max(10_000);

export const Credential = z.union([
  z.strictObject({ api_token: secret }),
  z.strictObject({ client_id: secret, client_secret: secret }),
]);

const shared = {
  name: z.string().trim().min(1).max(200),
  external_account_id: z.string().trim().min(1).max(200),
  interval_seconds: z.int().min(1).max(31_536_000).nullable(),
  enabled: z.boolean(),
  credential: Credential.nullable().describe('A credential of its own; null: the installation’s.'),
  error_kinds: z
    .record(z.string().regex(/^[45]\d\d$/), z.enum(['auth', 'rate_limited', 'transient', 'config']))
    .describe('HTTP status to kind, where a source means something else by it: {"403": "rate_limited"}.'),
};

const ConnectorCreate = z.strictObject({
  ...shared,
  connection_id: Id,
  airbyte_workspace_id: z.string().trim().min(1).max(200).optional(),
  interval_seconds: shared.interval_seconds.default(null),
  enabled: shared.enabled.default(true),
  credential: shared.credential.default(null),
  error_kinds: shared.error_kinds.default({}),
});

const ConnectorUpdate = z.strictObject(shared).partial();

const AvailableConnection = z.object({
  connection_id: z.string(),
  name: z.string(),
  status: z.string(),
  airbyte_workspace_id: z.string(),
  tags: z.array(z.string()),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byId = z.object({ connector_id: Id });

export const connectorRoutes = defineRoutes({
  'connectors.list': {
    tag: 'Syncs',
    summary: 'List connectors with their freshness',
    access: allow(readers, 'runs:read'),
    query: Page,
    answer: json(list(Connector)),
    errors: ['cursor_malformed'],
  },
  'connectors.available': {
    tag: 'Syncs',
    summary: 'Airbyte connections to choose from',
    access: allow(['admin']),
    answer: json(z.object({ data: z.array(AvailableConnection) })),
    errors: ['airbyte_not_configured', 'airbyte_unauthorized', 'airbyte_unavailable'],
  },
  'connectors.create': {
    tag: 'Syncs',
    summary: 'Add a connector',
    notes: 'The connection must be active and in the workspace. The interval must be one the plan allows.',
    access: allow(['admin']),
    body: ConnectorCreate,
    answer: json(Connector, 201),
    errors: [
      'connector_name_taken',
      'connection_not_found',
      'connection_not_active',
      'connection_taken',
      'workspace_wrong',
      'cadence_too_short',
      'cadence_fixed',
      'plan_unknown',
      'airbyte_not_configured',
      'airbyte_unauthorized',
    ],
  },
  'connectors.show': {
    tag: 'Syncs',
    summary: 'Show a connector',
    access: allow(readers, 'runs:read'),
    params: byId,
    answer: json(Connector),
    errors: ['connector_not_found'],
  },
  'connectors.update': {
    tag: 'Syncs',
    summary: 'Change a connector; switching it on again forgets its failures',
    access: allow(['admin']),
    params: byId,
    body: ConnectorUpdate,
    answer: json(Connector),
    errors: ['connector_not_found', 'connector_name_taken', 'cadence_too_short', 'cadence_fixed'],
  },
  'connectors.remove': {
    tag: 'Syncs',
    summary: 'Remove a connector; its syncs stay in the ledger',
    notes:
      'A live sync of it is cancelled first, here and at Airbyte; when Airbyte cannot be reached now, as soon as it can.',
    access: allow(['admin']),
    params: byId,
    answer: empty,
    errors: ['connector_not_found', 'connector_busy'],
  },
});
