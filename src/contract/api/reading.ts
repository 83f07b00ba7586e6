// How a file was read and how its columns were understood. Both can be overridden per upload; a mapping is saved as a version.
import { z } from 'zod';
import { Doubt } from './questions.ts';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { byUpload } from './uploads.ts';
import { Count, Day, Id, list, Page, Time } from './values.ts';

const detected = <const S extends z.ZodType>(value: S) =>
  z.object({
    value,
    confidence: z.enum(['certain', 'likely', 'guess']),
    reason: z.string(),
    overridden: z.boolean(),
  });

const SetAsideLine = z.object({
  line: Count,
  kind: z.enum(['preamble', 'title', 'header', 'blank', 'total', 'footer']),
  text: z.string(),
  put_back: z.boolean(),
});

export const Reading = z.object({
  upload_id: Id,
  format: detected(z.enum(['csv', 'json', 'ndjson', 'xlsx'])),
  encoding: detected(z.string().nullable()),
  delimiter: detected(z.string().nullable()),
  quote: detected(z.string().nullable()),
  escape: detected(z.enum(['double', 'backslash']).nullable()).describe('How a quote inside quotes is written.'),
  line_end: detected(z.string().nullable()),
  header_line: detected(Count.nullable()),
  header_lines: detected(z.array(Count)).describe(
    'More than one where group titles stand above the names; none without a header.',
  ),
  sheet: detected(z.string().nullable()),
  sheets: z.array(z.string()),
  records_key: detected(z.string().nullable()).describe('JSON: the key of the list of records.'),
  decimal: detected(z.enum([',', '.']).nullable()),
  thousands: detected(z.string().nullable()).describe('Blanks and apostrophes are understood as well.'),
  date_order: detected(z.enum(['ymd', 'dmy', 'mdy']).nullable()),
  date_orders: z
    .record(z.string(), detected(z.enum(['ymd', 'dmy', 'mdy', 'serial', 'unknown'])))
    .describe('By column.'),
  empty_markers: detected(z.array(z.string())),
  total_words: detected(z.array(z.string())).describe('What the label of a total row begins with.'),
  furniture: z.array(SetAsideLine),
  header: z.array(z.string()),
  sample: z.array(z.object({ line: Count, cells: z.array(z.string().nullable()) })),
  warnings: z
    .array(z.object({ code: z.string(), column: z.string().nullable(), message: z.string() }))
    .describe('What to look at before trusting the reading.'),
  doubts: z.array(Doubt.extend({ holds: z.boolean().describe('It is asked before anything is stored.') })),
});

export const ReadingOverrides = z.strictObject({
  encoding: z.string().max(40).nullable().optional(),
  delimiter: z.string().min(1).max(8).nullable().optional().describe('One sign or several, as `||`.'),
  quote: z.string().max(1).nullable().optional().describe('An empty text: nothing is quoted.'),
  escape: z.enum(['double', 'backslash']).nullable().optional(),
  header_line: Count.nullable().optional(),
  header_lines: z.array(Count).max(5).nullable().optional().describe('One to five; an empty list: there is no header.'),
  sheet: z.string().max(200).nullable().optional(),
  records_key: z.string().max(200).nullable().optional(),
  decimal: z
    .enum([',', '.'])
    .nullable()
    .optional()
    .describe('The other sign, blanks and apostrophes separate thousands.'),
  date_order: z.enum(['ymd', 'dmy', 'mdy']).nullable().optional(),
  date_orders: z
    .record(z.string(), z.enum(['ymd', 'dmy', 'mdy', 'serial']))
    .nullable()
    .optional()
    .describe('By column, where they differ.'),
  empty_markers: z
    .array(z.string().max(40))
    .max(40)
    .nullable()
    .optional()
    .describe('What stands for no value, instead of the usual markers.'),
  total_words: z
    .array(z.string().max(60))
    .max(100)
    .nullable()
    .optional()
    .describe('What the label of a total row begins with, instead of the usual words.'),
  put_back: z.array(Count).max(1000).optional().describe('Set-aside lines to be read as data after all.'),
});

/** Said for one file and no other: the next one with the same header asks again. */
export const UploadChoices = z.strictObject({
  day: Day.optional().describe('The day of every row, where the file has none.'),
  as_period: z.boolean().optional().describe('Rows that cover several days are stored as one number of that period.'),
  add_repeated: z.boolean().optional().describe('Rows with the same day and ids are parts of one number and added up.'),
  names_apart: z
    .boolean()
    .optional()
    .describe('A name that several campaigns, ad sets or ads have is stored as a separate one.'),
  without_columns: z
    .array(z.string().max(500))
    .max(100)
    .optional()
    .describe('Columns that are not read, by header: a level whose names are all empty, for instance.'),
});

const MappedColumn = z.object({
  index: Count,
  header: z.string(),
  field: z.string().nullable().describe('null: not mapped, the column is kept as it is and not read.'),
  confidence: z.enum(['exact', 'likely', 'guess', 'none']),
  reason: z.string(),
  samples: z.array(z.string()),
  fill_rate: z.number().min(0).max(1),
});

const TargetField = z.object({
  name: z.string(),
  label: z.string(),
  type: z.string(),
  required: z.boolean(),
});

export const Mapping = z.object({
  mapping_id: Id.nullable(),
  name: z.string().nullable(),
  version: Count,
  fingerprint: z.string().describe('Of the header; the next file with the same header uses this mapping.'),
  pipeline: z.string(),
  platform: z.string().nullable(),
  origin: z.enum(['preset', 'saved', 'proposed']),
  columns: z.array(MappedColumn),
  constants: z
    .record(z.string(), z.string())
    .describe('By field: what every row has, where the file has no column for it.'),
  fields: z.array(TargetField),
  missing: z.array(z.string()).describe('Required fields that no column is mapped to.'),
});

export const MappingWrite = z.strictObject({
  name: z.string().trim().min(1).max(200).optional(),
  reading: ReadingOverrides.omit({ put_back: true })
    .optional()
    .describe('How files of this kind are to be read. Left out: as before, and as was said for this upload.'),
  columns: z.array(z.strictObject({ index: Count, field: z.string().max(100).nullable() })).max(5000),
  constants: z
    .record(z.string().max(100), z.string().max(500))
    .optional()
    .describe(
      'By field: what every row has, such as a currency; no numbers. Replaces all of them. Left out: as before.',
    ),
});

export const SavedMapping = z.object({
  mapping_id: Id,
  name: z.string(),
  version: Count,
  fingerprint: z.string(),
  pipeline: z.string(),
  platform: z.string().nullable(),
  columns: z.array(z.object({ header: z.string(), field: z.string().nullable() })),
  constants: z.record(z.string(), z.string()),
  reading: z.record(z.string(), z.unknown()).describe('How files of this kind are read, where that is not detected.'),
  created_by: z.string().nullable(),
  created_at: Time,
});

const byRun = z.object({ run_id: Id });
const people: readonly Role[] = ['admin', 'user', 'service'];

export const readingRoutes = defineRoutes({
  'runs.reading': {
    tag: 'Runs',
    summary: 'How the file of a run was read: encoding, delimiter, header, lines set aside',
    notes: 'For runs of pipelines that read tables. `upload_id` is the run.',
    access: allow(people, 'runs:read'),
    params: byRun,
    answer: json(Reading),
    errors: ['run_not_found', 'reading_not_ready', 'not_available'],
  },
  'runs.override': {
    tag: 'Runs',
    summary: 'Say how the file of a run is to be read instead; null takes an override back',
    notes: 'Takes effect when the run is retried. A job of items that has stored rows is not read again.',
    access: allow(people, 'runs:write'),
    params: byRun,
    body: ReadingOverrides,
    answer: json(Reading),
    errors: ['run_not_found', 'upload_not_found', 'rows_stored_already', 'not_available'],
  },
  'runs.mapping': {
    tag: 'Runs',
    summary: 'Which column of a run’s file feeds which field, how sure that is, and why',
    access: allow(people, 'runs:read'),
    params: byRun,
    answer: json(Mapping),
    errors: ['run_not_found', 'reading_not_ready', 'not_available'],
  },
  'runs.map': {
    tag: 'Runs',
    summary: 'Map the columns of a run’s file and save that as a new version',
    notes:
      'Takes effect when the run is retried, and for later files with the same header. In a job of items it takes effect for the rows that are processed again.',
    access: allow(people, 'runs:write'),
    params: byRun,
    body: MappingWrite,
    answer: json(Mapping),
    errors: ['run_not_found', 'reading_not_ready', 'mapping_invalid', 'mapping_conflict', 'not_available'],
  },
  'uploads.reading': {
    tag: 'Uploads',
    summary: 'How the file was read: encoding, delimiter, header, lines set aside',
    access: allow(people, 'runs:read'),
    params: byUpload,
    answer: json(Reading),
    errors: ['upload_not_found', 'reading_not_ready'],
  },
  'uploads.override': {
    tag: 'Uploads',
    summary: 'Say how the file is to be read instead; null takes an override back',
    notes: 'Takes effect when the run is retried.',
    access: allow(people, 'runs:write'),
    params: byUpload,
    body: ReadingOverrides,
    answer: json(Reading),
    errors: ['upload_not_found', 'reading_not_ready'],
  },
  'uploads.mapping': {
    tag: 'Uploads',
    summary: 'Which column feeds which field, how sure that is, and why',
    access: allow(people, 'runs:read'),
    params: byUpload,
    answer: json(Mapping),
    errors: ['upload_not_found', 'reading_not_ready'],
  },
  'uploads.map': {
    tag: 'Uploads',
    summary: 'Map the columns and save that as a new version',
    notes: 'Takes effect when the run is retried, and for later files with the same header.',
    access: allow(people, 'runs:write'),
    params: byUpload,
    body: MappingWrite,
    answer: json(Mapping),
    errors: ['upload_not_found', 'reading_not_ready', 'mapping_invalid'],
  },
  'uploads.reread': {
    tag: 'Uploads',
    summary: 'Read the stored file again, by the mapping that is saved now and what is said here',
    notes:
      'A new run. If the first run ended well, the new one takes over or takes back the numbers that the first one still owns, with the same reported_at. A failed run is retried.',
    access: allow(people, 'runs:write'),
    params: byUpload,
    body: UploadChoices,
    answer: json(z.object({ upload_id: Id, reread_of: Id.nullable(), retry_of: Id.nullable() }), 202),
    errors: ['upload_not_found', 'upload_unfinished', 'already_reread'],
  },
  'mappings.list': {
    tag: 'Mappings',
    summary: 'Saved mappings, newest version first',
    access: allow(people, 'data:read'),
    query: Page,
    answer: json(list(SavedMapping)),
    errors: ['cursor_malformed'],
  },
});
