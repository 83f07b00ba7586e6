// The embedded database as its users meet it: first start, reuse, every way to die, several processes, root and not root.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compiledProgram } from '../../test/support/programs.ts';
import { makeTempHome } from '../../test/support/temp-home.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { connectClient } from './database.ts';
import { readPidFile } from './embedded/pid-file.ts';
import { isAlive } from './is-alive.ts';
import { silentLog } from './log.ts';

const isRoot = process.getuid?.() === 0;
const childProgram = compiledProgram('test/support/embedded-child.ts');
// As it is built: from the sources every supervisor would be compiled as it starts.
const { startEmbeddedPostgres }: typeof import('./embedded-postgres.ts') = await import(
  compiledProgram('src/platform/embedded-postgres.ts')
);

interface Child {
  readonly process: ChildProcess;
  readonly port: number;
  readonly pid: number;
  readonly adminUrl: string;
  readonly code?: string;
  readonly message?: string;
}

let seed = '';
let home = '';
let children: ChildProcess[] = [];

const makeHome = () => makeTempHome('embedded');

// Most tests begin with a copy of a home that was used before; creating a cluster takes a second, copying it does not.
beforeAll(async () => {
  seed = makeHome();
  await (await startEmbeddedPostgres({ home: seed, log: silentLog })).stop();
});

beforeEach(() => {
  home = makeHome();
});

const useSeed = () => execFileSync('cp', ['-a', `${seed}/postgres`, home]);

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  const data = path.join(home, 'postgres', 'cluster', 'data');
  await waitFor(() => !isServing(data), { what: 'the server to be gone' });
  const real = existsSync(path.join(home, 'postgres')) ? realpathSync(path.join(home, 'postgres')) : home;
  for (const folder of [home, real]) rmSync(folder, { recursive: true, force: true });
});

afterAll(() => rmSync(seed, { recursive: true, force: true }));

const start = (folder = home) => startEmbeddedPostgres({ home: folder, log: silentLog });

function isServing(data: string): boolean {
  const file = readPidFile(data);
  return file !== undefined && isAlive(file.pid);
}

async function startChild(as: string[] = []): Promise<Child> {
  const command = [...as, process.execPath, childProgram, home];
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
  return { process: child, ...(JSON.parse(line) as Omit<Child, 'process'>) };
}

async function stopChild(child: Child): Promise<void> {
  const ended = new Promise((resolve) => child.process.once('exit', resolve));
  child.process.stdin?.write('stop\n');
  await ended;
}

async function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = await connectClient({ url, applicationName: 'test', connectTimeoutMs: 5_000 });
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const parentOf = (pid: number) => Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]).toString());
const gone = (pid: number) => waitFor(() => !isAlive(pid), { what: `process ${pid} to be gone` });

describe('one process', () => {
  beforeEach(useSeed);

  it('gets a durable UTF-8 server on loopback only, and leaves nothing running', async () => {
    const server = await start();
    const [settings] = await ask(
      server.adminUrl,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync,
              current_setting('full_page_writes') as pages, current_setting('server_encoding') as encoding,
              current_setting('listen_addresses') as listens, current_setting('password_encryption') as passwords`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      sync: 'on',
      pages: 'on',
      encoding: 'UTF8',
      listens: '127.0.0.1',
      passwords: 'scram-sha-256',
    });
    const supervisor = parentOf(server.pid);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    await gone(supervisor);
  });

  it('gives the application a login without any right of its own', async () => {
    const server = await start();
    const rights = await ask(
      server.appUrl,
      `select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolinherit as any_right,
              has_database_privilege(current_database(), 'create') as may_create
         from pg_roles where rolname = current_user`,
    );
    expect(rights).toEqual([{ any_right: false, may_create: false }]);
    await server.stop();
  });

  it('refuses connections with a wrong password, also over the unix socket', async () => {
    const server = await start();
    const wrong = new URL(server.adminUrl);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: 'database_refused' });
    expect(server.socketFolder).toBeDefined();
    const socket = `postgresql://postgres:wrong@/millrace?host=${server.socketFolder}&port=${server.port}`;
    await expect(ask(socket, 'select 1')).rejects.toMatchObject({ code: 'database_refused' });
    await server.stop();
  });

  it('keeps the passwords in a file that only its owner can read', async () => {
    const server = await start();
    const file = path.join(home, 'postgres', 'cluster', 'cluster.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { adminPassword } = JSON.parse(readFileSync(file, 'utf8')) as { adminPassword: string };
    const commands = execFileSync('ps', ['-eo', 'args']).toString();
    expect(commands).not.toContain(adminPassword);
    await server.stop();
  });

  it('finds its data again at the next start', async () => {
    const first = await start();
    await ask(first.adminUrl, 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(await ask(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('starts although postmaster.pid names a living stranger', async () => {
    const first = await start();
    await first.stop();
    const file = path.join(home, 'postgres', 'cluster', 'data', 'postmaster.pid');
    writeFileSync(
      file,
      `${process.pid}\n${path.dirname(file)}\n1700000000\n5432\n\n127.0.0.1\n  1234567 0\nready   \n`,
    );
    if (isRoot) {
      const { uid, gid } = statSync(path.dirname(file));
      chownSync(file, uid, gid);
    }
    const second = await start();
    expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  it('moves its control port when a stranger listens there', async () => {
    const first = await start();
    await first.stop();
    const { controlPort } = JSON.parse(readFileSync(path.join(home, 'postgres', 'cluster', 'cluster.json'), 'utf8'));
    const stranger = net.createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const listening = () =>
      new Promise<void>((done, failed) => stranger.once('error', failed).listen(controlPort, '127.0.0.1', done));
    await waitFor(async () => listening().then(() => true), { what: 'the control port to be free' });
    const second = await start();
    expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    stranger.close();
  });

  it('never talks to the server of the home it was copied from', async () => {
    const original = await start(seed);
    const copy = await start();
    expect(copy.pid).not.toBe(original.pid);
    await ask(copy.adminUrl, 'create table only_here ()');
    await expect(ask(original.adminUrl, 'select * from only_here')).rejects.toThrow('does not exist');
    await Promise.all([original.stop(), copy.stop()]);
  });

  it('says what the server complained about when it does not start', async () => {
    const first = await start();
    await first.stop();
    writeFileSync(path.join(home, 'postgres', 'cluster', 'data', 'postgresql.auto.conf'), 'work_mem = nonsense\n');
    await expect(start()).rejects.toMatchObject({
      code: 'embedded_failed',
      message: expect.stringMatching(/work_mem|auto\.conf/),
    });
  });

  it('clears away what a start that was killed halfway left behind', async () => {
    rmSync(path.join(home, 'postgres'), { recursive: true });
    const draft = path.join(home, 'postgres', 'cluster.draft-4194303');
    mkdirSync(path.join(draft, 'data'), { recursive: true });
    const server = await start();
    expect(readdirSync(path.join(home, 'postgres')).filter((name) => name.includes('draft'))).toEqual([]);
    await server.stop();
  });
});

describe('death', () => {
  beforeEach(useSeed);

  it('of our process by kill -9 stops the server, and the next start has everything that was committed', async () => {
    const child = await startChild();
    await ask(child.adminUrl, 'create table kept as select 1 as n');
    child.process.kill('SIGKILL');
    await gone(child.pid);
    const server = await start();
    expect(await ask(server.adminUrl, 'select n from kept')).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('of our process and the supervisor leaves a server that the next start replaces', async () => {
    const child = await startChild();
    await ask(child.adminUrl, 'create table kept as select 1 as n');
    const supervisor = parentOf(child.pid);
    process.kill(supervisor, 'SIGKILL');
    child.process.kill('SIGKILL');
    await gone(supervisor);
    expect(isAlive(child.pid)).toBe(true);
    const server = await start();
    expect(isAlive(child.pid)).toBe(false);
    expect(await ask(server.adminUrl, 'select n from kept')).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('of the supervisor alone brings a new one, with the server at the same address', async () => {
    const server = await start();
    process.kill(parentOf(server.pid), 'SIGKILL');
    await gone(server.pid);
    const answer = () => ask(server.adminUrl, 'select 1 as one');
    expect(await waitFor(answer, { what: 'the server to answer again' })).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('of the server by kill -9 brings it back at the same address', async () => {
    const server = await start();
    await ask(server.adminUrl, 'create table kept as select 1 as n');
    process.kill(server.pid, 'SIGKILL');
    await gone(server.pid);
    const rows = await waitFor(() => ask(server.adminUrl, 'select n from kept'), {
      what: 'the server to answer again',
    });
    expect(rows).toEqual([{ n: 1 }]);
    await server.stop();
  });
});

describe('two processes on one home', () => {
  it('share one server, which stays until the last of them is gone', async () => {
    useSeed();
    const first = await startChild();
    const second = await startChild();
    expect(second.pid).toBe(first.pid);
    await stopChild(first);
    expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    second.process.kill('SIGKILL');
    await gone(first.pid);
  });

  it('may start at the same moment in an empty home', async () => {
    const started = await Promise.all([startChild(), startChild(), startChild()]);
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1);
    await Promise.all(started.map(stopChild));
    await gone(started[0]?.pid ?? 0);
  });

  it('may start while the server of the one before is stopping', async () => {
    useSeed();
    for (let round = 0; round < 5; round += 1) {
      const first = await start();
      const [, second] = await Promise.all([first.stop(), start()]);
      expect(await ask(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
      await second.stop();
    }
  });
});

describe('a frozen supervisor', () => {
  it('makes a second process say home_in_use instead of taking the server away from the first', async () => {
    useSeed();
    const first = await start();
    const supervisor = parentOf(first.pid);
    process.kill(supervisor, 'SIGSTOP');
    try {
      const impatient = startEmbeddedPostgres({ home, log: silentLog, answerTimeoutMs: 1_000 });
      await expect(impatient).rejects.toMatchObject({ code: 'home_in_use' });
      expect(await ask(first.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
  });
});

describe.runIf(isRoot)('as root', () => {
  it('runs the server as somebody else', async () => {
    useSeed();
    const server = await start();
    expect(
      execFileSync('ps', ['-o', 'user=', '-p', String(server.pid)])
        .toString()
        .trim(),
    ).not.toBe('root');
    await server.stop();
  });

  it('keeps the data elsewhere when that user may not enter the home', async () => {
    chmodSync(home, 0o700);
    const server = await start();
    const real = realpathSync(path.join(home, 'postgres'));
    expect(real).toMatch(/^\/var\/lib\/millrace\//);
    await ask(server.adminUrl, 'create table kept as select 1 as n');
    await server.stop();
    const again = await start();
    expect(await ask(again.adminUrl, 'select n from kept')).toEqual([{ n: 1 }]);
    await again.stop();
  });

  it('lets a normal user run it all, and refuses to share a home with another user', async () => {
    const nobody = { uid: 65534, gid: 65534 };
    chownSync(home, nobody.uid, nobody.gid);
    const child = await startChild(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']);
    expect(statSync(`/proc/${child.pid}`).uid).toBe(nobody.uid);
    await stopChild(child);
    chownSync(path.join(home, 'postgres'), 0, 0);
    chmodSync(path.join(home, 'postgres', 'cluster'), 0o700);
    chownSync(path.join(home, 'postgres', 'cluster'), 0, 0);
    const refused = await startChild(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']);
    expect(refused.code).toMatch(/home_unusable|embedded_failed/);
  });
});
