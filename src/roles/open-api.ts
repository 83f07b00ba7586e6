// Opens the API of an installation: pool, secrets, first account, HTTP server with the console.
import { fileURLToPath } from 'node:url';
import { ensureFirstTenant, listTenants, listUsers } from '../access/operator.ts';
import { loadSecrets, type Secrets } from '../access/secrets.ts';
import { type AppDeps, defaultHttpSettings, type HttpSettings, type ReadyCheck } from '../http/app-deps.ts';
import { watchVitals } from '../http/metrics/sign-gauges.ts';
import { alertHandlers } from '../http/routes/alerts/alert-handlers.ts';
import { sampleHandlers } from '../http/routes/samples/sample-handlers.ts';
import { webhookHandlers } from '../http/routes/webhooks/webhook-handlers.ts';
import { type RunningApi, startApi } from '../http/start-api.ts';
import { createUploadHandlers } from '../http/uploads/create-upload.ts';
import { uploadHandlers } from '../http/uploads/upload-handlers.ts';
import type { Config } from '../platform/config.ts';
import type { Pool } from '../platform/database.ts';
import { requireCurrentSchema } from '../platform/migrate.ts';
import { waitAtMost } from '../platform/wait.ts';
import { createAppPool } from './app-pool.ts';
import { checkWork } from './check-work.ts';
import type { Installation } from './installation.ts';
import { schemaOf, uploadLimits } from './kits.ts';
import type { LoginHint, RoleProcess } from './role-process.ts';
import { forgetServerAddress, noteServerAddress } from './server-address.ts';
import { version } from './version.ts';

export interface OpenedApi extends RunningApi {
  readonly login: LoginHint;
}

/** dist/console of the package; src/roles and dist/roles lie at the same depth. */
const consoleFolder = fileURLToPath(new URL('../../dist/console', import.meta.url));

export async function openApi(process: RoleProcess, installation: Installation): Promise<OpenedApi> {
  const { config, log, shutdown } = process;
  const pool = createAppPool(config, installation.database, log);
  shutdown.add('api connections', () => pool.end());
  const secrets = await loadSecrets({ jwtSecret: config.jwtSecret, home: config.home });
  const login = await firstLogin(config, pool);
  watchVitals(installation.engine.vitals);
  const api = await startApi(apiDeps(process, installation, pool, secrets));
  noteServerAddress(config.home, config.publicUrl ?? api.url);
  shutdown.add('server address', async () => forgetServerAddress(config.home));
  // A slow sender may have half of the grace; the other half belongs to the work that drains after it.
  const halfMs = config.shutdownGraceSeconds * 500;
  shutdown.add('http server', (hurry) => api.close(AbortSignal.any([hurry, AbortSignal.timeout(halfMs)])));
  shutdown.add('drain delay', (hurry) => waitAtMost(config.drainDelaySeconds * 1_000, hurry));
  return { ...api, login };
}

export function apiDeps(process: RoleProcess, installation: Installation, pool: Pool, secrets: Secrets): AppDeps {
  return {
    settings: httpSettings(process.config),
    log: process.log,
    pool,
    secrets,
    engine: installation.engine,
    readyChecks: readyChecks(process, installation, pool),
    workChecks: { work: checkWork(installation.engine.pools.control, process.config.noEndMinutes) },
    pipelines: Object.fromEntries(installation.kits.map(({ kit, parts }) => [kit.name, parts])),
    handlers: handlersOf(process.config, installation),
  };
}

/** The operations that need the blob store or belong to a pipeline. */
function handlersOf(
  config: Config,
  { blobs: store, kits, webhooks, alerts }: Installation,
): NonNullable<AppDeps['handlers']> {
  return {
    ...uploadHandlers({ store }),
    ...createUploadHandlers({ store, limits: uploadLimits(config) }),
    ...sampleHandlers({ store }),
    ...alertHandlers(alerts),
    ...webhookHandlers(webhooks.service),
    ...Object.assign({}, ...kits.map(({ handlers }) => handlers())),
  };
}

function httpSettings(config: Config): HttpSettings {
  return {
    ...defaultHttpSettings,
    host: config.host,
    port: config.port,
    version,
    authEnabled: config.authEnabled,
    jwtExpiryHours: config.jwtExpiryHours,
    trustProxy: config.trustProxy,
    ...(config.metricsToken === undefined ? {} : { metricsToken: config.metricsToken }),
    consoleFolder,
  };
}

/** While the process drains it is not ready, so that a load balancer looks elsewhere. */
function readyChecks(
  { shutdown }: RoleProcess,
  { blobs, kits }: Installation,
  pool: Pool,
): Readonly<Record<string, ReadyCheck>> {
  return {
    accepting: async () => {
      if (shutdown.stopping.aborted) throw new Error('stopping');
      return undefined;
    },
    migrations: async () => {
      await requireCurrentSchema(pool, schemaOf(kits.map(({ kit }) => kit)));
      return undefined;
    },
    blobs: async () => {
      await blobs.check();
      return undefined;
    },
  };
}

/** Makes the first tenant and its admin at the very first start; afterwards names the admin to sign in as. */
async function firstLogin(config: Config, pool: Pool): Promise<LoginHint> {
  const first = await ensureFirstTenant(pool);
  if (!config.authEnabled) return { kind: 'off' };
  if (first) return { kind: 'first', email: first.user.email, oneTimePassword: first.oneTimePassword };
  for (const tenant of await listTenants(pool)) {
    const admin = (await listUsers(pool, tenant.tenant_id)).find(
      (user) => user.role === 'admin' && user.disabled_at === null,
    );
    if (admin) return { kind: 'known', email: admin.email };
  }
  return { kind: 'nobody' };
}
