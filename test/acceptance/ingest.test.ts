// A file from the command line to its receipt: with no server running, and over HTTP.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, type Environment, makeHome, millrace, type Server, startServer } from './millrace-process.ts';
import { remoteAdmin } from './sign-in.ts';

const header =
  'Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Day,Amount spent (USD),Impressions,Link clicks';
const folder = makeHome();
let database: InstallationDatabase;
let env: Record<string, string>;

/** A Meta export of `days` days from June on; the spend of the last `bad` ones is no number. */
function makeExport(name: string, days: number, bad: number): string {
  const rows = Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.UTC(2026, 5, 1 + index)).toISOString().slice(0, 10);
    const spend = index < days - bad ? '1.50' : 'n o';
    return `Summer,120200000000000001,Set A,120200000000000011,Ad 1,120200000000000101,${day},${spend},100,10`;
  });
  const file = path.join(folder, name);
  writeFileSync(file, `${header}\n${rows.join('\n')}\n`);
  return file;
}

const runOf = (stdout: string) => /\/r\/([0-9a-f-]{36})/.exec(stdout)?.[1] ?? '';

beforeAll(async () => {
  database = await createDatabase();
  env = { ...database.env, MILLRACE_HOME: makeHome(), SHUTDOWN_GRACE_SECONDS: '3', POLL_INTERVAL_MS: '100' };
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

describe('ingest without a server', () => {
  it('needs no set-up, does the work itself and says how it was read, what was refused, and the sums, with code 2 for refused rows', async () => {
    const ended = await millrace(['ingest', makeExport('june.csv', 20, 1), '--platform', 'meta'], env);
    expect(ended, ended.stderr).toMatchObject({ code: 2 });
    expect(ended.stderr).toMatch(/first use: made the tenant Demo[\s\S]*sign in as \S+ with the password \S+/);
    expect(ended.stdout).toMatch(/^✔ intake {3}20 rows · utf-8 · comma$/m);
    expect(ended.stdout).toMatch(/^✔ validate 19 valid · 1 rejected in 1 group \(95\.00 % ≥ 90 %\)$/m);
    expect(ended.stdout).toMatch(
      /^= receipt {2}20 = 19 inserted \+ 1 rejected {3}spend file 28\.50? = stored 28\.50? {3}not in the file: clicks$/m,
    );
    const rejects = await millrace(['rejects', runOf(ended.stdout), '--csv'], env);
    expect(rejects.stdout).toContain('n o,100,10,21,number_malformed,');
  });

  it('a file that is mostly broken is refused with code 1; --force-partial stores what is valid, with code 2', async () => {
    const file = makeExport('broken.csv', 10, 5);
    const refused = await millrace(['ingest', file, '--platform', 'meta', '--json'], env);
    expect(refused, refused.stderr).toMatchObject({ code: 1 });
    expect(JSON.parse(refused.stdout)).toMatchObject({ phase: 'failed', rejects: { total: 5 } });
    const forced = await millrace(['ingest', file, '--platform', 'meta', '--force-partial', '--json'], env);
    expect(forced, forced.stderr).toMatchObject({ code: 2 });
    expect(JSON.parse(forced.stdout)).toMatchObject({ status: 'partial', receipt: { read: 10 } });
  });

  it('a file that is in doubt asks with code 2 and stores nothing; once it is answered, tail does the work where nobody does', async () => {
    const file = makeExport('two-tables.csv', 5, 0);
    appendFileSync(file, '\nRegion,Sum,Share\nNorth,5,0.5\nSouth,5,0.5\nWest,7,0.1\n');
    const asked = await millrace(['ingest', file, '--platform', 'meta', '--watch'], env);
    expect(asked, asked.stderr).toMatchObject({ code: 2 });
    const answer = /millrace (questions answer \S+ \S+)/.exec(`${asked.stdout}${asked.stderr}`)?.[1]?.split(' ') ?? [];
    const run = runOf(asked.stdout);
    const held = JSON.parse((await millrace(['runs', 'show', run, '--json'], env)).stdout) as object;
    expect(held).toMatchObject({ phase: 'waiting', receipt: null });
    expect(await millrace(answer, env)).toMatchObject({ code: 0 });
    const ended = await millrace(['tail', run], env);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') });
  });

  it('refuses what it cannot take: no file, no platform, no such pipeline', async () => {
    const file = makeExport('july.csv', 2, 0);
    const cases: [string[], string][] = [
      [['ingest', path.join(folder, 'missing.csv'), '--platform', 'meta'], 'input_file_missing'],
      [['ingest', file], 'platform_required'],
      [['ingest', file, '--pipeline', 'nope'], 'pipeline_unknown'],
    ];
    for (const [args, code] of cases)
      expect(await millrace(args, env)).toMatchObject({ code: 1, stderr: expect.stringContaining(`(${code})`) });
  });
});

describe('ingest over HTTP', () => {
  let server: Server;
  let remote: Environment;

  beforeAll(async () => {
    server = await startServer(env);
    remote = await remoteAdmin(server.url, env);
  });
  afterAll(async () => {
    await server.end();
  });

  it('uploads and is done; tail follows it to its end', async () => {
    const handed = await millrace(['ingest', makeExport('august.csv', 5, 0), '--platform', 'meta'], remote);
    expect(handed, handed.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('follow it: millrace tail'),
    });
    const followed = await millrace(['tail', runOf(handed.stdout)], remote);
    expect(followed, followed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') });
  });

  it('--watch says that these very bytes came before, and what did not change', async () => {
    const file = makeExport('september.csv', 5, 0);
    await millrace(['ingest', file, '--platform', 'meta', '--watch'], remote);
    const again = await millrace(['ingest', file, '--platform', 'meta', '--watch'], remote);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('these very bytes were uploaded before');
    expect(again.stdout).toMatch(/^= receipt {2}5 = 5 unchanged/m);
  });
});
