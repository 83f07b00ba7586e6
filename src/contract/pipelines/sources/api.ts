// Sources: places that an admin connects once and that Millrace syncs on a schedule. Credentials go in and never come out.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, empty, json } from '../../api/route.ts';
import { Count, Id, list, Page, Time } from '../../api/values.ts';

const word = (max: number) => z.string().trim().min(1).max(max);
const secret = z.string().min(1).max(20_000);
const Host = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9._:-]+$/, 'a host name or an address');
const Port = z.int().min(1).max(65_535);

/** Where the objects are, by kind. */
export const SourcePlace = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('s3'),
    bucket: word(255),
    region: word(64).default('us-east-1'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional()
      .describe('Of a store other than AWS.'),
    path_style: z.boolean().optional().describe('The bucket in the path; default: wherever there is an endpoint.'),
    role_arn: word(2_048).optional().describe('A role to assume with the credential.'),
    external_id: word(1_224).optional(),
    move_to: word(1_024).optional().describe('after_taken=move: the prefix that taken objects are moved under.'),
  }),
  z.strictObject({
    kind: z.literal('sftp'),
    host: Host,
    port: Port.default(22),
    directory: word(4_096).default('.'),
    host_key: z
      .string()
      .trim()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'SHA256:… as ssh-keygen -l shows it')
      .optional()
      .describe(
        'Pinned. Left out of a new source: the key of the first connection; of a change: the pinned one stays, and another server needs one.',
      ),
    move_to: word(4_096).optional(),
  }),
  z.strictObject({
    kind: z.literal('ftp'),
    host: Host,
    port: Port.default(21),
    directory: word(4_096).default('/'),
    tls: z.enum(['explicit', 'implicit', 'none']).default('explicit'),
    certificate: z
      .string()
      .max(20_000)
      .regex(/^-----BEGIN CERTIFICATE-----/, 'a certificate as text (PEM)')
      .optional()
      .describe('Of the server or of who signed it, where no public authority did.'),
    move_to: word(4_096).optional(),
  }),
  z.strictObject({
    kind: z.literal('folder'),
    directory: word(4_096).describe('Below one of SOURCE_FOLDER_ROOTS.'),
    move_to: word(4_096).optional(),
  }),
]);

export const SourceCredential = z.union([
  z.strictObject({ access_key_id: secret, secret_access_key: secret, session_token: secret.optional() }),
  z.strictObject({ username: word(500), password: secret }),
  z.strictObject({ username: word(500), private_key: secret, passphrase: secret.optional() }),
]);

const globs = z.array(word(500)).max(50);

const shared = {
  name: word(200),
  pipeline: word(60).describe('What its objects become.'),
  fields: z
    .record(z.string().max(60), z.string().max(2_000))
    .describe('The pipeline’s own fields, as at an upload: platform, client_id, vendor, tags …'),
  title_pattern: word(300).nullable().describe('{name}, {stem} and {path} stand for the object’s own.'),
  prefix: z.string().max(1_024).describe('Only keys that begin so.'),
  include: globs.describe('Only keys that fit one of these patterns, e.g. "**/*.pdf"; empty: all.'),
  exclude: globs.describe('No keys that fit one of these.'),
  max_bytes: z.int().min(1).nullable().describe('Larger objects are refused; null: the limit of uploads.'),
  after_taken: z.enum(['leave', 'move', 'tag']).describe('What becomes of an object that was taken in.'),
  settle_seconds: z.int().min(0).max(86_400).describe('An object counts as whole when it has not changed for so long.'),
  cron: word(100).nullable().describe('Five fields, e.g. "*/30 * * * *"; null: only when asked.'),
  time_zone: word(60),
  jitter_seconds: z.int().min(0).max(86_400),
  stale_after_seconds: z.int().min(60).max(31_536_000),
  credential: SourceCredential.nullable().describe('null: none, or the AWS default chain of the server.'),
  queue_url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .nullable()
    .describe('An SQS queue that hears of new objects (s3:ObjectCreated:*).'),
  paused: z.boolean(),
};

export const SourceCreate = z.strictObject({
  ...shared,
  place: SourcePlace,
  fields: shared.fields.default({}),
  title_pattern: shared.title_pattern.default(null),
  prefix: shared.prefix.default(''),
  include: shared.include.default([]),
  exclude: shared.exclude.default([]),
  max_bytes: shared.max_bytes.default(null),
  after_taken: shared.after_taken.default('leave'),
  settle_seconds: shared.settle_seconds.optional(),
  cron: shared.cron.default(null),
  time_zone: shared.time_zone.default('UTC'),
  jitter_seconds: shared.jitter_seconds.default(0),
  stale_after_seconds: shared.stale_after_seconds.default(86_400),
  credential: shared.credential.default(null),
  queue_url: shared.queue_url.default(null),
  paused: shared.paused.default(false),
});

const OutOfScope = z.enum(['keep', 'deactivate']);

const SourceUpdate = z.strictObject({ ...shared, place: SourcePlace, out_of_scope: OutOfScope }).partial();

export const SyncCounts = z.object({
  seen: Count,
  new: Count,
  changed: Count,
  unchanged: Count,
  refused: Count,
  vanished: Count,
  settling: Count,
  outside: Count.describe(
    'Listed and left out by prefix and patterns; not part of seen. Directories that no pattern reaches are not listed.',
  ),
  unlisted: Count.describe('Directories that may not be listed, part of refused. With one of them nothing vanishes.'),
});

const SourceSync = z.object({
  sync_id: Id,
  status: z.string(),
  held: z.boolean().describe('It asks something; see the run.'),
  trigger: z.string(),
  created_at: Time,
  started_at: Time.nullable(),
  finished_at: Time.nullable(),
  counts: SyncCounts.nullable().describe('Of a sync at work: so far.'),
  error_code: z.string().nullable(),
});

const SourceFreshness = z.enum([
  'fresh',
  'syncing',
  'waiting for an answer',
  'stale',
  'incomplete',
  'failing',
  'paused',
  'never synced',
]);

const Source = z.object({
  source_id: Id,
  name: z.string(),
  kind: z.enum(['s3', 'sftp', 'ftp', 'folder']),
  place: z.record(z.string(), z.unknown()),
  address: z.string().describe('The place in one line, e.g. s3://invoices/2026/'),
  pipeline: z.string(),
  fields: z.record(z.string(), z.string()),
  title_pattern: z.string().nullable(),
  prefix: z.string(),
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  max_bytes: Count.nullable(),
  after_taken: z.enum(['leave', 'move', 'tag']),
  settle_seconds: Count,
  cron: z.string().nullable(),
  time_zone: z.string(),
  jitter_seconds: Count,
  stale_after_seconds: Count,
  credential: z.enum(['none', 'keys', 'password', 'private_key']).describe('Which kind; never the credential.'),
  queue_url: z.string().nullable(),
  paused: z.boolean(),
  freshness: SourceFreshness,
  objects: z.object({ live: Count, refused: Count, failed: Count, deleted: Count, kept: Count, settling: Count }),
  listed_at: Time.nullable().describe('The last complete listing.'),
  next_sync_at: Time.nullable(),
  last_error_code: z.string().nullable(),
  queue_failing_since: Time.nullable().describe(
    'Since when its queue cannot be heard; objects come with the next listing.',
  ),
  queue_error_code: z.string().nullable(),
  syncs: z.array(SourceSync).describe('The newest 30.'),
  created_at: Time,
  updated_at: Time,
});

const SourceObject = z.object({
  key: z.string(),
  status: z.enum(['live', 'refused', 'failed', 'settling', 'deleted', 'kept']),
  bytes: Count,
  modified_at: Time.nullable(),
  source_uri: z.string(),
  sha256: z.string().nullable(),
  run_id: Id.nullable(),
  error_code: z.string().nullable(),
  error_text: z.string().nullable(),
  unseen_because: z
    .string()
    .nullable()
    .describe('Why the last sync could not see whether it is still there. It stays what it is.'),
  version_id: z.string().nullable().describe('Of a bucket that keeps versions: the one that was taken.'),
  first_seen_at: Time,
  changed_at: Time,
  deleted_at: Time.nullable(),
});

const PreviewedObject = z.object({
  key: z.string(),
  bytes: Count,
  modified_at: Time.nullable(),
  becomes: z.enum(['taken', 'outside', 'refused', 'settling']),
  title: z.string().nullable(),
  reason: z.string().nullable(),
});

const SourcePreview = z.object({
  address: z.string(),
  host_key: z.string().nullable().describe('Of an SFTP server: what will be pinned.'),
  objects: z.array(PreviewedObject).describe('The first 20.'),
  directories: z.array(z.string()).describe('Prefixes one step below this one, at most 200.'),
  more: z.boolean(),
});

const SyncLine = z.object({
  key: z.string(),
  fate: z.enum(['new', 'changed', 'unchanged', 'refused', 'vanished']),
  run_id: Id.nullable(),
  error_code: z.string().nullable(),
  at: Time,
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const byId = z.object({ source_id: Id });
const placeErrors = [
  'source_settings_invalid',
  'source_folder_refused',
  'source_denied',
  'source_place_gone',
  'source_unreachable',
  'source_throttled',
  'source_clock_skewed',
  'source_host_key_changed',
  'source_host_key_unconfirmed',
  'source_certificate_refused',
  'source_listing_unusable',
  'outbound_address_refused',
  'upload_fields_invalid',
] as const;

export const sourceRoutes = defineRoutes({
  'sources.list': {
    tag: 'Sources',
    summary: 'List sources with their freshness and newest syncs',
    access: allow(readers, 'runs:read'),
    query: Page,
    answer: json(list(Source)),
    errors: ['cursor_malformed'],
  },
  'sources.create': {
    tag: 'Sources',
    summary: 'Connect a source',
    notes: 'The place is reached and listed before anything is saved. Credentials are sealed and cannot be read back.',
    access: allow(['admin']),
    body: SourceCreate,
    answer: json(Source, 201),
    errors: ['source_name_taken', 'source_limit_reached', 'source_too_often', 'schedule_invalid', ...placeErrors],
  },
  'sources.preview': {
    tag: 'Sources',
    summary: 'Reach a place and show its first 20 objects and what each would become; nothing is saved',
    notes:
      'Without pipeline only the place is looked at. With source_id the stored credential of that source is used where none is given.',
    access: allow(['admin']),
    body: SourceCreate.partial({ name: true, pipeline: true }).extend({ source_id: Id.optional() }),
    answer: json(SourcePreview),
    errors: ['source_not_found', 'source_limit_reached', 'source_too_often', 'schedule_invalid', ...placeErrors],
  },
  'sources.show': {
    tag: 'Sources',
    summary: 'Show a source',
    access: allow(readers, 'runs:read'),
    params: byId,
    answer: json(Source),
    errors: ['source_not_found'],
  },
  'sources.update': {
    tag: 'Sources',
    summary: 'Change, pause or resume a source',
    notes:
      'When objects that were taken in would no longer belong to it, out_of_scope says what becomes of what they brought.',
    access: allow(['admin']),
    params: byId,
    body: SourceUpdate,
    answer: json(Source),
    errors: [
      'source_not_found',
      'source_name_taken',
      'source_scope_narrowed',
      'source_busy',
      'source_too_often',
      'schedule_invalid',
      ...placeErrors,
    ],
  },
  'sources.remove': {
    tag: 'Sources',
    summary: 'Remove a source; its syncs and what it brought stay in the ledger',
    access: allow(['admin']),
    params: byId,
    query: z.object({ objects: OutOfScope.optional() }),
    answer: empty,
    errors: ['source_not_found', 'source_removal_undecided', 'source_busy'],
  },
  'sources.sync': {
    tag: 'Sources',
    summary: 'Sync a source now',
    notes: 'A source has one sync at a time: when one is at work or waiting, it is named instead.',
    access: allow(['admin']),
    params: byId,
    answer: json(z.object({ run_id: Id, created: z.boolean() }), 202),
    errors: ['source_not_found', 'source_paused'],
  },
  'sources.objects': {
    tag: 'Sources',
    summary: 'List the objects of a source with their fates',
    access: allow(readers, 'runs:read'),
    params: byId,
    query: Page.extend({
      after: z.string().max(8_192).optional(),
      status: z.enum(['live', 'refused', 'failed', 'settling', 'deleted', 'kept']).optional(),
    }),
    answer: json(list(SourceObject)),
    errors: ['source_not_found', 'cursor_malformed'],
  },
  'sources.lines': {
    tag: 'Sources',
    summary: 'List what a sync found that was not as before',
    access: allow(readers, 'runs:read'),
    params: byId.extend({ sync_id: Id }),
    query: Page.extend({ after: z.string().max(8_192).optional() }),
    answer: json(list(SyncLine)),
    errors: ['source_not_found', 'cursor_malformed'],
  },
});
