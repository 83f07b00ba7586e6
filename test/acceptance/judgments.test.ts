// Batches of judgments from the command line: each lands once, every answer names the run, and the golden path proves it.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryRows, findCanaries } from '../support/canary-people.ts';
import { allHeard, hear, noteFed } from '../support/heard.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, startServer } from './millrace-process.ts';

const folder = makeHome();
let database: InstallationDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createDatabase();
  env = { ...database.env, MILLRACE_HOME: makeHome(), SHUTDOWN_GRACE_SECONDS: '3', POLL_INTERVAL_MS: '100' };
  await millrace(['tenants', 'create', 'Acme'], env);
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

function makeBatch(...rows: string[]): string {
  const file = path.join(folder, 'batch.csv');
  writeFileSync(file, `Case Number,Plaintiff,Judgment Amount,Filing Date,County\n${rows.join('\n')}\n`);
  return file;
}

const ingest = (file: string, batch: string, ...more: string[]) =>
  millrace(['ingest', file, '--pipeline', 'judgments', '--batch', batch, ...more], env);
const runOf = (text: string) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';

describe('a batch from the command line', () => {
  it('lands once: the same again is skipped, other content is refused unless it supersedes', async () => {
    const file = makeBatch('A-1,Ann,10,2024-01-01,Kings', 'A-2,Bea,-1,2024-01-01,Kings');
    const first = await ingest(file, 'june');
    expect(first.stdout, first.stderr).toMatch(/2 = 1 inserted \+ 1 rejected/);
    const run = runOf(first.stdout);
    const again = await ingest(file, 'june');
    expect([again.code, again.stdout.trim()]).toEqual([0, `Skipping duplicate june (duplicate_completed): run ${run}`]);
    const other = makeBatch('A-1,Ann,11,2024-01-01,Kings');
    const refused = await ingest(other, 'june');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('(batch_content_changed)') });
    expect(refused.stderr).toContain(run);
    const superseding = await ingest(other, 'june', '--supersede');
    expect(superseding.stdout, superseding.stderr).toMatch(/1 = 1 updated/);
    const twin = await ingest(other, 'july');
    expect(twin.stdout).toContain('these very bytes were uploaded before: june#r2');
    const verified = await millrace(['verify', run], env);
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
  });

  it('hands its refused rows out and takes them back corrected, as a run of its own beside it', async () => {
    const file = makeBatch('C-1,Ann,10,2024-01-01,Kings', 'C-2,Bea,-1,2024-01-01,Kings');
    const run = runOf((await ingest(file, 'returned')).stdout);
    const rejects = await millrace(['rejects', run, '--csv'], env);
    const fixed = path.join(folder, 'fixed.csv');
    writeFileSync(fixed, rejects.stdout.replace(',-1,', ',1,'));
    const back = (...more: string[]) => millrace(['ingest', fixed, '--pipeline', 'judgments', ...more], env);
    const returned = await back('--corrects', run);
    expect(returned.stdout, returned.stderr).toMatch(/1 = 1 inserted/);
    const again = await back('--corrects', run);
    expect(again.stdout).toMatch(/^Skipping duplicate returned#corrected-[0-9a-f]{16} \(duplicate_completed\)/);
    const unknown = await back('--corrects', '01900000-0000-7000-8000-000000000000');
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('(run_not_found)') });
    const both = await back('--corrects', run, '--batch', 'other');
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining('known from the run') });
  });

  it('that failed names the run and the command that retries it', async () => {
    const file = makeBatch(',Ann,10,2024-01-01,Kings');
    const failed = await ingest(file, 'broken');
    expect(failed).toMatchObject({ code: 1 });
    const again = await ingest(file, 'broken');
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/millrace runs retry [0-9a-f-]{36}[\s\S]*\(batch_failed_before\)/);
  });
});

describe('people in a batch', () => {
  it('are named by no command, log line, metric or error', async () => {
    const file = path.join(folder, 'people.csv');
    const header = 'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email,Phone,Address';
    writeFileSync(file, `${[header, ...canaryRows].join('\n')}\n`);
    noteFed();
    const run = runOf((await ingest(file, 'people')).stdout);
    writeFileSync(file, `${[header, ...canaryRows.slice(0, 2)].join('\n')}\n`);
    expect(await ingest(file, 'people')).toMatchObject({ code: 1 });
    for (const command of [['runs', 'show', run], ['why', run], ['verify', run], ['runs', 'list'], ['doctor']])
      await millrace(command, env);
    const server = await startServer({ ...env, LOG_LEVEL: 'trace' });
    for (const route of ['/metrics', '/api/metrics', '/v1/batches/nobody', '/v1/runs/nonsense'])
      hear(await (await fetch(`${server.url}${route}`)).text());
    await server.end();
    expect(allHeard()).toContain('duplicate');
    expect(findCanaries(allHeard())).toEqual([]);
  });
});

describe('the golden path', () => {
  const lines = (text: string) => text.trimEnd().split('\n');

  it('holds beside a running server, prints the specification’s lines, and leaves nothing behind', async () => {
    const server = await startServer(env);
    const walked = await millrace(['golden-path', '--env', 'dev'], env);
    const refused = await millrace(['golden-path', '--env', 'dev', '--chaos'], env);
    await server.end();
    expect(lines(walked.stdout), walked.stderr).toEqual([
      '  Initial Completion: PASS',
      '  Duplicate Skip:     PASS',
      '  Cleanup:            PASS',
      '  [SUCCESS] Golden Path Verified - Data Moat is operational!',
    ]);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('(golden_path_dev_only)') });
  });

  it('sets up what it needs on an empty installation, leaves nothing there, asks a server by its address, and fails when none answers', async () => {
    const empty = await createDatabase();
    const own = { ...env, ...empty.env, MILLRACE_HOME: makeHome() };
    const passed = [
      '  Initial Completion: PASS',
      '  Duplicate Skip:     PASS',
      '  Cleanup:            PASS',
      '  [SUCCESS] Golden Path Verified - Data Moat is operational!',
    ];
    try {
      const dry = await millrace(['golden-path', '--env', 'prod', '--dry-run'], own);
      expect(dry.stdout, dry.stderr).toContain('  Unique Constraints: PASS');
      const walked = await millrace(['golden-path', '--env', 'dev'], own);
      expect(lines(walked.stdout), walked.stderr).toEqual(passed);
      expect(walked.stderr).toMatch(/Same Case Updates: ok, status completed, 1 updated, 1 stored/);
      expect(await leftIn(empty)).toEqual({ tenants: 0, users: 0, rows: 0, files: 0 });

      // The first start finds the installation as new as it was.
      const server = await startServer(own);
      const password = / password (\S+) /.exec(server.lines.at(-1) ?? '')?.[1] ?? '';
      const answer = await fetch(`${server.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@millrace.local', password }),
      });
      const { token } = (await answer.json()) as { token: string };
      const remote = { MILLRACE_HOME: makeHome(), MILLRACE_URL: server.url, MILLRACE_TOKEN: token };
      const afar = await millrace(['golden-path', '--env', 'dev'], remote);
      const afarDry = await millrace(['golden-path', '--env', 'prod', '--dry-run'], remote);
      const chaos = await millrace(['golden-path', '--env', 'dev', '--chaos'], remote);
      await server.end();
      expect(lines(afar.stdout), afar.stderr).toEqual(passed);
      expect(afar.stderr).toMatch(/Unique Constraints: ok, 4 active[\s\S]*Same Case Updates: ok/);
      expect(afarDry.stdout, afarDry.stderr).toContain('  Status Guard:       PASS');
      expect(chaos).toMatchObject({ code: 78, stderr: expect.stringContaining('(golden_path_dev_only)') });
      expect(await leftIn(empty)).toMatchObject({ rows: 0, files: 0 });
      for (const args of [[], ['--dry-run']]) {
        const nowhere = await millrace(['golden-path', '--env', 'dev', ...args], remote);
        expect(nowhere).toMatchObject({ stdout: '', stderr: expect.stringContaining('(server_unreachable)') });
        expect(nowhere.code).not.toBe(0);
      }
    } finally {
      await empty.drop();
    }
  });

  /** What a golden path might leave: the ledger and the audit log alone remember it. */
  async function leftIn(database: InstallationDatabase) {
    const [left] = await database.query(
      `select (select count(*)::int from tenants) as tenants, (select count(*)::int from users) as users,
              (select count(*)::int from judgments) + (select count(*)::int from plaintiffs) + (select count(*)::int from plaintiff_keys)
                + (select count(*)::int from intake.simplicity_validated_rows) + (select count(*)::int from intake.batch_readings) as rows,
              (select count(*)::int from engine.blobs where deleted_at is null and keep_until > engine.now()) as files`,
    );
    return left;
  }

  it('refuses production without a yes, writes nothing on a dry run, and never kills there', async () => {
    const unconfirmed = await millrace(['golden-path', '--env', 'prod'], env);
    expect(unconfirmed).toMatchObject({ code: 78, stderr: expect.stringContaining('(golden_path_unconfirmed)') });
    const dry = await millrace(['golden-path', '--env', 'prod', '--dry-run'], env);
    expect(dry.code, dry.stderr).toBe(0);
    expect(lines(dry.stdout)).toContain('  [SUCCESS] Dry run: nothing was written');
    const chaos = await millrace(['golden-path', '--env', 'prod', '--chaos', '--yes'], env);
    expect(chaos).toMatchObject({ code: 78, stderr: expect.stringContaining('(golden_path_dev_only)') });
  });

  it('with chaos proves a killed worker, a takeover and a double delivery, an invariant per line', async () => {
    const walked = await millrace(['golden-path', '--env', 'dev', '--chaos'], env);
    expect(lines(walked.stdout), walked.stderr).toEqual([
      '  Initial Completion: PASS',
      '  Duplicate Skip:     PASS',
      '  Cleanup:            PASS',
      '  Killed Worker:      PASS',
      '  Rows Once:          PASS',
      '  Stale Takeover:     PASS',
      '  Duplicate Delivery: PASS',
      '  Chaos Cleanup:      PASS',
      '  [SUCCESS] Golden Path Verified - Data Moat is operational!',
    ]);
  });
});
