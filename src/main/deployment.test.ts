// Dockerfile and compose files, read without an engine: what they say is checked against the product. `test/acceptance/compose.test.ts` starts the services.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ComposeVariant, compose, composeVariants, repository } from '../../test/support/compose-files.ts';
import { kits } from '../pipelines/all.ts';
import { configSchema, settingsByKey } from '../platform/config.ts';
import { readConfiguration } from './configuration.ts';

const ours = ['api', 'worker', 'ingest-worker'] as const;
const hasRegistry = (image: string) => image.includes('/') && /[.:]/.test(image.split('/')[0] ?? '');

describe('the compose files', () => {
  it.each(Object.keys(composeVariants) as ComposeVariant[])(
    'of %s name only settings that exist, with values that are taken, and no service is given what it must not have',
    (variant) => {
      const shapes = [configSchema.shape, ...kits.flatMap(({ settings }) => (settings ? [settings.shape] : []))];
      const known = shapes.flatMap((shape) => settingsByKey(shape).map(([, info]) => info.env));
      const { services, volumes } = compose(variant);
      expect(Object.keys(services).sort()).toEqual(['api', 'ingest-worker', 'postgres', 'worker']);
      expect(Object.keys(volumes).sort()).toEqual(['artifacts', 'pgdata', 'uploads']);
      for (const name of ours) {
        const { environment = {}, command, healthcheck } = services[name] ?? { environment: {} };
        expect([name, Object.keys(environment).filter((key) => !known.includes(key))]).toEqual([name, []]);
        expect(() => readConfiguration(environment)).not.toThrow();
        expect([name, command]).toEqual([name, [name]]);
        expect(healthcheck?.test.join(' ')).toContain('/health');
      }
      const { environment, ports, expose } = services['ingest-worker'] ?? { environment: {} };
      expect([ports, expose]).toEqual([undefined, ['8002']]);
      for (const key of ['CONNECTOR_SECRET_KEY', 'JWT_SECRET', 'DATABASE_MIGRATION_URL', 'S3_SECRET_ACCESS_KEY'])
        expect(environment).not.toHaveProperty(key);
      expect(new URL(environment.DATABASE_URL ?? '').username).toBe('millrace_ingest');
      const images = Object.values(services).flatMap(({ image }) => (image === undefined ? [] : [image]));
      expect(images.filter(hasRegistry)).toEqual([]);
    },
  );

  it('the development override turns signing in off only on the host’s loopback', () => {
    const { api } = compose('development').services;
    expect(api).toMatchObject({ network_mode: 'host', environment: { AUTH_ENABLED: 'false', HOST: '127.0.0.1' } });
    expect(api?.ports ?? []).toEqual([]);
    expect(compose('ledger').services.api?.environment.AUTH_ENABLED).toBe('true');
  });
});

describe('the Dockerfile', () => {
  const text = readFileSync(path.join(repository, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('has two stages without a registry in their names; the last one has no build tools, a user without rights and a health check', () => {
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
    expect(bases).toHaveLength(2);
    expect(bases.filter(hasRegistry)).toEqual([]);
    expect(last.filter((line) => /npm (?:ci|install|run)|apt-get|apk /.test(line))).toEqual([]);
    expect(last.find((line) => line.startsWith('USER '))).toBe('USER node');
    expect(last.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/health'))).toBe(true);
  });

  it('takes over what the product consists of, and starts what is there', () => {
    const copied = last.flatMap((line) => /^COPY --from=build \/app\/(\S+)/.exec(line)?.[1] ?? []);
    for (const each of copied) expect([each, existsSync(path.join(repository, each))]).toEqual([each, true]);
    const { files } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as { files: string[] };
    const packed = files.filter((each) => !each.startsWith('!') && each !== 'examples');
    expect(copied).toEqual(expect.arrayContaining([...packed, 'node_modules', 'package.json']));
    expect(last).toContain('ENTRYPOINT ["node", "dist/main/main.js"]');
  });
});
