// Uploads: files, streamed to the blob store before the run exists. An upload's id is its run's id.
import { z } from 'zod';
import { Receipt } from './receipt.ts';
import { allow, type Role } from './roles.ts';
import { defineRoutes, file, json } from './route.ts';
import { Phase } from './runs.ts';
import { Count, Day, Id, list, Page, Several, Time } from './values.ts';

export const Platform = z.enum(['meta', 'google', 'tiktok']);

/** Names the run whose rejects a file corrects. `retry_of` of a run is another thing: the run that it retries. */
export const CorrectsField = {
  corrects: Id.optional().describe('The run whose downloaded rejects this file corrects.'),
  retry_of: Id.optional().describe('The former name of `corrects`; still accepted.'),
};

/** The form fields beside `file`. Send `file` last, so that the fields are known while it streams. */
export const UploadFields = z.object({
  pipeline: z.string().max(60).optional().describe('Default: ads.'),
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
  client_id: Id.optional(),
  platform: Platform.optional().describe('Needed by the ads pipeline.'),
  source: z.enum(['manual', 'api', 'webhook']).optional().describe('Default: manual.'),
  filename: z.string().max(1024).optional().describe('Default: the name of the file part.'),
  force_partial: z
    .enum(['true', 'false'])
    .optional()
    .describe('Promote the valid rows even when fewer than 90 % are valid.'),
  reported_at: Time.optional().describe('When the numbers were reported; older ones never overwrite newer ones.'),
  mapping_id: Id.optional(),
  day: Day.optional().describe('Ads: the day of every row, where the file has none. Holds for this file alone.'),
  as_period: z
    .enum(['true', 'false'])
    .optional()
    .describe('Ads: store rows that cover several days as one number of that period.'),
  reading: z
    .string()
    .max(20_000)
    .optional()
    .describe('How the file is to be read where detection would be wrong: the body of PUT …/reading, as JSON text.'),
  on_doubt: z
    .enum(['ask', 'proceed', 'fail'])
    .optional()
    .describe(
      'What happens when how to read the file is in doubt, so that rows would be lost or a meaning guessed: ask (default): the run waits for an ' +
        'answer; proceed: it goes on as decided; fail: it fails with reading_doubtful.',
    ),
  ...CorrectsField,
  created_by: Id.optional().describe('Taken from the credential; a different value is refused.'),
});

/** The body when rows are sent as JSON instead of a file (source api or webhook). */
export const UploadRows = UploadFields.extend({
  force_partial: z.boolean().optional(),
  as_period: z.boolean().optional(),
  reading: z.record(z.string(), z.unknown()).optional().describe('As the body of PUT …/reading.'),
  rows: z.array(z.record(z.string(), z.unknown())).min(1).max(100_000),
});

export const UploadAnswer = z.object({
  upload_id: Id,
  status: z
    .string()
    .describe('pending, or skipped: nothing new was made, and upload_id is the run that has this file.'),
  reason: z.string().optional().describe('Why it was skipped.'),
  updated: z
    .array(z.string())
    .optional()
    .describe('Given with a file that was skipped, and changed all the same: title, tags.'),
  same_bytes_as: Id.optional().describe('An earlier upload of exactly these bytes.'),
});

export const Upload = z.object({
  upload_id: Id,
  workspace_id: Id,
  client_id: Id.nullable(),
  pipeline: z.string(),
  platform: z.string().nullable(),
  source: z.string().nullable(),
  filename: z.string().nullable(),
  size_bytes: Count.nullable(),
  sha256: z.string().nullable(),
  status: z.string(),
  phase: Phase,
  row_count: Count.nullable().describe('Rows that are in the tables, once the upload has ended well.'),
  receipt: Receipt.nullable(),
  error_text: z.string().nullable(),
  reported_at: Time.nullable(),
  same_bytes_as: Id.nullable(),
  created_by: z.string().nullable(),
  created_at: Time,
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
export const byUpload = z.object({ upload_id: Id });

export const uploadRoutes = defineRoutes({
  'uploads.create': {
    tag: 'Uploads',
    summary: 'Upload a file',
    notes: 'multipart/form-data with `file` and the fields below, or application/json with `rows`.',
    access: allow(readers, 'uploads:write'),
    body: UploadFields,
    bodyKind: 'multipart',
    answer: json(UploadAnswer, 202),
    errors: ['workspace_mismatch', 'run_not_found', 'client_not_found'],
  },
  'uploads.list': {
    tag: 'Uploads',
    summary: 'List uploads, newest first',
    access: allow(readers, 'runs:read'),
    query: Page.extend({ pipeline: Several.optional(), platform: Several.optional(), status: Several.optional() }),
    answer: json(list(Upload)),
    errors: ['cursor_malformed'],
  },
  'uploads.show': {
    tag: 'Uploads',
    summary: 'Show an upload',
    access: allow(readers, 'runs:read'),
    params: byUpload,
    answer: json(Upload),
    errors: ['upload_not_found'],
  },
  'uploads.original': {
    tag: 'Uploads',
    summary: 'Download the file exactly as it was uploaded',
    access: allow(readers, 'runs:read'),
    params: byUpload,
    answer: file('application/octet-stream'),
    errors: ['upload_not_found', 'blob_missing'],
  },
});
