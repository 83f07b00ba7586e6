// Items: bounds within which ingestion and processing adapt themselves, and the switches of the specification.
import type { z } from 'zod';
import { flag, integer, optionalText } from '../../platform/config/setting.ts';
import type { SettingGroup } from '../../platform/config.ts';

const shape = {
  dbIngestEnabled: flag('DB_INGEST_ENABLED', {
    default: true,
    doc: 'false: jobs of items are refused with feature_disabled. What is stored stays.',
  }),
  pendingDashboard: flag('PENDING_DASHBOARD', {
    default: true,
    doc: 'Whether there is a list of the pending items of all jobs. The pending tab of a job is always there.',
  }),
  ingestMinRows: integer('INGEST_MIN_ROWS', {
    min: 1,
    max: 100_000,
    default: 64,
    unit: 'rows',
    doc: 'Rows of a file per insert, at least; also where a file begins.',
  }),
  ingestMaxRows: integer('INGEST_MAX_ROWS', {
    min: 1,
    max: 100_000,
    default: 8_192,
    unit: 'rows',
    doc: 'Rows of a file per insert, at most.',
  }),
  ingestMaxBatchBytes: integer('INGEST_MAX_BATCH_BYTES', {
    min: 1_024,
    max: 268_435_456,
    default: 4_194_304,
    unit: 'bytes',
    doc: 'Bytes of rows per insert, about.',
  }),
  dbP50Ms: integer('DB_P50_MS', {
    min: 1,
    max: 60_000,
    default: 200,
    unit: 'ms',
    doc: 'How long an insert of rows should take; batches grow and shrink towards it.',
  }),
  dbP95Ms: integer('DB_P95_MS', {
    min: 1,
    max: 60_000,
    default: 800,
    unit: 'ms',
    doc: 'When more than one insert in twenty takes longer, batches are halved.',
  }),
  workerTargetSliceMs: integer('WORKER_TARGET_SLICE_MS', {
    min: 50,
    max: 60_000,
    default: 5_000,
    unit: 'ms',
    doc: 'How long a slice of items should take: claimed, processed and committed together.',
  }),
  claimMin: integer('CLAIM_MIN', {
    min: 1,
    max: 100_000,
    default: 1,
    unit: 'items',
    doc: 'Items per slice, at least.',
  }),
  claimMax: integer('CLAIM_MAX', {
    min: 1,
    max: 100_000,
    default: 2_000,
    unit: 'items',
    doc: 'Items per slice, at most.',
  }),
  safetyFactor: optionalText('SAFETY_FACTOR', {
    unset: '0.7',
    takes: 'a number from 0.1 to 1',
    test: (value) => /^(?:0\.[1-9]\d*|1(?:\.0+)?)$/.test(value),
    doc: 'Share of the target that a slice is filled with, so that it does not overrun.',
  }),
  lockFloorMs: integer('LOCK_FLOOR_MS', {
    min: 1_000,
    max: 3_600_000,
    default: 15_000,
    unit: 'ms',
    doc: 'How long a claim on items holds at least. It is renewed while they are worked on.',
  }),
  lockCapMs: integer('LOCK_CAP_MS', {
    min: 1_000,
    max: 3_600_000,
    default: 300_000,
    unit: 'ms',
    doc: 'How long a claim on items holds at most.',
  }),
  maxAttemptsError: integer('MAX_ATTEMPTS_ERROR', {
    min: 1,
    max: 100,
    default: 5,
    unit: 'attempts',
    doc: 'After this many failed attempts an item is ERROR.',
  }),
  maxAttemptsNotFound: integer('MAX_ATTEMPTS_NOT_FOUND', {
    min: 1,
    max: 100,
    default: 3,
    unit: 'attempts',
    doc: 'After this many attempts that found nothing an item is NOT_FOUND. They are 1 h, 6 h and 24 h apart, each with the next strategy.',
  }),
  maxAttemptsRateLimited: integer('MAX_ATTEMPTS_RATE_LIMITED', {
    min: 1,
    max: 100_000,
    default: 100,
    unit: 'attempts',
    doc: 'After so many answers 429 an item is ERROR. They cost no attempt and are up to 15 minutes apart, so this is about a day.',
  }),
  itemTimeoutMs: integer('ITEM_TIMEOUT_MS', {
    min: 100,
    max: 600_000,
    default: 60_000,
    unit: 'ms',
    doc: 'How long a processor may take for one item.',
  }),
  imageMemoryMb: integer('IMAGE_MEMORY_MB', {
    min: 128,
    max: 65_536,
    default: 768,
    unit: 'MB',
    doc: 'Memory limit of the process that reads images; above it Millrace kills the process and the image is an ERROR.',
  }),
  itemConcurrency: integer('ITEM_CONCURRENCY', {
    min: 1,
    max: 256,
    default: 16,
    unit: 'items',
    doc: 'Items that one worker processes at a time, at most; less when the other side asks for it.',
  }),
  itemProcessorModules: optionalText('ITEM_PROCESSOR_MODULES', {
    doc: 'Modules that export processors of your own (defineProcessor) by default, separated by commas.',
  }),
  itemProcessorMemoryMb: integer('ITEM_PROCESSOR_MEMORY_MB', {
    min: 96,
    max: 65_536,
    default: 512,
    unit: 'MB',
    doc: 'Memory limit of the process in which a processor of your own works on one job; above it Millrace ends the process and tries its rows again in a new one.',
  }),
  itemPartsPerJob: integer('ITEM_PARTS_PER_JOB', {
    min: 1,
    max: 64,
    default: 4,
    unit: 'parts',
    doc: 'How many workers share a job of many items, at most.',
  }),
  itemSharedFrom: integer('ITEM_SHARED_FROM', {
    min: 1,
    max: 100_000_000,
    default: 5_000,
    unit: 'items',
    doc: 'Jobs with fewer items than this are processed by one worker.',
  }),
  itemJobsPerTenant: integer('ITEM_JOBS_PER_TENANT', {
    min: 1,
    max: 1_000,
    default: 3,
    unit: 'jobs',
    doc: 'Jobs of one tenant that are at work at a time; the others wait and say so.',
  }),
  itemRetentionDays: integer('ITEM_RETENTION_DAYS', {
    min: 1,
    max: 36_500,
    default: 365,
    unit: 'days',
    doc: 'How long jobs are kept with their items and results after they were submitted. Live ones stay.',
  }),
};

export const itemSettings = {
  title: 'Items',
  shape,
  faults: ({ ingestMinRows, ingestMaxRows, claimMin, claimMax, lockFloorMs, lockCapMs, dbP50Ms, dbP95Ms }) => [
    ...(ingestMinRows > ingestMaxRows ? ['INGEST_MIN_ROWS is above INGEST_MAX_ROWS'] : []),
    ...(claimMin > claimMax ? ['CLAIM_MIN is above CLAIM_MAX'] : []),
    ...(lockFloorMs > lockCapMs ? ['LOCK_FLOOR_MS is above LOCK_CAP_MS'] : []),
    ...(dbP50Ms > dbP95Ms ? ['DB_P50_MS is above DB_P95_MS'] : []),
  ],
} satisfies SettingGroup<typeof shape>;

export type ItemSettings = z.infer<z.ZodObject<typeof shape>>;
