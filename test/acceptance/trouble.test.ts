// Bad set-ups and failing databases, seen from outside: one clear sentence, its code, the next step, an exit code; nothing hangs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startOldPostgres } from '../support/old-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, createEmptyDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, type Ended, makeHome, millrace, root, type Server, startServer } from './millrace-process.ts';

const quick = { SHUTDOWN_GRACE_SECONDS: '2' };
let database: InstallationDatabase;
let home = '';

beforeEach(async () => {
  database = await createDatabase();
  home = makeHome();
});
afterEach(() => database.drop());
afterAll(cleanUp);

async function beforeTheFirstStart(): Promise<void> {
  await database.drop();
  database = await createEmptyDatabase();
}

const start = (env: Record<string, string>) =>
  millrace(['start', '--port', '0'], { MILLRACE_HOME: home, ...quick, ...env });

function expectRefusal(ended: Ended, code: number, error: string): string {
  expect(ended, ended.stderr).toMatchObject({ code, stdout: '' });
  const lines = ended.stderr.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^✖ /);
  expect(lines.at(-1)).toMatch(new RegExp(`^ {2}\\S.* \\(${error}\\)$`));
  return ended.stderr;
}

describe('a start that cannot be', () => {
  it('a wrong configuration lists every fault at once, never a value', async () => {
    const ended = await start({ PORT: 'secret-port', LEASE_SECONDS: '0', MILLRACE_HOEM: '/x', JWT_SECRET: 'short' });
    const text = expectRefusal(ended, 78, 'config_invalid');
    for (const fault of ['LEASE_SECONDS must be', 'JWT_SECRET must be', 'MILLRACE_HOEM is not a setting; did you mean'])
      expect(text).toContain(fault);
    expect(text).not.toContain('short');
  });

  it('a database that is not there', async () => {
    const ended = await start({ DATABASE_URL: 'postgres://somebody:hidden@127.0.0.1:9/millrace' });
    const text = expectRefusal(ended, 1, 'database_unreachable');
    expect(text).toContain('127.0.0.1:9/millrace does not answer');
    expect(text).not.toContain('hidden');
  });

  it('a wrong password and a wrong name', async () => {
    const wrong = new URL(database.appUrl);
    wrong.password = 'wrong-word';
    const text = expectRefusal(await start({ DATABASE_URL: wrong.href }), 78, 'database_refused');
    expect(text).not.toContain('wrong-word');
    const elsewhere = new URL(database.appUrl);
    elsewhere.pathname = '/no_such_database';
    expectRefusal(await start({ DATABASE_URL: elsewhere.href }), 78, 'database_refused');
  });

  it('a server that is too old: nothing is asked of it but its version', async () => {
    const old = await startOldPostgres(140_011, '14.11');
    try {
      for (const args of [['start', '--port', '0'], ['migrate'], ['worker', '--once']]) {
        const ended = await millrace(args, { MILLRACE_HOME: home, ...quick, DATABASE_URL: old.url });
        expect(expectRefusal(ended, 78, 'database_too_old')).toBe(
          '✖ The database server is Postgres 14.11; Millrace needs 15 or newer.\n' +
            '  Upgrade the server, or unset DATABASE_URL to use the embedded one. (database_too_old)\n',
        );
      }
      expect(old.asked.filter((sql) => !sql.includes('server_version'))).toEqual([]);
    } finally {
      await old.close();
    }
  });

  it('a login that may not migrate is told who may', async () => {
    await beforeTheFirstStart();
    const text = expectRefusal(await start({ DATABASE_URL: database.appUrl }), 78, 'migration_forbidden');
    expect(text).toContain('DATABASE_MIGRATION_URL');
  });

  it('a schema that is behind when it must not migrate itself, and one that is ahead', async () => {
    await beforeTheFirstStart();
    expectRefusal(await start({ ...database.env, MIGRATE_ON_START: 'false' }), 78, 'schema_behind');
    expect((await millrace(['migrate'], { MILLRACE_HOME: home, ...database.env })).code).toBe(0);
    await database.query(`insert into millrace.migrations (name, checksum) values ('9999_future.sql', 'x')`);
    const text = expectRefusal(await start({ ...database.env }), 78, 'schema_newer');
    expect(text).toContain('9999_future.sql');
    expectRefusal(await start({ ...database.env, MIGRATE_ON_START: 'false' }), 78, 'schema_newer');
  });

  it('an older version on a newer schema: no command touches it, and the doctor says what to do', async () => {
    const env = { MILLRACE_HOME: home, ...database.env, ...quick };
    await database.query(`insert into millrace.migrations (name, checksum) values ('9999_future.sql', 'x')`);
    for (const args of [
      ['migrate'],
      ['worker', '--once'],
      ['scheduler'],
      ['runs', 'list'],
      ['tenants', 'create', 'Acme'],
    ])
      expectRefusal(await millrace(args, env), 78, 'schema_newer');
    const doctor = await millrace(['doctor', '--json'], env);
    const findings = JSON.parse(doctor.stdout) as { check: string; state: string; fix?: string }[];
    expect(doctor.code).toBe(1);
    expect(findings.find(({ check }) => check === 'schema')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('9999_future.sql'),
      fix: 'Start the newer version of Millrace.',
    });
  });

  it('two versions of a pipeline that contradict each other: the second is refused, the first is not disturbed', async () => {
    const env = { MILLRACE_HOME: home, ...database.env, ...quick };
    const moduleOf = (name: string) => path.join(root, 'test/fixtures', name);
    const first = await startServer({ ...env, PIPELINE_MODULES: moduleOf('steps.pipeline.mjs') });
    const second = await start({ ...database.env, PIPELINE_MODULES: moduleOf('steps-otherwise.pipeline.mjs') });
    expect(expectRefusal(second, 78, 'machine_conflict')).toContain('steps');
    expect((await fetch(`${first.url}/ready`)).status).toBe(200);
    expect((await first.end('SIGTERM')).code).toBe(0);
  });

  it('a migration that was rewritten after it had been applied', async () => {
    await database.query(`update millrace.migrations set checksum = 'other' where name like '0001%'`);
    expect(expectRefusal(await start({ ...database.env }), 78, 'migration_changed')).toContain('0001_');
  });

  it('a home that cannot be written to', async () => {
    const ended = await start({ MILLRACE_HOME: '/dev/null/home' });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/^✖ .*\/dev\/null\/home/);
  });

  it.runIf(process.platform === 'linux')(
    'a home where no folder can be made, though the one above is there',
    async () => {
      const ended = await start({ ...database.env, MILLRACE_HOME: '/proc/home' });
      expect(expectRefusal(ended, 78, 'home_unusable')).toContain('/proc/home');
    },
  );

  it('a module of pipelines that is not there', async () => {
    const ended = await start({ ...database.env, PIPELINE_MODULES: './missing.mjs' });
    expect(expectRefusal(ended, 78, 'pipeline_module_invalid')).toContain('./missing.mjs');
  });

  it('in JSON, the refusal is one object', async () => {
    const ended = await millrace(['start', '--json', '--port', '0'], {
      MILLRACE_HOME: home,
      DATABASE_URL: 'postgres://somebody@127.0.0.1:9/millrace',
    });
    expect(JSON.parse(ended.stderr)).toMatchObject({
      error: { code: 'database_unreachable', next: expect.any(String) },
    });
  });
});

it('a reader that has read enough and hangs up is no error of the command', async () => {
  const child = spawn(process.execPath, [path.join(root, 'dist/main/main.js'), '--help']);
  child.stdout.destroy();
  const complaint = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await complaint).toBe('');
});

it('a command that cannot be understood says why and how it is used, in JSON to programs', async () => {
  expect(await millrace(['runs', 'shwo'], {})).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: unknown command 'shwo'\n\(Did you mean show\?\)\n\(add --help/),
  });
  for (const [args, reason] of [
    [['nonsense'], "unknown command 'nonsense'"],
    [['runs', 'show'], "missing required argument 'run'"],
    [['runs', 'list', '--phase', 'nope'], '"nope" is none of waiting'],
  ] as const) {
    const ended = await millrace([...args, '--json'], {});
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(ended.stderr)).toEqual({
      error: {
        code: 'command_invalid',
        message: expect.stringContaining(reason),
        next: expect.stringContaining('--help'),
      },
    });
  }
});

describe('a database that fails under a running server', () => {
  let server: Server;
  afterEach(async () => {
    await server.end('SIGKILL');
  });

  const me = async () => {
    const answer = await fetch(`${server.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'not the password' }),
      signal: AbortSignal.timeout(300_000),
    });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
  };

  it('while it is away the answer is 503 with Retry-After; when it is back everything works again', async () => {
    server = await startServer({ MILLRACE_HOME: home, ...database.env, ...quick });
    expect((await me()).status).toBe(401);
    await database.setOpen(false);
    const away = await waitFor(async () => {
      const answer = await me();
      return answer.status === 503 ? answer : undefined;
    });
    expect(away).toMatchObject({ retryAfter: expect.stringMatching(/^\d+$/), body: { next: expect.any(String) } });
    expect((await fetch(`${server.url}/ready`)).status).toBe(503);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await database.setOpen(true);
    await waitFor(async () => (await fetch(`${server.url}/ready`)).status === 200);
    expect((await me()).status).toBe(401);
  });

  it('when all connections are taken, those who wait are answered 503 in time and the next ones served', async () => {
    server = await startServer({
      MILLRACE_HOME: home,
      ...database.env,
      ...quick,
      DATABASE_POOL_SIZE: '2',
      // Those who wait are refused then; the start needs connections, too, and has the same patience.
      DATABASE_CONNECT_TIMEOUT_MS: '5000',
    });
    const holder = new pg.Client({ connectionString: database.adminUrl });
    await holder.connect();
    await holder.query('begin; lock table public.users');
    const asked = Array.from({ length: 12 }, () => me());
    const refused = await Promise.any(
      asked.map(async (answer) => {
        expect((await answer).status).toBe(503);
        return answer;
      }),
    );
    expect(refused).toMatchObject({ body: { code: 'pool_exhausted' }, retryAfter: expect.any(String) });
    await holder.query('commit');
    await holder.end();
    await Promise.all(asked);
    expect((await me()).status).not.toBe(503);
  });
});

describe('/ready', () => {
  it('asks the database, the migrations and the blob store, and names what is not well', async () => {
    const blobs = path.join(home, 'elsewhere');
    const env = { MILLRACE_HOME: home, UPLOAD_STORE_PATH: blobs, ...database.env, ...quick };
    const server = await startServer(env);
    const ready = async () => {
      const answer = await fetch(`${server.url}/ready`);
      const body = (await answer.json()) as { checks: Record<string, { ok: boolean }> };
      const bad = Object.entries(body.checks).flatMap(([name, { ok }]) => (ok ? [] : [name]));
      return { status: answer.status, checks: Object.keys(body.checks), bad };
    };
    try {
      const well = await ready();
      expect(well).toMatchObject({ status: 200, bad: [] });
      expect(well.checks).toEqual(expect.arrayContaining(['database', 'migrations', 'blobs']));
      // A file where the folder should be: nobody can store anything, root neither.
      rmSync(blobs, { recursive: true, force: true });
      writeFileSync(blobs, '');
      expect(await ready()).toMatchObject({ status: 503, bad: ['blobs'] });
      rmSync(blobs);
      expect(await ready()).toMatchObject({ status: 200, bad: [] });
      await database.query(`insert into millrace.migrations (name, checksum) values ('9999_future.sql', 'x')`);
      expect(await ready()).toMatchObject({ status: 503, bad: ['migrations'] });
      await database.query(`delete from millrace.migrations where name = '9999_future.sql'`);
      expect(await ready()).toMatchObject({ status: 200, bad: [] });
    } finally {
      await server.end('SIGKILL');
    }
  });
});
