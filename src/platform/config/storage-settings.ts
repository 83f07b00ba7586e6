// Settings of uploads, of the blob store, and of all retention periods.
import { choice, flag, integer, optionalText, optionalUrl, text } from './setting.ts';

export const storageSettings = {
  uploadMaxSizeMb: integer('UPLOAD_MAX_SIZE_MB', {
    min: 1,
    max: 102_400,
    default: 50,
    unit: 'MB (1,048,576 bytes)',
    doc: 'The largest file that an upload may have; enforced while it arrives.',
  }),
  uploadIdleTimeoutSeconds: integer('UPLOAD_IDLE_TIMEOUT_SECONDS', {
    min: 1,
    max: 3_600,
    default: 20,
    unit: 'seconds',
    doc: 'Millrace ends an upload that sends nothing for this long.',
  }),
  uploadCleanupTtlHours: integer('UPLOAD_CLEANUP_TTL_HOURS', {
    min: 1,
    max: 8_760,
    default: 24,
    unit: 'hours',
    doc: 'Stored bytes that no run refers to are removed after this long.',
  }),
  uploadStorePath: optionalText('UPLOAD_STORE_PATH', {
    unset: 'MILLRACE_HOME/blobs',
    doc: 'The folder of stored bytes when BLOB_STORE is disk.',
  }),
  watchedFolders: optionalText('WATCHED_FOLDERS', {
    unset: 'none',
    doc: 'Folders whose files are taken in, separated by commas: FOLDER=PIPELINE[:PLATFORM][?ask|?proceed|?fail][@TENANT], e.g. /data/meta=ads:meta.',
  }),
  blobStore: choice('BLOB_STORE', ['disk', 's3'], { default: 'disk', doc: 'Where uploaded bytes are stored.' }),
  s3Bucket: optionalText('S3_BUCKET', { doc: 'The bucket. Needed when BLOB_STORE is s3.' }),
  s3Prefix: text('S3_PREFIX', { default: '', doc: 'Put before every key in the bucket; empty or ending in "/".' }),
  s3Region: text('S3_REGION', { default: 'us-east-1', doc: 'The region of the bucket.' }),
  s3Endpoint: optionalUrl('S3_ENDPOINT', ['http', 'https'], {
    unset: 'AWS',
    doc: 'Address of an S3 service other than AWS.',
  }),
  s3ForcePathStyle: flag('S3_FORCE_PATH_STYLE', {
    default: false,
    doc: 'Put the bucket into the path instead of the host name; most services other than AWS need it.',
  }),
  s3AccessKeyId: optionalText('S3_ACCESS_KEY_ID', {
    unset: 'the AWS default chain',
    doc: 'Access key; goes with S3_SECRET_ACCESS_KEY.',
  }),
  s3SecretAccessKey: optionalText('S3_SECRET_ACCESS_KEY', {
    secret: true,
    unset: 'the AWS default chain',
    doc: 'Secret of the access key.',
  }),
  stagingRetentionDays: integer('STAGING_RETENTION_DAYS', {
    min: 1,
    max: 3_650,
    default: 7,
    unit: 'days',
    doc: 'Staged rows of finished runs are removed after this long.',
  }),
  rejectRetentionDays: integer('REJECT_RETENTION_DAYS', {
    min: 1,
    max: 3_650,
    default: 90,
    unit: 'days',
    doc: 'Refused rows that were corrected and went through are kept this long, with the files they came from.',
  }),
  openRejectRetentionDays: integer('OPEN_REJECT_RETENTION_DAYS', {
    min: 0,
    max: 3_650,
    default: 0,
    unit: 'days',
    doc: 'Millrace keeps open rejects this long, with their run and its file. 0: until somebody settles them.',
  }),
  ledgerLiveDays: integer('LEDGER_LIVE_DAYS', {
    min: 1,
    max: 3_650,
    default: 30,
    unit: 'days',
    doc: 'An ended run moves from the ledger to the history after this long. You can still find, show and retry it.',
  }),
  ledgerRetentionMonths: integer('LEDGER_RETENTION_MONTHS', {
    min: 0,
    max: 1_200,
    default: 24,
    unit: 'months',
    doc: 'A month leaves the history after so many more, once nothing of it lives, has open rejects or is unread. 0: never. Keys refuse for ever, and runs with one stay.',
  }),
  ledgerDetached: choice('LEDGER_DETACHED', ['drop', 'keep'], {
    default: 'drop',
    doc: 'What becomes of the tables of a month that has left the history: dropped, or kept beside it (engine.past_runs_2024_05 …) for the operator to save.',
  }),
  eventRetentionDays: integer('EVENT_RETENTION_DAYS', {
    min: 1,
    max: 3_650,
    default: 30,
    unit: 'days',
    doc: 'Events that every consumer has seen are removed after this long.',
  }),
};
