// Syncs: one Airbyte sync each, in the words of the ingestion_jobs model. A job's id is its run's id.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, json } from '../../api/route.ts';
import { ForTicket, RunLink } from '../../api/runs.ts';
import { Count, Id, list, Page, Several, Time } from '../../api/values.ts';
import { JobStatus } from './connectors-api.ts';

const Sync = z.object({
  job_id: Id,
  tenant_id: Id,
  connector_id: z.string(),
  external_account_id: z.string(),
  status: JobStatus,
  retry_count: Count,
  run_id: z.string().nullable().describe('Airbyte’s job id, an int64 as text.'),
  correlation_id: z.string().nullable(),
  error_message: z.string().nullable(),
  error_code: z.string().nullable(),
  next_retry_at: Time.nullable(),
  created_at: Time,
  started_at: Time.nullable(),
  completed_at: Time.nullable(),
});

const SyncFigures = z.object({
  queued_last_minute: Count,
  success_rate_by_connector: z.array(
    z.object({ connector_id: z.string(), succeeded: Count, dead: Count, rate: z.number().nullable() }),
  ),
  average_duration_seconds: z
    .number()
    .nullable()
    .describe('Of syncs that succeeded: the time of their attempts, without the waits between them.'),
  dead_letters: Count,
  retry_rate: z.number().nullable().describe('Share of executions that ended in a retry.'),
  retries_by_error: z.array(
    z.object({ error_code: z.string(), count: Count, rate: z.number().describe('Share of all executions.') }),
  ),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byId = z.object({ job_id: Id });

export const syncRoutes = defineRoutes({
  'syncs.trigger': {
    tag: 'Syncs',
    summary: 'Sync a connector now',
    notes:
      'Answers with the live job when there is one (created: false). The plan’s minimum interval holds, except for support.',
    access: allow(['admin', 'support', 'service'], 'runs:write'),
    body: z.strictObject({ connector_id: Id, correlation_id: z.string().trim().min(1).max(200).optional() }),
    answer: json(z.object({ created: z.boolean(), sync: Sync }), 202),
    errors: ['connector_not_found', 'connector_disabled', 'sync_too_soon'],
  },
  'syncs.list': {
    tag: 'Syncs',
    summary: 'List syncs, newest first',
    access: allow(readers, 'runs:read'),
    query: Page.extend({ connector_id: Id.optional(), status: Several.optional() }),
    answer: json(list(Sync)),
    errors: ['cursor_malformed'],
  },
  'syncs.figures': {
    tag: 'Syncs',
    summary: 'Five figures to watch, over the last day',
    access: allow(['admin', 'service'], 'operate:read'),
    answer: json(SyncFigures),
  },
  'syncs.show': {
    tag: 'Syncs',
    summary: 'Show a sync',
    access: allow(readers, 'runs:read'),
    params: byId,
    answer: json(Sync),
    errors: ['sync_not_found'],
  },
  'syncs.cancel': {
    tag: 'Syncs',
    summary: 'Cancel a sync, here and at Airbyte',
    access: allow(['admin', 'user', 'service'], 'runs:write'),
    params: byId,
    answer: json(Sync),
    errors: ['sync_not_found', 'event_illegal'],
  },
  'dead-letters.requeue': {
    tag: 'Runs',
    summary: 'Requeue a dead letter, for a ticket',
    access: allow(['admin', 'support']),
    params: z.object({ run_id: Id }),
    body: ForTicket,
    answer: json(RunLink, 202),
    errors: ['run_not_found', 'not_a_dead_letter', 'run_already_retried', 'sync_live', 'connector_not_found'],
  },
});
