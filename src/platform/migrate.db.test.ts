// The migrator against real databases, with scratch migrations.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { connectClient } from './database.ts';
import { silentLog } from './log.ts';
import { migrate, readMigrations, requireCurrentSchema } from './migrate.ts';

let folder = '';
let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'millrace-migrations-'));
  database = await createEmptyDatabase();
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
});

const write = (name: string, sql: string) => writeFileSync(path.join(folder, name), sql);
const run = () => migrate({ url: database.url, folder, appLogin: database.login });

async function ask<T extends object>(sql: string): Promise<T[]> {
  const client = await connectClient({ url: database.url, applicationName: 'test', connectTimeoutMs: 5_000 });
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof MillraceError ? error.code : undefined;
}

describe('a migration that needs a lock which others hold', () => {
  beforeEach(async () => {
    write('0001_first.sql', 'create table log (n int);');
    await run();
    write('0002_second.sql', 'alter table log add column m int;');
  });

  const holding = async <T>(work: (release: () => Promise<unknown>) => Promise<T>): Promise<T> => {
    const holder = await connectClient({ url: database.url, applicationName: 'holder', connectTimeoutMs: 5_000 });
    try {
      await holder.query('begin; select from log');
      return await work(() => holder.query('rollback'));
    } finally {
      await holder.end();
    }
  };

  it('steps back, so that nobody queues behind it, and is applied once the lock is free', async () => {
    await holding(async (release) => {
      const tried: unknown[] = [];
      const log = {
        ...silentLog,
        warn: (fields: unknown) => {
          tried.push(fields);
          if (tried.length === 2) void release();
        },
      };
      const patience = { lockTimeoutMs: 100, tries: 100, pauseMs: 50 };
      const { applied } = await migrate({ url: database.url, folder, log, patience });
      expect(applied).toEqual(['0002_second.sql']);
      expect(tried.length).toBeGreaterThanOrEqual(2);
    });
  });

  it('gives up after its tries, names itself, and leaves everything as it was', async () => {
    await holding(async () => {
      const patience = { lockTimeoutMs: 50, tries: 3, pauseMs: 10 };
      const blocked = migrate({ url: database.url, folder, patience });
      await expect(blocked).rejects.toMatchObject({
        code: 'migration_blocked',
        message: expect.stringContaining('0002_second.sql was tried 3 times'),
      });
    });
    expect(await ask('select name from millrace.migrations')).toEqual([{ name: '0001_first.sql' }]);
    expect((await run()).applied).toEqual(['0002_second.sql']);
  });
});

describe('migrations', () => {
  it('take as long as they take, and wait for each other, where the database limits statements and waits by default', async () => {
    write('0001_first.sql', 'create table log (n int); select pg_sleep(0.5);');
    for (const setting of [`statement_timeout = '100ms'`, `lock_timeout = '50ms'`])
      await ask(
        `do $$ begin execute format('alter database %I set ', current_database()) || '${setting.replaceAll("'", "''")}'; end $$`,
      );
    const both = await Promise.all([run(), run()]);
    expect(both.map(({ applied }) => applied.length).sort()).toEqual([0, 1]);
  });

  it('are applied once, in the order of their names, and reported', async () => {
    write('0002_second.sql', 'insert into log values (2);');
    write('0001_first.sql', 'create table log (n int); insert into log values (1);');
    write('notes.txt', 'not a migration');
    expect(await run()).toEqual({ applied: ['0001_first.sql', '0002_second.sql'], version: '0002_second.sql' });
    expect(await run()).toEqual({ applied: [], version: '0002_second.sql' });
    expect(await ask('select n from log order by n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('are applied once when ten processes start together', async () => {
    write('0001_first.sql', 'create table log (n int); select pg_sleep(0.05); insert into log values (1);');
    const results = await Promise.all(Array.from({ length: 10 }, run));
    expect(results.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    expect(await ask('select n from log')).toEqual([{ n: 1 }]);
  });

  it('that fail leave nothing behind, say where, and go on from there when fixed', async () => {
    write('0001_first.sql', 'create table log (n int);');
    write('0002_second.sql', 'insert into log values (2);\n\nselect nonsense;');
    const failing = run();
    await expect(failing).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(/0002_second\.sql.*"nonsense" does not exist \(line 3\)/),
    });
    expect(await ask('select n from log')).toEqual([]);
    write('0002_second.sql', 'insert into log values (2);');
    expect((await run()).applied).toEqual(['0002_second.sql']);
  });

  it('that were applied may not be changed', async () => {
    write('0001_first.sql', 'create table log (n int);');
    await run();
    write('0001_first.sql', 'create table log (n bigint);');
    expect(await codeOf(run())).toBe('migration_changed');
  });

  it('may be checked out with other line endings', async () => {
    write('0001_first.sql', 'create table log (n int);\nselect 1;\n');
    await run();
    write('0001_first.sql', 'create table log (n int);\r\nselect 1;\r\n');
    expect((await run()).applied).toEqual([]);
  });

  it('of a newer version are not run over', async () => {
    write('0001_first.sql', 'create table log (n int);');
    write('0002_second.sql', 'select 1;');
    await run();
    rmSync(path.join(folder, '0002_second.sql'));
    expect(await codeOf(run())).toBe('schema_newer');
  });

  it('with a lower number may arrive later', async () => {
    write('0010_ads.sql', 'create table ads ();');
    await run();
    write('0004_mappings.sql', 'create table mappings ();');
    expect((await run()).applied).toEqual(['0004_mappings.sql']);
  });

  it('find the roles of the pipelines made, which the login may become, and only by "set role"', async () => {
    write('0001_first.sql', 'create table log (n int); grant select on log to mt_reader;');
    await migrate({ url: database.url, folder, appLogin: database.login, roles: ['mt_reader'] });
    const [rights] = await ask(
      `select pg_has_role('${database.login}', 'mt_reader', 'member') as member,
              has_table_privilege('${database.login}', 'log', 'select') as by_itself`,
    );
    expect(rights).toEqual({ member: true, by_itself: false });
    await ask('drop owned by mt_reader');
    await ask('drop role mt_reader');
  });
});

describe('migrations of a pipeline that does not come with Millrace', () => {
  const own = () => [{ owner: 'tides', folder: path.join(folder, 'tides') }];

  it('are applied after ours, once, and frozen as ours are', async () => {
    write('0009_base.sql', 'create table base ();');
    mkdirSync(path.join(folder, 'tides'));
    write('tides/0001_tides.sql', 'create table tides (like base);');
    const both = () => migrate({ url: database.url, folder, own: own() });
    expect((await both()).applied).toEqual(['0009_base.sql', 'tides/0001_tides.sql']);
    expect(await both()).toEqual({ applied: [], version: '0009_base.sql' });
    write('tides/0001_tides.sql', 'create table tides ();');
    expect(await codeOf(both())).toBe('migration_changed');
  });

  it('do not concern a process that does not know the pipeline, and are missing to one that does', async () => {
    write('0001_house.sql', 'select 1;');
    mkdirSync(path.join(folder, 'tides'));
    write('tides/0001_tides.sql', 'select 1;');
    await run();
    const client = await connectClient({ url: database.url, applicationName: 'test', connectTimeoutMs: 5_000 });
    expect(await codeOf(requireCurrentSchema(client, { folder, own: own() }))).toBe('schema_behind');
    await migrate({ url: database.url, folder, own: own() });
    await expect(requireCurrentSchema(client, { folder })).resolves.toBeUndefined();
    expect((await run()).applied).toEqual([]);
    await client.end();
  });
});

describe('a process that does not migrate', () => {
  it('refuses a schema that is behind, and takes one that is current', async () => {
    write('0001_first.sql', 'select 1;');
    const client = await connectClient({ url: database.url, applicationName: 'test', connectTimeoutMs: 5_000 });
    expect(await codeOf(requireCurrentSchema(client, { folder }))).toBe('schema_behind');
    await run();
    await expect(requireCurrentSchema(client, { folder })).resolves.toBeUndefined();
    write('0002_second.sql', 'select 1;');
    expect(await codeOf(requireCurrentSchema(client, { folder }))).toBe('schema_behind');
    await client.end();
  });
});

describe('our own migrations', () => {
  it('apply to an empty database and leave the login with no right of its own', async () => {
    const own = readMigrations();
    const result = await migrate({ url: database.url, appLogin: database.login });
    expect(result.applied).toEqual(own.map(({ name }) => name));
    const owned = await ask(
      `select c.oid::regclass::text as name from pg_class c join pg_roles r on r.oid = c.relowner
        where r.rolname = '${database.login}' or (c.relkind = 'r' and c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
          and c.oid::regclass::text <> 'millrace.migrations'
          and has_table_privilege('${database.login}', c.oid, 'select'))`,
    );
    expect(owned).toEqual([]);
  });
});
