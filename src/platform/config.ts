// The configuration: read once, at the start of a process, from environment variables; passed on as a value. Nobody else reads
// process.env. A bad configuration gives one error that lists every fault. docs/configuration.md is generated from here.
import { z } from 'zod';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { accessSettings } from './config/access-settings.ts';
import { alertSettings } from './config/alert-settings.ts';
import { databaseSettings } from './config/database-settings.ts';
import { engineSettings } from './config/engine-settings.ts';
import { serverSettings } from './config/server-settings.ts';
import { type SettingInfo, settingInfo } from './config/setting.ts';
import { storageSettings } from './config/storage-settings.ts';
import { syncSettings } from './config/sync-settings.ts';
import { webhookSettings } from './config/webhook-settings.ts';
import { nearest } from './nearest.ts';

/** The settings as the docs group them. */
export const settingGroups = {
  'Server, files and logs': serverSettings,
  Database: databaseSettings,
  'Runs and workers': engineSettings,
  'Uploads and storage': storageSettings,
  Access: accessSettings,
  Alerts: alertSettings,
  'Airbyte and connectors': syncSettings,
  Webhooks: webhookSettings,
} as const;

export const configSchema = z.object({
  ...serverSettings,
  ...databaseSettings,
  ...engineSettings,
  ...storageSettings,
  ...accessSettings,
  ...alertSettings,
  ...syncSettings,
  ...webhookSettings,
});

export type Config = Readonly<z.infer<typeof configSchema>>;

/** Read by the command line and the tests, not part of a server's configuration. */
export const otherVariables: Readonly<Record<string, string>> = {
  MILLRACE_URL: 'Command line: the server to talk to; unset, one is started for the command.',
  MILLRACE_TOKEN: 'Command line: the API key or token to sign in with.',
  MILLRACE_FAILPOINT: 'Chaos tests: where this process kills itself.',
  MILLRACE_TEST_POOLER: 'Tests: "transaction" puts the engine of the tests behind PgBouncer.',
  MILLRACE_TEST_DATABASE_URL: 'Tests: a superuser connection string; unset, the embedded server is used.',
};

const exitConfig = 78; // EX_CONFIG of sysexits.h: restarting does not help
const exitFailure = 1;

type Environment = Readonly<Record<string, string | undefined>>;

export function loadConfig(env: Environment = process.env): Config {
  const input: Record<string, string> = {};
  for (const [key, { env: name }] of settingsByKey()) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') input[key] = value;
  }
  const parsed = configSchema.safeParse(input);
  const faults = [...unknownNames(env), ...(parsed.success ? crossFaults(parsed.data) : schemaFaults(parsed.error))];
  if (faults.length > 0 || !parsed.success) {
    throw new MillraceError('config_invalid', { faults: faults.map((fault) => `  - ${fault}`).join('\n') });
  }
  return parsed.data;
}

/** The configuration as it may be printed: secrets only say whether they are set. */
export function publicConfig(config: Config): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [key, { env, secret }] of settingsByKey()) {
    const value = config[key as keyof Config];
    if (value === undefined) shown[env] = 'not set';
    else shown[env] = secret ? 'set' : String(value);
  }
  return shown;
}

/** What a process ends with because of an error: 78 when a person must change the set-up, else 1. */
export function exitCodeFor(error: unknown): number {
  return error instanceof MillraceError && error.kind === 'config' ? exitConfig : exitFailure;
}

export function settingsByKey(): [string, SettingInfo][] {
  return Object.entries(configSchema.shape).map(([key, schema]) => {
    const info = settingInfo.get(schema);
    if (info === undefined) throw new Error(`setting ${key} has no info`);
    return [key, info];
  });
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

// A value is never repeated in a fault: it may be a secret in the wrong place.
function schemaFaults(error: z.ZodError): string[] {
  const infos = new Map(settingsByKey());
  const faults = error.issues.map(({ path }) => {
    const info = infos.get(String(path[0]));
    return info === undefined ? 'something is wrong' : `${info.env} must be ${info.takes}`;
  });
  return [...new Set(faults)];
}

function unknownNames(env: Environment): string[] {
  const known = [...settingsByKey().map(([, info]) => info.env), ...Object.keys(otherVariables)];
  return Object.keys(env)
    .filter((name) => name.startsWith('MILLRACE_') && !known.includes(name))
    .sort()
    .map((name) => {
      const suggestion = nearest(name, [...known, ...known.map((each) => `MILLRACE_${each}`)])?.replace(
        /^MILLRACE_(?!HOME|URL|TOKEN|TEST|FAILPOINT)/,
        '',
      );
      return `${name} is not a setting${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
    });
}

// Rules between settings, one line each.
function crossFaults(config: Config): string[] {
  const rules: [boolean, string][] = [
    [config.heartbeatSeconds * 2 > config.leaseSeconds, 'HEARTBEAT_SECONDS must be at most half of LEASE_SECONDS'],
    [
      config.databaseMigrationUrl !== undefined && config.databaseUrl === undefined,
      'DATABASE_MIGRATION_URL needs DATABASE_URL',
    ],
    [
      config.databasePooler === 'transaction' &&
        (config.databaseUrl === undefined || config.databaseDirectUrl === undefined),
      'DATABASE_POOLER=transaction needs DATABASE_URL, the pooler, and DATABASE_DIRECT_URL, the server itself',
    ],
    [
      config.databaseDirectUrl !== undefined && config.databasePooler === 'none',
      'DATABASE_DIRECT_URL needs DATABASE_POOLER=transaction',
    ],
    [
      config.databaseUrl !== undefined && new URL(config.databaseUrl).username === '',
      'DATABASE_URL must name the user to sign in as',
    ],
    [config.blobStore === 's3' && config.s3Bucket === undefined, 'S3_BUCKET is needed when BLOB_STORE is s3'],
    [
      (config.s3AccessKeyId === undefined) !== (config.s3SecretAccessKey === undefined),
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together',
    ],
    [
      (config.airbyteClientId === undefined) !== (config.airbyteClientSecret === undefined),
      'AIRBYTE_CLIENT_ID and AIRBYTE_CLIENT_SECRET go together',
    ],
    [config.s3Prefix !== '' && !config.s3Prefix.endsWith('/'), 'S3_PREFIX must end in "/"'],
    [
      !config.authEnabled && !isLoopback(config.host),
      'AUTH_ENABLED=false is only allowed when HOST is a loopback address',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, fault]) => fault);
}
