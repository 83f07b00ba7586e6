// What every role of an installation shares: database, schema, engine with its pipelines, blob store. Opened from the
// configuration, closed by the process's shutdown.
import path from 'node:path';
import { replayConsumer } from '../engine/replay.ts';
import { createBlobSweeper } from '../engine/services/blob-sweeper.ts';
import { createStagingCleaner } from '../engine/services/staging-cleaner.ts';
import type { EngineSettings } from '../engine/settings.ts';
import type { AlertDesk } from '../outbound/alerts/sinks.ts';
import { auditConsumer } from '../pipelines/ads/audit-consumer.ts';
import { adsStaging } from '../pipelines/ads/cleanup.ts';
import { judgmentsStaging } from '../pipelines/judgments/cleanup.ts';
import { reportJudgments } from '../pipelines/judgments/reporter.ts';
import { createCanceller } from '../pipelines/syncs/cancellations.ts';
import { jobEvents } from '../pipelines/syncs/job-events.ts';
import type { SyncDesk } from '../pipelines/syncs/sync-desk.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { type BlobStoreSettings, openBlobStore } from '../platform/blob/open-blob-store.ts';
import type { Config } from '../platform/config.ts';
import { describeTarget } from '../platform/database.ts';
import { consumeForAlerts, openAlerts } from './open-alerts.ts';
import { type OpenedEngine, openEngine } from './open-engine.ts';
import { openSyncs } from './open-syncs.ts';
import { openWebhooks, startWebhooks, type Webhooks } from './open-webhooks.ts';
import { loadPipelines } from './pipelines.ts';
import { prepareHome } from './prepare-home.ts';
import type { RoleProcess, Started } from './role-process.ts';

export interface Installation extends OpenedEngine {
  readonly blobs: BlobStore;
  readonly syncs: SyncDesk;
  readonly alerts: AlertDesk;
  readonly webhooks: Webhooks;
}

/** A draining worker needs a part of the grace to write its ends. */
const DRAIN_SHARE = 0.6;

export async function openInstallation({ config, log, shutdown }: RoleProcess): Promise<Installation> {
  prepareHome(config.home);
  const blobs = await openBlobStore(blobSettings(config));
  shutdown.add('blob store', () => blobs.close());
  const syncs = await openSyncs(config);
  const { pipelines, prepare } = await loadPipelines({ blobs, syncs }, config.pipelineModules);
  const opened = await openEngine({
    database: config,
    migrate: config.migrateOnStart,
    pipelines,
    prepare: config.migrateOnStart ? prepare : undefined,
    settings: engineSettings(config),
    sessionSettings: specSettings(config),
    retention: {
      eventsDays: config.eventRetentionDays,
      rejectsDays: config.rejectRetentionDays,
      openRejectsDays: config.openRejectRetentionDays,
    },
    poolSize: config.databasePoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    log,
  });
  reportJudgments(opened.engine, log);
  for (const consumer of [replayConsumer, auditConsumer]) opened.engine.consume(consumer);
  opened.engine.consume(jobEvents(syncs.limits));
  consumeForAlerts(opened.engine);
  shutdown.add('database', () => opened.close());
  shutdown.add('engine', () => opened.engine.stop());
  const webhooks = await openWebhooks(config, opened.pools);
  const alerts = openAlerts(config, syncs.clients.box);
  return { ...opened, blobs, syncs: { ...syncs, engine: opened.engine }, webhooks, alerts };
}

/**
 * Beside the engine's own services: take away stored bytes and staged rows that nobody needs, cancel at Airbyte what cancelled
 * syncs left there, deliver webhooks.
 */
export function startSweeper(process: RoleProcess, installation: Installation): void {
  const { config, log, shutdown } = process;
  const { blobs, pools, syncs } = installation;
  startWebhooks(process, installation);
  const sweeper = createBlobSweeper({
    pool: pools.control,
    store: blobs,
    log,
    settings: { orphanTtlHours: config.uploadCleanupTtlHours },
  });
  const cleaning = { pool: pools.effects, log, days: config.stagingRetentionDays };
  const cleaners = [adsStaging, judgmentsStaging].map((staging) => createStagingCleaner(staging, cleaning));
  const canceller = createCanceller(syncs, log);
  for (const service of [sweeper, ...cleaners, canceller]) service.start();
  shutdown.add('sync canceller', () => canceller.stop());
  shutdown.add('blob sweeper', () => sweeper.stop());
  for (const cleaner of cleaners) shutdown.add(cleaner.name, () => cleaner.stop());
}

export function describeInstallation(config: Config, { database, migrated }: Installation): Started {
  const where =
    database.kind === 'embedded'
      ? `embedded Postgres in ${path.join(path.resolve(config.home), 'postgres')}`
      : `Postgres at ${describeTarget(database.appUrl)}`;
  const applied = migrated.applied.length;
  const schema =
    applied === 0
      ? 'up to date'
      : `${applied} migration${applied === 1 ? '' : 's'} applied, now at ${migrated.version.replace(/\.sql$/, '')}`;
  return { database: where, schema };
}

/** Thresholds of the specifications' stale views, which read them from the session. */
export function specSettings(config: Config): Readonly<Record<string, string>> {
  return { 'millrace.processing_timeout_hours': String(config.processingTimeoutHours) };
}

export function engineSettings(config: Config): Partial<EngineSettings> {
  return {
    leaseMs: config.leaseSeconds * 1_000,
    heartbeatMs: config.heartbeatSeconds * 1_000,
    pollMs: config.pollIntervalMs,
    concurrency: config.workerConcurrency,
    lostLimit: config.lostLimit,
    drainMs: Math.round(config.shutdownGraceSeconds * 1_000 * DRAIN_SHARE),
  };
}

export function blobSettings(config: Config): BlobStoreSettings {
  if (config.blobStore === 'disk' || config.s3Bucket === undefined)
    return { kind: 'disk', root: config.uploadStorePath ?? path.join(path.resolve(config.home), 'blobs') };
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  return {
    kind: 's3',
    bucket: config.s3Bucket,
    prefix: config.s3Prefix,
    region: config.s3Region,
    forcePathStyle: config.s3ForcePathStyle,
    ...(config.s3Endpoint === undefined ? {} : { endpoint: config.s3Endpoint }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
  };
}
