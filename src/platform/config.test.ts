import { describe, expect, it } from 'vitest';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { exitCodeFor, loadConfig, settingsByKey } from './config.ts';
import { nearest } from './nearest.ts';

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'config_invalid') throw error;
    return error.message.split('\n').slice(1);
  }
}

describe('the configuration', () => {
  it('needs nothing: an empty environment gives the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      home: './.millrace',
      databasePoolSize: 10,
      leaseSeconds: 60,
      heartbeatSeconds: 10,
      lostLimit: 5,
      doubtTimeoutHours: 72,
      processingTimeoutHours: 1,
      uploadMaxSizeMb: 50,
      uploadCleanupTtlHours: 24,
      jwtExpiryHours: 24,
      authEnabled: true,
      blobStore: 'disk',
      stagingRetentionDays: 7,
      rejectRetentionDays: 90,
      allowPrivateWebhooks: false,
      logFilenames: false,
    });
  });

  it('reads numbers, flags and choices from text, and takes an empty variable as not set', () => {
    const config = loadConfig({ PORT: ' 9000 ', AUTH_ENABLED: 'FALSE', LOG_LEVEL: 'debug', LEASE_SECONDS: '' });
    expect(config).toMatchObject({ port: 9000, authEnabled: false, logLevel: 'debug', leaseSeconds: 60 });
  });

  it('lists every fault at once, by the name of the variable', () => {
    expect(
      faultsOf({
        PORT: 'eighty',
        LEASE_SECONDS: '0',
        LOG_LEVEL: 'loud',
        AUTH_ENABLED: 'maybe',
        DATABASE_URL: 'mysql://a:b@c/d',
        JWT_SECRET: 'short',
        MILLRACE_HOEM: '/x',
      }),
    ).toEqual([
      '  - MILLRACE_HOEM is not a setting; did you mean MILLRACE_HOME?',
      '  - PORT must be a whole number from 0 to 65535',
      '  - LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      '  - DATABASE_URL must be an address that begins with postgres:// or postgresql://',
      '  - LEASE_SECONDS must be a whole number from 1 to 3600',
      '  - AUTH_ENABLED must be true or false',
      '  - JWT_SECRET must be at least 32 characters',
    ]);
  });

  it('never repeats a value, which may be a secret', () => {
    const env = { DATABASE_URL: 'Hunter2-canary', PORT: 'Hunter2-canary', JWT_SECRET: 'Hunter2-canary' };
    expect(faultsOf(env).join('\n')).not.toContain('Hunter2');
  });

  it('suggests the real name for a setting with our prefix', () => {
    expect(faultsOf({ MILLRACE_PORT: '1' })).toEqual(['  - MILLRACE_PORT is not a setting; did you mean PORT?']);
    expect(faultsOf({ MILLRACE_XYZZYPLUGH: '1' })).toEqual(['  - MILLRACE_XYZZYPLUGH is not a setting']);
    expect(faultsOf({ MILLRACE_TEST_DATABASE_URL: 'x', MILLRACE_TOKEN: 'x' })).toEqual([]);
  });

  it.each([
    [{ LEASE_SECONDS: '10', HEARTBEAT_SECONDS: '6' }, 'HEARTBEAT_SECONDS must be at most half'],
    [{ DATABASE_MIGRATION_URL: 'postgres://a:b@c/d' }, 'needs DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://localhost/d' }, 'must name the user'],
    [{ BLOB_STORE: 's3' }, 'S3_BUCKET is needed'],
    [{ S3_ACCESS_KEY_ID: 'x' }, 'go together'],
    [{ S3_PREFIX: 'x' }, 'must end in "/"'],
    [{ AUTH_ENABLED: 'false', HOST: '0.0.0.0' }, 'only allowed when HOST is a loopback address'],
  ])('refuses %j', (env, fault) => {
    expect(faultsOf(env as Record<string, string>)).toEqual([expect.stringContaining(fault)]);
  });

  it('names every setting after its variable, with a doc line and a default', () => {
    for (const [key, { env, doc, default: shown, takes }] of settingsByKey()) {
      const name = env
        .replace(/^MILLRACE_/, '')
        .toLowerCase()
        .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      expect(key).toBe(name);
      expect(doc).toMatch(/^[A-Z/].*\.$|^json is/);
      expect(takes).not.toBe('');
      expect(shown).toBeDefined();
    }
  });

  it('ends the process with 78 when a person must change the set-up, else with 1', () => {
    expect(exitCodeFor(new MillraceError('config_invalid', { faults: '' }))).toBe(78);
    expect(exitCodeFor(new MillraceError('schema_newer'))).toBe(78);
    expect(exitCodeFor(new MillraceError('database_lost'))).toBe(1);
    expect(exitCodeFor(new Error('x'))).toBe(1);
  });
});

describe('nearest', () => {
  it('finds the candidate with the fewest changes, and none when all are far', () => {
    expect(nearest('databse', ['database', 'server'])).toBe('database');
    expect(nearest('zzz', ['database', 'server'])).toBeUndefined();
  });
});
