// Batches of court judgments, what they stored, and the review of plaintiffs that may be one person.
import { z } from 'zod';
import { MappingWrite, Reading, ReadingOverrides } from '../../api/reading.ts';
import { Receipt } from '../../api/receipt.ts';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, empty, json } from '../../api/route.ts';
import { Phase } from '../../api/runs.ts';
import { CorrectsField } from '../../api/uploads.ts';
import { Count, Day, Decimal, Id, list, Page, Several, Time } from '../../api/values.ts';

/** A number of ours, in a path. */
const Numbered = z.string().regex(/^\d{1,15}$/);

/** The form fields beside `file`. */
export const BatchFields = z.object({
  source_batch_id: z.string().max(200).optional().describe('Once per tenant. Default: made from vendor and file name.'),
  vendor: z.string().max(60).optional().describe('Who sent the file. Default: simplicity.'),
  supersede: z
    .enum(['true', 'false'])
    .optional()
    .describe('The file replaces an earlier one of the same id: a new, linked revision.'),
  policy: z
    .string()
    .max(500)
    .optional()
    .describe(
      'What an empty cell does: column=keep, column=overwrite or column=clear, separated by commas. Default: keep.',
    ),
  null_token: z.string().max(20).optional().describe('A cell with this text empties the stored value. Default: \\N.'),
  on_doubt: z
    .enum(['ask', 'proceed', 'fail'])
    .optional()
    .describe(
      'What happens when how to read the file is in doubt: ask (default): the run waits for an answer; proceed: it goes on as decided; ' +
        'fail: it fails with reading_doubtful.',
    ),
  corrects: Id.optional().describe(
    'The run whose downloaded rejects this file corrects. Leave out the other fields: Millrace takes them from that run.',
  ),
  retry_of: CorrectsField.retry_of,
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
});

const BatchAnswer = z.object({
  run_id: Id,
  source_batch_id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  outcome: z.enum(['accepted', 'skipped']),
  reason: z
    .enum(['duplicate_completed', 'duplicate_pending', 'duplicate_processing'])
    .optional()
    .describe('Why it was skipped: the same id and bytes were uploaded before.'),
  supersedes: Id.optional().describe('The run that this revision replaces.'),
  same_bytes_as: z
    .object({ run_id: Id, source_batch_id: z.string().nullable() })
    .optional()
    .describe('An earlier batch of exactly these bytes under another id.'),
});

const Batch = z.object({
  run_id: Id,
  source_batch_id: z.string(),
  file_hash: z.string().nullable(),
  filename: z.string().nullable(),
  status: z.string(),
  phase: Phase,
  record_count: Count.nullable(),
  receipt: Receipt.nullable(),
  error_type: z.string().nullable(),
  error_text: z.string().nullable(),
  retry_of: Id.nullable(),
  supersedes: Id.nullable(),
  created_at: Time,
  started_at: Time.nullable(),
  completed_at: Time.nullable(),
});

const Judgment = z.object({
  id: Count,
  case_number: z.string(),
  county: z.string().nullable(),
  plaintiff_name: z.string().nullable(),
  defendant_name: z.string().nullable(),
  judgment_amount: Decimal.nullable(),
  filing_date: Day.nullable(),
  plaintiff_id: Count.nullable().describe('The plaintiff it belongs to, after accepted merges.'),
  source_file: z.string().nullable(),
  run_id: Id,
  line: Count,
  created_at: Time,
  updated_at: Time,
});

const Plaintiff = z.object({
  id: Count,
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  address: z.string().nullable(),
  known_by: z.enum(['email', 'phone', 'name', 'case', 'split']),
  merged_into: Count.nullable(),
  judgments: Count,
  created_at: Time,
  updated_at: Time,
});

const Side = Plaintiff.pick({ id: true, name: true, email: true, phone: true, address: true });

const PlaintiffReview = z.object({
  id: Count,
  reason: z.enum(['same_name', 'shared_phone', 'split']),
  status: z.enum(['open', 'accepted', 'rejected', 'split', 'undone']),
  plaintiff: Side,
  match: Side,
  decided_by: z.string().nullable(),
  decided_at: Time.nullable(),
  created_at: Time,
});

const ReviewDecision = z.strictObject({
  decision: z.enum(['accept', 'reject', 'undo']),
  all: z.boolean().optional().describe('Decide every open review of the same match in the same way.'),
});

const BatchMapping = z.object({
  fingerprint: z.string().describe('Of the header; the next file with the same header uses this mapping.'),
  version: Count.describe('0: nothing is saved, this is what names suggest.'),
  origin: z.enum(['preset', 'saved', 'proposed']),
  columns: z.array(z.object({ index: Count, header: z.string(), field: z.string().nullable(), reason: z.string() })),
  fields: z.array(z.object({ name: z.string(), label: z.string(), type: z.string() })),
});

const people: readonly Role[] = ['admin', 'user', 'service'];
const reading = allow(people, 'data:read');
const byBatch = z.object({ batch_id: z.string().max(220).describe('The batch id: its newest revision is meant.') });

export const judgmentRoutes = defineRoutes({
  'batches.create': {
    tag: 'Judgments',
    summary: 'Upload a batch of judgments',
    notes:
      'multipart/form-data with `file` and the fields below. The same id with the same bytes is skipped and names the run; with other bytes it is refused unless `supersede` is set. With `corrects` the file has corrected rejects of that run; they become a run of their own beside the batch.',
    access: allow(people, 'uploads:write'),
    body: BatchFields,
    bodyKind: 'multipart',
    answer: json(BatchAnswer, 202),
    errors: [
      'run_not_found',
      'batch_content_changed',
      'batch_failed_before',
      'batch_still_running',
      'batch_id_invalid',
      'policy_invalid',
    ],
  },
  'batches.list': {
    tag: 'Judgments',
    summary: 'Batches, newest first',
    access: allow(people, 'runs:read'),
    query: Page.extend({ status: Several.optional() }),
    answer: json(list(Batch)),
    errors: ['cursor_malformed'],
  },
  'batches.checks': {
    tag: 'Judgments',
    summary: 'Check that the database stores each batch once',
    notes:
      'Stale batches, unique keys, row-level security, the status guard and rights: what "millrace golden-path" looks at first.',
    access: allow(['admin', 'service'], 'operate:read'),
    answer: json(z.object({ data: z.array(z.object({ name: z.string(), holds: z.boolean(), detail: z.string() })) })),
  },
  'batches.show': {
    tag: 'Judgments',
    summary: 'The newest revision of a batch',
    access: allow(people, 'runs:read'),
    params: byBatch,
    answer: json(Batch),
    errors: ['batch_not_found'],
  },
  'batches.reading': {
    tag: 'Judgments',
    summary: 'How the file of the batch was read: encoding, delimiter, header, lines set aside',
    notes: '`upload_id` is the run.',
    access: allow(people, 'runs:read'),
    params: byBatch,
    answer: json(Reading),
    errors: ['batch_not_found', 'reading_not_ready'],
  },
  'batches.override': {
    tag: 'Judgments',
    summary: 'Say how the file of the batch is to be read instead; null takes an override back',
    notes: 'Takes effect when the run is retried.',
    access: allow(people, 'runs:write'),
    params: byBatch,
    body: ReadingOverrides,
    answer: json(Reading),
    errors: ['batch_not_found'],
  },
  'batches.mapping': {
    tag: 'Judgments',
    summary: 'Which column of the batch feeds which field, and why',
    access: allow(people, 'runs:read'),
    params: byBatch,
    answer: json(BatchMapping),
    errors: ['batch_not_found', 'reading_not_ready'],
  },
  'batches.map': {
    tag: 'Judgments',
    summary: 'Map the columns and save that as a new version',
    notes: 'Takes effect when the batch is retried, and for later files with the same header.',
    access: allow(people, 'runs:write'),
    params: byBatch,
    body: MappingWrite.omit({ constants: true }),
    answer: json(BatchMapping),
    errors: ['batch_not_found', 'reading_not_ready', 'mapping_invalid', 'mapping_conflict'],
  },
  'batches.remove': {
    tag: 'Judgments',
    summary: 'Remove the rows that a batch of the golden path stored',
    notes: 'The run stays in the ledger. Any other batch is refused.',
    access: allow(['admin', 'service'], 'runs:write'),
    params: byBatch,
    answer: empty,
    errors: ['batch_not_found', 'batch_removal_refused'],
  },
  'judgments.list': {
    tag: 'Judgments',
    summary: 'Stored judgments, in the order of their first import',
    access: reading,
    query: Page.extend({
      case_number: z.string().max(200).optional(),
      county: z.string().max(200).optional(),
      plaintiff_id: Numbered.optional(),
      run_id: Id.optional().describe('Cases that this batch inserted or changed last.'),
    }),
    answer: json(list(Judgment)),
    errors: ['cursor_malformed'],
  },
  'plaintiffs.list': {
    tag: 'Judgments',
    summary: 'Plaintiffs, in the order of their first appearance',
    access: reading,
    query: Page.extend({ name: z.string().max(200).optional().describe('The name, whatever its case and accents.') }),
    answer: json(list(Plaintiff)),
    errors: ['cursor_malformed'],
  },
  'plaintiffs.split': {
    tag: 'Judgments',
    summary: 'Take cases away from a plaintiff and give them to a new one',
    notes: 'Later imports leave these cases where they are. Undo it by the review that is returned.',
    access: allow(['admin', 'user'], 'runs:write'),
    params: z.object({ plaintiff_id: Numbered }),
    body: z.strictObject({ judgment_ids: z.array(Count).min(1).max(1000) }),
    answer: json(PlaintiffReview, 201),
    errors: ['plaintiff_not_found', 'split_invalid'],
  },
  'plaintiff-reviews.list': {
    tag: 'Judgments',
    summary: 'Plaintiffs that may be one person',
    access: reading,
    query: Page.extend({ status: Several.optional().describe('Default: open.') }),
    answer: json(list(PlaintiffReview)),
    errors: ['cursor_malformed'],
  },
  'plaintiff-reviews.decide': {
    tag: 'Judgments',
    summary: 'Accept, reject or undo',
    notes: 'Accepting merges the two; nothing is lost, and undoing takes them apart again.',
    access: allow(['admin', 'user'], 'runs:write'),
    params: z.object({ review_id: Numbered }),
    body: ReviewDecision,
    answer: json(z.object({ decided: Count, review: PlaintiffReview })),
    errors: ['review_not_found', 'review_decided'],
  },
});
