// The life of an installation: first start, sign-in, second start, drain, kill, and nothing left running.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { cleanUp, type Ended, isAlive, makeHome, millrace, type Server, startServer } from './millrace-process.ts';

const home = makeHome();
const env = { MILLRACE_HOME: home, SHUTDOWN_GRACE_SECONDS: '5' };
let server: Server;
let ended: Ended;
let password = '';
let databasePid = 0;

const postgresPid = () => {
  const file = path.join(home, 'postgres/cluster/data/postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
};

const resetPassword = async () => {
  const reset = await millrace(['users', 'reset-password', 'admin@millrace.local', '--json'], env);
  return (JSON.parse(reset.stdout) as { one_time_password: string }).one_time_password;
};
const login = (url: string) =>
  fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@millrace.local', password }),
  });

beforeAll(async () => {
  server = await startServer(env);
  databasePid = postgresPid();
});
afterAll(cleanUp);

describe('the first start', () => {
  it('prints four lines: database, migrations applied, address, and the first account with its password', () => {
    const [database, schema, open, signIn, ...more] = server.lines;
    expect(database).toMatch(/^database +embedded Postgres in .+\/postgres$/);
    expect(schema).toMatch(/^schema +\d+ migrations applied, now at \d{4}_/);
    expect(open).toMatch(/^open +http:\/\/127\.0\.0\.1:\d+$/);
    expect(signIn).toMatch(/^sign in +admin@millrace\.local with the password [a-z0-9-]{24} /);
    expect(more).toEqual([]);
    password = / password (\S+) /.exec(signIn ?? '')?.[1] ?? '';
  });

  it('answers at /health and /ready, and shows a page to a browser', async () => {
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'ok' });
    const ready = await fetch(`${server.url}/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
    const page = await fetch(server.url);
    expect([page.status, page.headers.get('content-type')]).toMatchObject([200, expect.stringContaining('text/html')]);
  });

  it('the printed password signs in', async () => {
    const answer = await login(server.url);
    expect([answer.status, await answer.json()]).toMatchObject([200, { me: { role: 'admin' } }]);
  });

  it('the doctor finds it in order while it runs', async () => {
    const doctor = await millrace(['doctor', '--json'], env);
    const findings = JSON.parse(doctor.stdout) as { check: string; state: string; detail: string }[];
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(doctor.code).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['database', 'schema', 'row security', 'clock', 'disk', 'workers', 'runs', 'blob store']),
    );
  });

  it('a second process on the same port is refused in one sentence and disturbs nothing', async () => {
    const port = new URL(server.url).port;
    const second = await millrace(['start', '--port', port], env);
    expect(second.code).toBe(78);
    expect(second.stderr).toContain(`Port ${port} on 127.0.0.1 is already in use.`);
    expect(second.stderr).toContain('(port_in_use)');
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
  });
});

describe('the end', () => {
  it('SIGTERM stops it with code 0, and its database with it', async () => {
    expect(isAlive(databasePid)).toBe(true);
    ended = await server.end('SIGTERM');
    expect([ended.code, ended.stdout.trimEnd().split('\n').length]).toEqual([0, 4]);
    await waitFor(() => !isAlive(databasePid), { what: 'Postgres to be gone' });
  });

  it('the next start finds everything as it was and says where a lost password is made again', async () => {
    server = await startServer(env);
    expect(server.lines[1]).toMatch(/^schema +up to date$/);
    expect(server.lines[3]).toContain('millrace users reset-password admin@millrace.local');
    expect((await login(server.url)).status).toBe(200);
    password = await resetPassword();
    expect((await login(server.url)).status).toBe(200);
    // It works once.
    expect((await login(server.url)).status).toBe(401);
  });

  it('after kill -9 its database does not stay behind, and the next start works', async () => {
    databasePid = postgresPid();
    expect((await server.end('SIGKILL')).code).toBeNull();
    await waitFor(() => !isAlive(databasePid), { what: 'Postgres to be gone' });
    server = await startServer(env);
    password = await resetPassword();
    expect((await login(server.url)).status).toBe(200);
    expect((await server.end('SIGINT')).code).toBe(0);
  });
});
