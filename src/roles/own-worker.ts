// A worker of one pipeline alone, such as `millrace ingest-worker`. It opens that pipeline's kit and nothing else: no other kit, no services, no
// key that opens other kits' secrets. It never migrates, so its database login needs no more than its pipeline's roles.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { startStatusServer } from '../http/status-server.ts';
import type { PipelineKit } from '../pipelines/kit.ts';
import { blobSettings, openBlobStore } from '../platform/blob/open-blob-store.ts';
import { readSettings, specSettings } from '../platform/config.ts';
import { describeTarget } from '../platform/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { engineSettings } from './installation.ts';
import { openKits, schemaOf } from './kits.ts';
import { openEngine } from './open-engine.ts';
import { prepareHome } from './prepare-home.ts';
import type { RoleProcess, Started } from './role-process.ts';
import { version } from './version.ts';

/** Nothing of this process has anything to seal or open. */
const noSecrets: SecretBox = {
  seal: refuse,
  open: refuse,
};

export async function startOwnWorker(process: RoleProcess, kit: PipelineKit): Promise<Started> {
  const { config, log, shutdown } = process;
  if (kit.process === undefined) throw new Error(`pipeline "${kit.name}" has no process of its own`);
  if (config.databaseUrl === undefined)
    throw new MillraceError('own_worker_without_database', { command: kit.process.command });
  const settings = kit.settings === undefined ? {} : readSettings(config, kit.settings);
  const { concurrency, host, port } = kit.process.frame(settings);
  prepareHome(config.home);
  const blobs = await openBlobStore(blobSettings(config));
  shutdown.add('blob store', () => blobs.close());
  const opening = await openKits([kit], { config, blobs, secrets: noSecrets, log });
  const opened = await openEngine({
    database: config,
    migrate: false,
    pipelines: opening.pipelines,
    schema: schemaOf([kit]),
    settings: { ...engineSettings(config), concurrency },
    sessionSettings: specSettings(config),
    poolSize: config.databasePoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    log,
  });
  shutdown.add('database', () => opened.close());
  const { engine } = opened;
  const [atWork] = opening.withEngine(engine);
  const parts = atWork?.process();
  await engine.start({ worker: true });
  shutdown.add('engine', () => engine.stop());
  for (const service of parts?.services ?? []) {
    service.start();
    shutdown.add(service.name, () => service.stop());
  }
  const token = config.metricsToken;
  const role = kit.process.command;
  const own = parts?.own;
  const server = await startStatusServer({ host, port, token, role, version, engine, log, ...(own ? { own } : {}) });
  shutdown.add('http server', () => server.close());
  log.info({ url: server.url }, `${role} answers`);
  return {
    database: `Postgres at ${describeTarget(opened.database.appUrl)}`,
    schema: 'up to date',
    url: server.url,
    metricsUrl: `${server.url}/metrics`,
  };
}

function refuse(): never {
  throw new Error('a process of one pipeline has no key');
}
