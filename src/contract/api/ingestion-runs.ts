// Ingestion runs: every run of the ledger under the four words of the document specification, with page numbers beside cursors. A
// second face, not a second ledger: work_run_id opens the whole story at /v1/runs/:run_id.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { Count, Id, list, Page, Time } from './values.ts';

const ingestionStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;
export type IngestionStatus = (typeof ingestionStatuses)[number];

export const IngestionStatus = z
  .enum(ingestionStatuses)
  .describe(
    'queued: nobody works on it now (not started, between two stages, waiting for its next try, or held: see `held`). ' +
      'running: a worker does. succeeded: done, also when rows were refused or left out (see stats). ' +
      'failed: ended without its effect, cancelled and dead letters included (see error).',
  );

/** How a run came to be. `config.source_type` keeps the channel of the first one when it is a retry or a replay. */
export const runTypes = [
  'manual_upload',
  'api',
  'webhook',
  'folder',
  's3_sync',
  'airbyte_sync',
  'schedule',
  'source',
  'replay',
  'retry',
] as const;

const RunType = z
  .enum(runTypes)
  .describe(
    'retry: after a failed run (not of a document, whose retries are attempts of the same run). ' +
      'replay: corrected rows of an earlier one. source: another configured source.',
  );

const IngestionConfig = z.object({
  source_type: z
    .string()
    .describe('The channel it came through: upload, api, webhook, folder, s3, airbyte, schedule …'),
  created_by_user_id: Id.nullable().describe('null when a program or a schedule made it, or the user is gone.'),
  upload_uri: z
    .string()
    .nullable()
    .describe('Where this server gives the file out, for callers who may read it; null without a file.'),
  title: z.string().nullable(),
  original_filename: z.string().nullable(),
  content_type: z.string().nullable().describe('As found in the bytes, not as the sender said.'),
  file_size_bytes: Count.nullable(),
  content_hash: z.string().nullable().describe('sha256:<hex> of the bytes.'),
  retry_of: Id.nullable(),
  retried_as: Id.nullable().describe('The run that does the work now, where this one failed and was retried.'),
  replay_of: Id.nullable(),
});

export const IngestionRun = z.object({
  run_id: Id,
  tenant_id: Id,
  status: IngestionStatus,
  run_type: RunType,
  pipeline: z.string(),
  created_at: Time,
  started_at: Time.nullable().describe('When work first began; kept across attempts, which have times of their own.'),
  finished_at: Time.nullable(),
  updated_at: Time.describe('The last activity: a change of the run, or progress of its worker.'),
  config: IngestionConfig,
  stats: z
    .record(z.string(), z.number())
    .nullable()
    .describe('The receipt as plain numbers; null while there is none.'),
  error: z.string().nullable().describe('Why it failed; null unless status is failed.'),
  error_code: z.string().nullable(),
  held: z.boolean().describe('A person holds it: it stays queued until somebody resumes it.'),
  attempts: Count.describe(
    '1, and one more for each time a person retried it. Tries that Millrace makes by itself are not counted.',
  ),
  work_run_id: Id.describe('The run of the ledger that does the work: /v1/runs/:work_run_id tells its whole story.'),
});

/** Page numbers reach this many runs from the newest one; beyond, `after` goes on at any depth. */
export const PAGE_REACH = 10_000;

const words = ingestionStatuses.join('|');

const IngestionRunsQuery = Page.extend({
  page: z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .optional()
    .describe(`From 1, the default. page × limit may be ${PAGE_REACH} at most. Not together with \`after\`.`),
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(20),
  status: z
    .string()
    .regex(new RegExp(`^(?:${words})(?:,(?:${words}))*$`), `one or several of ${ingestionStatuses.join(', ')}`)
    .optional()
    .describe('One status or several, separated by commas.'),
});

const IngestionRunList = list(IngestionRun).extend({
  page: Count.nullable().describe('null when `after` was given.'),
  limit: Count,
  total: Count.nullable().describe(
    'Runs that match; at least so many where total_is_exact is false. null with `after`.',
  ),
  total_pages: Count.nullable().describe('Pages that can be asked for by number. null with `after`.'),
  total_is_exact: z.boolean().nullable(),
});

const readers: readonly Role[] = ['admin', 'user', 'support', 'service'];
const byId = z.object({ run_id: Id });

export const ingestionRunRoutes = defineRoutes({
  'ingestion-runs.list': {
    tag: 'Runs',
    summary: 'List ingestion runs, newest first, by page or by cursor',
    notes:
      `Either page and limit, or \`after\` with the \`next\` of an earlier answer. Only the newest ${PAGE_REACH} runs the filter has to ` +
      'look at are counted, so that a request costs the same however large the ledger is. A page by number may shift while runs ' +
      'come in; the cursor does not. Support sees dead letters only.',
    access: allow(readers, 'runs:read'),
    query: IngestionRunsQuery,
    answer: json(IngestionRunList),
    errors: ['cursor_malformed', 'page_with_cursor', 'page_too_deep'],
  },
  'ingestion-runs.show': {
    tag: 'Runs',
    summary: 'Show an ingestion run',
    access: allow(readers, 'runs:read'),
    params: byId,
    answer: json(IngestionRun),
    errors: ['run_not_found'],
  },
  'ingestion-runs.retry': {
    tag: 'Runs',
    summary: 'Retry a failed ingestion run',
    notes:
      'A document keeps its run_id: the retry is its next attempt, and whoever polls it sees it queued again. Other pipelines answer with a new run, linked by ' +
      'config.retry_of; the failed one names it in config.retried_as. Two clicks make one retry.',
    access: allow(['admin', 'user', 'service'], 'runs:write'),
    params: byId,
    body: z.strictObject({ reason: z.string().max(500).optional() }).optional(),
    answer: json(IngestionRun, 202),
    errors: ['run_not_found', 'event_illegal'],
  },
});
