// What every role of an installation shares: database, schema, engine with its pipelines, blob store. The configuration says how to open it;
// the shutdown of the process closes it.
import path from 'node:path';
import { replayConsumer } from '../engine/replay.ts';
import { createBlobSweeper } from '../engine/services/blob-sweeper.ts';
import { createStagingCleaner } from '../engine/services/staging-cleaner.ts';
import type { EngineSettings } from '../engine/settings.ts';
import type { AlertService } from '../outbound/alerts/sinks.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { blobSettings, openBlobStore } from '../platform/blob/open-blob-store.ts';
import { type Config, specSettings } from '../platform/config.ts';
import { describeTarget } from '../platform/database.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import { type KitAtWork, loadKits, loginsOf, openKits } from './kits.ts';
import { consumeForAlerts, openAlerts } from './open-alerts.ts';
import { type OpenedEngine, openEngine } from './open-engine.ts';
import { openWebhooks, startWebhooks, type Webhooks } from './open-webhooks.ts';
import { prepareHome } from './prepare-home.ts';
import type { RoleProcess, Started } from './role-process.ts';

export interface Installation extends OpenedEngine {
  readonly blobs: BlobStore;
  /** The pipelines with everything they bring. */
  readonly kits: readonly KitAtWork[];
  readonly alerts: AlertService;
  readonly webhooks: Webhooks;
}

/** A draining worker needs a part of the grace to write its ends. */
const DRAIN_SHARE = 0.6;

export async function openInstallation({ config, log, shutdown }: RoleProcess): Promise<Installation> {
  prepareHome(config.home);
  const blobs = await openBlobStore(blobSettings(config));
  shutdown.add('blob store', () => blobs.close());
  const secrets = await openSecretBox({ secretKey: config.connectorSecretKey, home: config.home });
  const loaded = await loadKits(config.pipelineModules);
  const opening = await openKits(loaded, { config, blobs, secrets, log });
  const opened = await openEngine({
    database: config,
    migrate: config.migrateOnStart,
    pipelines: opening.pipelines,
    schema: { ...opening.schema, logins: loginsOf(loaded, config) ?? [] },
    preparations: config.migrateOnStart ? opening.preparations : [],
    settings: engineSettings(config),
    sessionSettings: specSettings(config),
    retention: {
      eventsDays: config.eventRetentionDays,
      rejectsDays: config.rejectRetentionDays,
      openRejectsDays: config.openRejectRetentionDays,
      liveDays: config.ledgerLiveDays,
      historyMonths: config.ledgerRetentionMonths,
      detached: config.ledgerDetached,
    },
    poolSize: config.databasePoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    log,
  });
  const kits = opening.withEngine(opened.engine);
  opened.engine.consume(replayConsumer);
  for (const consumer of kits.flatMap(({ consumers }) => consumers)) opened.engine.consume(consumer);
  const alerted = Object.fromEntries(kits.map(({ kit, alerted }) => [kit.name, alerted]));
  consumeForAlerts(opened.engine, alerted);
  shutdown.add('database', () => opened.close());
  shutdown.add('engine', () => opened.engine.stop());
  const webhooks = openWebhooks(config, opened.pools, secrets);
  const alerts = openAlerts(config, secrets, alerted);
  return { ...opened, blobs, kits, webhooks, alerts };
}

/** Beside the engine's own services: take away stored bytes and staged rows that nobody needs, deliver webhooks, and those of the pipelines. */
export function startSweeper(process: RoleProcess, installation: Installation): void {
  const { config, log, shutdown } = process;
  const { blobs, pools, kits } = installation;
  startWebhooks(process, installation);
  const { election } = installation.engine;
  const sweeper = createBlobSweeper({
    pool: pools.control,
    store: blobs,
    log,
    election,
    settings: { orphanTtlHours: config.uploadCleanupTtlHours },
  });
  const cleaning = { pool: pools.effects, log, days: config.stagingRetentionDays, election };
  const cleaners = kits.flatMap(({ kit }) => (kit.staging ? [createStagingCleaner(kit.staging, cleaning)] : []));
  const services = [sweeper, ...cleaners, ...kits.flatMap((each) => each.services())];
  for (const service of services) {
    service.start();
    shutdown.add(service.name, () => service.stop());
  }
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

export function engineSettings(config: Config): Partial<EngineSettings> {
  return {
    leaseMs: config.leaseSeconds * 1_000,
    heartbeatMs: config.heartbeatSeconds * 1_000,
    pollMs: config.pollIntervalMs,
    concurrency: config.workerConcurrency,
    lostLimit: config.lostLimit,
    questionHours: config.doubtTimeoutHours,
    drainMs: Math.round(config.shutdownGraceSeconds * 1_000 * DRAIN_SHARE),
  };
}
