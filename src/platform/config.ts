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
import { webhookSettings } from './config/webhook-settings.ts';
import { isLoopback } from './loopback.ts';
import { nearest } from './nearest.ts';

/** The settings as the docs group them. */
export const settingGroups = {
  'Server, files and logs': serverSettings,
  Database: databaseSettings,
  'Runs and workers': engineSettings,
  'Uploads and storage': storageSettings,
  Access: accessSettings,
  Alerts: alertSettings,
  Webhooks: webhookSettings,
} as const;

export const configSchema = z.object({
  ...serverSettings,
  ...databaseSettings,
  ...engineSettings,
  ...storageSettings,
  ...accessSettings,
  ...alertSettings,
  ...webhookSettings,
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that a pipeline adds to Millrace's own. */
export interface SettingGroup<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** As the docs call the group. */
  readonly title: string;
  readonly shape: Shape;
  /** Rules between its settings: a sentence for each that is broken. */
  faults?(values: z.infer<z.ZodObject<Shape>>): string[];
}

export interface Config extends Readonly<z.infer<typeof configSchema>> {
  /** What it was read from; pipelines read their own settings from it (`readSettings`). */
  readonly environment: Environment;
}

/** Read by the command line and the tests, not part of a server's configuration. */
export const otherVariables: Readonly<Record<string, string>> = {
  MILLRACE_URL: 'Command line: the server to talk to; unset, one is started for the command.',
  MILLRACE_TOKEN: 'Command line: the API key or token to sign in with.',
  MILLRACE_FAILPOINT: 'Chaos tests: where this process kills itself.',
  MILLRACE_TEST_POOLER: 'Tests: "transaction" puts the engine of the tests behind PgBouncer.',
  MILLRACE_TEST_TIMINGS: 'Tests: "1" notes how long each test file took; later runs begin with the longest.',
  MILLRACE_TEST_DATABASE_URL: 'Tests: a superuser connection string; unset, the embedded server is used.',
};

const exitConfig = 78; // EX_CONFIG of sysexits.h: restarting does not help
const exitFailure = 1;

/** `groups`: the settings of the installation's pipelines, whose faults are listed with the others. */
export function loadConfig(env: Environment = process.env, groups: readonly SettingGroup[] = []): Config {
  const parsed = configSchema.safeParse(inputFrom(env, configSchema.shape));
  const faults = [
    ...unknownNames(env, groups),
    ...(parsed.success ? crossFaults(parsed.data) : schemaFaults(parsed.error, configSchema.shape)),
    ...groups.flatMap((group) => parseGroup(env, group).faults),
  ];
  if (faults.length > 0 || !parsed.success) throw invalid(faults);
  return { ...parsed.data, environment: env };
}

/** The settings of one pipeline. */
export function readSettings<Shape extends z.ZodRawShape>(
  { environment }: Pick<Config, 'environment'>,
  group: SettingGroup<Shape>,
): z.infer<z.ZodObject<Shape>> {
  const { values, faults } = parseGroup(environment, group);
  if (values === undefined || faults.length > 0) throw invalid(faults);
  return values;
}

function parseGroup<Shape extends z.ZodRawShape>(env: Environment, group: SettingGroup<Shape>) {
  const schema = z.object(group.shape);
  const parsed = schema.safeParse(inputFrom(env, schema.shape));
  if (!parsed.success) return { values: undefined, faults: schemaFaults(parsed.error, schema.shape) };
  return { values: parsed.data, faults: group.faults?.(parsed.data) ?? [] };
}

function inputFrom(env: Environment, shape: z.ZodRawShape): Record<string, string> {
  const input: Record<string, string> = {};
  for (const [key, { env: name }] of settingsByKey(shape)) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') input[key] = value;
  }
  return input;
}

function invalid(faults: readonly string[]): MillraceError {
  return new MillraceError('config_invalid', { faults: faults.map((fault) => `  - ${fault}`).join('\n') });
}

/** What a process ends with because of an error: 78 when a person must change the set-up, else 1. */
export function exitCodeFor(error: unknown): number {
  return error instanceof MillraceError && error.kind === 'config' ? exitConfig : exitFailure;
}

export function settingsByKey(shape: z.ZodRawShape = configSchema.shape): [string, SettingInfo][] {
  return Object.entries(shape).map(([key, schema]) => {
    const info = settingInfo.get(schema as z.ZodType);
    if (info === undefined) throw new Error(`setting ${key} has no info`);
    return [key, info];
  });
}

// A value is never repeated in a fault: it may be a secret in the wrong place.
function schemaFaults(error: z.ZodError, shape: z.ZodRawShape): string[] {
  const infos = new Map(settingsByKey(shape));
  const faults = error.issues.map(({ path }) => {
    const info = infos.get(String(path[0]));
    return info === undefined ? 'something is wrong' : `${info.env} must be ${info.takes}`;
  });
  return [...new Set(faults)];
}

function unknownNames(env: Environment, groups: readonly SettingGroup[]): string[] {
  const shapes = [configSchema.shape, ...groups.map(({ shape }) => shape)];
  const names = shapes.flatMap((shape) => settingsByKey(shape).map(([, info]) => info.env));
  const known = [...names, ...Object.keys(otherVariables)];
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
function crossFaults(config: z.infer<typeof configSchema>): string[] {
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
    [config.s3Prefix !== '' && !config.s3Prefix.endsWith('/'), 'S3_PREFIX must end in "/"'],
    [
      !config.authEnabled && !isLoopback(config.host),
      'AUTH_ENABLED=false is only allowed when HOST is a loopback address',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, fault]) => fault);
}

/** Thresholds of the specifications' stale views, which read them from the session. */
export function specSettings(config: Config): Readonly<Record<string, string>> {
  return { 'millrace.processing_timeout_hours': String(config.processingTimeoutHours) };
}
