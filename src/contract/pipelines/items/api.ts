// Items: jobs, their rows with a fate each, catalogues, exports and the pending views, under the names of the specification.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, empty, file, json } from '../../api/route.ts';
import { Count, Id, list, Several, Time } from '../../api/values.ts';
import { itemStatuses, queueStates } from './item-statuses.ts';

const OnDoubt = z.enum(['ask', 'proceed', 'fail']);
const Status = z.enum(itemStatuses);
const BigId = z.string().regex(/^\d{1,19}$/);
/** Any JSON object, as stored. */
const Cells = z.record(z.string(), z.unknown());

export const JobFields = z.object({
  processor: z.string().max(64).optional().describe('catalog unless told otherwise.'),
  options: z.string().max(20_000).optional().describe('What the processor is told, as a JSON object.'),
  catalog: z
    .string()
    .max(100)
    .optional()
    .describe('The catalogue to match with: a name, of which the newest version is taken.'),
  duplicates: z
    .enum(['skip', 'process'])
    .optional()
    .describe('What becomes of rows that are the same as an earlier one.'),
  on_doubt: OnDoubt.optional().describe('What happens when how to read the file is in doubt: ask, proceed or fail.'),
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
});

/** Instead of a file: an object of a connected source, by its key. */
export const JobReference = z.strictObject({
  ...JobFields.shape,
  source_id: Id,
  key: z.string().min(1).max(4_096).describe('As GET /v1/sources/:source_id/objects names it.'),
});

const Job = z.object({
  jobId: Id,
  run_id: Id.describe('The run that works on it now, or did last.'),
  user_id: z.int().nullable(),
  file_id: Id.nullable(),
  file_name: z.string(),
  job_type: z.enum(['csv', 'image']),
  processor: z.string(),
  processor_version: Count,
  catalog: z.string().nullable(),
  queue_state: z.enum(queueStates),
  status: z.string().describe('The state of its run: what is going on.'),
  why: z.string().nullable().describe('Why it waits, where it does.'),
  total_items: Count,
  processed_items: Count,
  failed_items: Count,
  pending_items: Count,
  done_items: Count,
  not_found_items: Count,
  error_items: Count,
  skipped_items: Count,
  processing_items: Count.describe('Claimed at the moment; among the pending ones.'),
  next_attempt_at: Time.nullable().describe('When the earliest retry is due.'),
  input_columns: z.array(z.string()),
  output_columns: z.array(z.object({ name: z.string(), title: z.string(), type: z.enum(['text', 'number', 'date']) })),
  ingest_ms: Count.nullable(),
  attempts: Count,
  last_error: z.string().nullable(),
  last_heartbeat: Time.nullable(),
  paused_by: z.string().nullable(),
  created_at: Time,
  ingested_at: Time.nullable(),
  started_at: Time.nullable(),
  finished_at: Time.nullable(),
});

const Item = z.object({
  id: BigId,
  row_index: Count,
  line: Count.nullable(),
  status: Status,
  attempts: Count,
  strategy: z.string().nullable(),
  error_code: z.string().nullable(),
  last_error: z.string().nullable(),
  locked_by: z.string().nullable(),
  locked_at: Time.nullable(),
  next_attempt_at: Time.nullable(),
  updated_at: Time.nullable(),
  input: Cells,
  corrected: z.array(z.string()).describe('Columns that a person has corrected.'),
  result: Cells.nullable(),
});

const ItemAttempt = z.object({
  attempt: Count,
  run_id: Id,
  worker: z.string().nullable(),
  strategy: z.string().nullable(),
  outcome: z.string(),
  is_final: z.boolean(),
  error_code: z.string().nullable(),
  detail: z.string().nullable(),
  answer: z.unknown(),
  request_ms: Count.nullable(),
  next_attempt_at: Time.nullable(),
  started_at: Time,
  ended_at: Time,
});

const ItemDetail = Item.extend({
  original: Cells.describe('The cells as the file has them.'),
  corrections: Cells.nullable(),
  normalized: Cells.nullable().describe('Fields that were recognised, whatever the file calls them.'),
  record: z.array(ItemAttempt),
  requests: z.array(
    z.object({ strategy: z.string(), provider: z.string(), ms: Count, outcome: z.string(), created_at: Time }),
  ),
});

/** The form fields beside `file`. */
export const CatalogFields = z.object({
  name: z.string().min(1).max(100).optional().describe('Default: the name of the file.'),
});

const PendingItem = z.object({
  id: BigId,
  jobId: Id,
  user_id: z.int().nullable(),
  job_type: z.string().nullable(),
  status: Status,
  attempts: Count,
  locked_by: z.string().nullable(),
  locked_at: Time.nullable(),
  updated_at: z.string().describe('With microseconds.'),
  inputSummary: z.object({ title: z.string().nullable(), brand: z.string().nullable(), sku: z.string().nullable() }),
});

const Catalog = z.object({
  catalog_id: Id,
  name: z.string(),
  version: Count,
  file_name: z.string(),
  rows: Count,
  skipped_rows: Count,
  columns: z.array(z.string()),
  created_at: Time,
});

const ItemExport = z.object({
  export_id: Id,
  format: z.enum(['csv', 'xlsx']),
  as_of: Time.describe('The moment the file shows.'),
  rows: Count,
  bytes: Count,
  url: z.string(),
});

const people: readonly Role[] = ['admin', 'user', 'service'];
const reading = allow(people, 'data:read');
const acting = allow(people, 'runs:write');
const byJob = z.object({ job_id: Id });
const byItem = byJob.extend({ item_id: BigId });
/** As many as a page has at most. */
const MOST_IDS = 500;
const PageSize = z.coerce.number<number | string>().int().min(1).max(500).default(100);
const After = z.string().max(512).optional().describe('Cursor from the previous answer’s "next".');

export const itemsRoutes = defineRoutes({
  'jobs.create': {
    tag: 'Items',
    summary: 'Submit a file whose rows are processed one by one',
    notes:
      'multipart/form-data with `file` (CSV, TSV, JSON, NDJSON, XLSX; or images: several files, or a ZIP of them) and the fields below. The rows are stored first, then processed; watch GET /api/jobs/:job_id. ' +
      'Or application/json that names an object of a connected source instead of a file: for admins, programs and whoever connected the source. The job belongs to who asks; of a program, to who connected the source.',
    access: allow(people, 'uploads:write'),
    body: JobFields,
    bodyKind: 'multipart',
    jsonBody: JobReference,
    answer: json(z.object({ jobId: Id }), 202),
    errors: [
      'feature_disabled',
      'processor_unknown',
      'processor_options_invalid',
      'catalog_not_found',
      'source_not_found',
      'source_object_gone',
      'source_object_denied',
      'source_file_changing',
      'source_denied',
      'source_place_gone',
      'source_unreachable',
      'not_available',
    ],
  },
  'jobs.try': {
    tag: 'Items',
    summary: 'Try the first five rows of a file, before there is a job',
    notes: 'As POST /api/jobs: the same fields, one table. The rows go through the processor; nothing is stored.',
    access: allow(people, 'uploads:write'),
    body: JobFields,
    bodyKind: 'multipart',
    answer: json(
      z.object({
        input_columns: z.array(z.string()),
        output_columns: Job.shape.output_columns,
        rows: z.array(
          z.object({
            row_index: Count,
            input: Cells,
            normalized: Cells.nullable(),
            outcome: z.enum(['FOUND', 'NOT_FOUND', 'SKIPPED', 'ERROR', 'RETRY']),
            result: Cells.nullable(),
            error_code: z.string().nullable(),
            detail: z.string().nullable(),
            ms: Count,
            requests: z.array(z.object({ provider: z.string(), outcome: z.string(), ms: Count })),
          }),
        ),
      }),
    ),
    errors: ['feature_disabled', 'processor_unknown', 'processor_options_invalid', 'catalog_not_found'],
  },
  'jobs.list': {
    tag: 'Items',
    summary: 'Jobs, newest first',
    notes: 'People see their own; admins and programs those of the whole tenant unless they ask for userId=me.',
    access: reading,
    query: z.object({ userId: z.enum(['me', 'all']).optional(), pageSize: PageSize, after: After }),
    answer: json(list(Job.omit({ why: true, next_attempt_at: true, processing_items: true }))),
    errors: ['feature_disabled', 'cursor_malformed', 'only_own_jobs'],
  },
  'jobs.show': {
    tag: 'Items',
    summary: 'Show a job with its counters, and why it waits',
    access: reading,
    params: byJob,
    answer: json(Job),
    errors: ['feature_disabled', 'job_not_found'],
  },
  'jobs.remove': {
    tag: 'Items',
    summary: 'Delete a job with its items, results and pending entries',
    notes: 'The runs stay in the ledger, with their receipts.',
    access: acting,
    params: byJob,
    answer: empty,
    errors: ['feature_disabled', 'job_not_found', 'job_still_running'],
  },
  'jobs.items': {
    tag: 'Items',
    summary: 'The items of a job by cursor: the grid, and its pending tab',
    notes:
      'sort=row_index is the order of the file. sort=updated_at is the order of the pending views: no item comes twice in one listing; what changes meanwhile comes with `since`.',
    access: reading,
    params: byJob,
    query: z.object({
      status: Several.optional().describe('The same as statuses.'),
      statuses: Several.optional().describe(
        'PENDING, PROCESSING, DONE, ERROR, NOT_FOUND, SKIPPED, separated by commas.',
      ),
      sort: z.string().max(40).optional().describe('row_index (the default) or updated_at.'),
      column: z.string().max(300).optional().describe('Look for the text in this column only.'),
      text: z.string().max(200).optional().describe('Only items that hold this text, whatever its case.'),
      since: z
        .string()
        .max(64)
        .optional()
        .describe('Only items that changed after this moment: `as_of` of an answer before.'),
      ids: z
        .string()
        .max(6_000)
        .optional()
        .describe(`Only these items, up to ${MOST_IDS}: to look again at rows that are on a screen.`),
      page: z.coerce.number<number | string>().int().min(1).optional(),
      afterRow: z.coerce
        .number<number | string>()
        .int()
        .min(-1)
        .max(2_147_483_647)
        .optional()
        .describe('Instead of a cursor: rows after this row_index. For grids that jump to a place.'),
      pageSize: PageSize,
      after: After,
    }),
    answer: json(
      list(Item).extend({
        as_of: z.string().describe('The moment of the listing, with microseconds.'),
      }),
    ),
    errors: [
      'feature_disabled',
      'job_not_found',
      'cursor_malformed',
      'page_without_cursor',
      'sort_unknown',
      'status_not_pending',
      'item_statuses_unknown',
    ],
  },
  'jobs.item': {
    tag: 'Items',
    summary: 'One item with every attempt, strategy, request and answer',
    access: reading,
    params: byItem,
    answer: json(ItemDetail),
    errors: ['feature_disabled', 'job_not_found', 'item_not_found'],
  },
  'jobs.correct': {
    tag: 'Items',
    summary: 'Correct cells of an item and process it again',
    notes: 'The original stays. null takes a correction back.',
    access: acting,
    params: byItem,
    body: z.strictObject({ cells: z.record(z.string().max(300), z.string().max(100_000).nullable()) }),
    answer: json(ItemDetail),
    errors: ['feature_disabled', 'job_not_found', 'item_not_found', 'item_at_work', 'correction_invalid'],
  },
  'jobs.kickoff': {
    tag: 'Items',
    summary: 'Process a slice in this request and answer',
    notes: 'May be repeated, and is safe beside workers.',
    access: acting,
    params: byJob,
    query: z.object({ durationMs: z.coerce.number<number | string>().int().min(1).max(30_000).default(5_000) }),
    answer: json(z.object({ jobId: Id, processed: Count, remaining: Count, queue_state: z.enum(queueStates) })),
    errors: ['feature_disabled', 'job_not_found', 'job_paused', 'job_ended', 'job_not_ingested', 'job_not_read'],
  },
  'jobs.pause': {
    tag: 'Items',
    summary: 'Pause a job: slices at work are finished, and no other one begins',
    access: acting,
    params: byJob,
    answer: json(Job),
    errors: ['feature_disabled', 'job_not_found', 'job_ended'],
  },
  'jobs.resume': {
    tag: 'Items',
    summary: 'Resume a paused job; a job that waits checks at once whether an item is due',
    access: acting,
    params: byJob,
    answer: json(Job),
    errors: ['feature_disabled', 'job_not_found', 'job_ended', 'job_not_paused'],
  },
  'jobs.reprocess': {
    tag: 'Items',
    summary: 'Process items again: all of the job with these statuses, or those that are named',
    notes:
      'ERROR and NOT_FOUND unless told otherwise. Their attempts start again at zero; the record of earlier ones stays.',
    access: acting,
    params: byJob,
    body: z
      .strictObject({
        scope: z.enum(['job', 'items']).default('job'),
        itemIds: z.array(BigId).min(1).max(10_000).optional(),
        statuses: z.array(Status).min(1).optional(),
      })
      .optional(),
    answer: json(
      z.object({ jobId: Id, run_id: Id, reset: Count, skipped: Count.describe('At work, or of another status.') }),
      202,
    ),
    errors: ['feature_disabled', 'job_not_found', 'job_not_ingested', 'job_not_read'],
  },
  'jobs.export': {
    tag: 'Items',
    summary: 'Write every item of the job into a file, in the order of the grid',
    notes: 'Answers when the file is stored; download it from `url`, in parts if need be (Range).',
    access: reading,
    params: byJob,
    query: z.object({ format: z.enum(['xlsx', 'csv']).default('xlsx') }),
    answer: json(ItemExport, 201),
    errors: ['feature_disabled', 'job_not_found', 'job_not_ingested', 'job_not_read'],
  },
  'jobs.exported': {
    tag: 'Items',
    summary: 'Download an export, whole or in parts',
    access: reading,
    params: byJob.extend({ export_id: Id }),
    answer: file('application/octet-stream'),
    errors: ['feature_disabled', 'job_not_found', 'export_not_found', 'range_unsatisfiable'],
  },
  'ingestion.scan': {
    tag: 'Items',
    summary: 'Sync the connected sources that feed items',
    notes:
      'All of them that are not paused, or the one that is named. Each new or changed object becomes a job, which belongs to who connected the source. If a sync of one is at work already, the answer names it with created: false.',
    access: allow(['admin', 'service'], 'runs:write'),
    body: z.strictObject({ source_id: Id.optional() }).optional(),
    answer: json(
      z.object({ scans: z.array(z.object({ source_id: Id, name: z.string(), run_id: Id, created: z.boolean() })) }),
      202,
    ),
    errors: ['feature_disabled', 'source_not_found', 'source_paused', 'source_settings_invalid', 'not_available'],
  },
  'pending.list': {
    tag: 'Items',
    summary: 'Pending items of all jobs, oldest change first',
    access: reading,
    query: z.object({
      statuses: Several.optional().describe('PENDING and PROCESSING, or one of them.'),
      userId: z.string().max(20).optional().describe('me, all or, for admins, the id of a user.'),
      jobType: z.enum(['csv', 'image']).optional(),
      jobId: Id.optional(),
      from: Time.optional(),
      to: Time.optional(),
      pageSize: PageSize,
      after: After,
    }),
    answer: json(
      list(PendingItem).extend({
        as_of: z.string(),
        pending_count: Count.describe('Counted at most a minute ago.'),
      }),
    ),
    errors: ['feature_disabled', 'cursor_malformed', 'only_own_jobs', 'item_statuses_unknown', 'status_not_pending'],
  },
  'catalogs.create': {
    tag: 'Items',
    summary: 'Upload a catalogue or price list, or a new version of one',
    notes: 'multipart/form-data with `file` and `name`. Jobs keep the version they were submitted with.',
    access: allow(people, 'uploads:write'),
    body: CatalogFields,
    bodyKind: 'multipart',
    answer: json(Catalog, 201),
    errors: ['feature_disabled', 'catalog_unusable'],
  },
  'catalogs.list': {
    tag: 'Items',
    summary: 'Catalogues, the newest version of each',
    access: reading,
    answer: json(z.object({ data: z.array(Catalog) })),
    errors: ['feature_disabled'],
  },
  'catalogs.remove': {
    tag: 'Items',
    summary: 'Delete a version of a catalogue',
    access: allow(['admin'], 'runs:write'),
    params: z.object({ catalog_id: Id }),
    answer: empty,
    errors: ['feature_disabled', 'catalog_not_found'],
  },
});
