// Runs through the command line, on a user's own pipeline: worked, followed, verified, cancelled, retried, requeued, drained.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, root, type Server, startServer } from './millrace-process.ts';

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly phase: string;
}

const fixtures = path.join(root, 'test/fixtures');
let database: InstallationDatabase;
let env: Record<string, string>;
let tenantId = '';

beforeAll(async () => {
  database = await createDatabase();
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    PIPELINE_MODULES: path.join(fixtures, 'steps.pipeline.mjs'),
    LEASE_SECONDS: '3',
    HEARTBEAT_SECONDS: '1',
    POLL_INTERVAL_MS: '100',
    SHUTDOWN_GRACE_SECONDS: '3',
  };
  const made = await millrace(['tenants', 'create', 'Acme', '--plan', 'growth', '--json'], env);
  tenantId = (JSON.parse(made.stdout) as { tenant_id: string }).tenant_id;
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

async function enqueue(...inputs: object[]): Promise<string[]> {
  const args = [path.join(fixtures, 'enqueue-steps.mjs'), tenantId, ...inputs.map((input) => JSON.stringify(input))];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as string[];
}

async function enqueueOne(input: object): Promise<string> {
  return (await enqueue(input))[0] as string;
}

const steps = async (run: string) =>
  (await database.query<{ at: number }>('select at from steps where run_id = $1 order by at', [run])).map(
    ({ at }) => at,
  );

/** Looked up in the database: a command for each look would cost more than the run. */
const untilDone = (run: string) =>
  waitFor(
    async () => (await database.query(`select from engine.runs where id = $1 and phase = 'done'`, [run])).length === 1,
    { timeoutMs: 40_000, everyMs: 50, what: 'the run to be done' },
  );

const show = async (run: string) => JSON.parse((await millrace(['runs', 'show', run, '--json'], env)).stdout) as Run;

describe('without a server', () => {
  it('a waiting run says that no worker is alive; worker --once works it and ends with code 0', async () => {
    const run = await enqueueOne({ steps: 3 });
    const why = await millrace(['why', run], env);
    expect([why.code, why.stdout]).toMatchObject([
      0,
      expect.stringContaining('no worker is alive for pipeline "steps"'),
    ]);
    expect((await millrace(['worker', '--once'], env)).code).toBe(0);
    expect(await show(run)).toMatchObject({ status: 'completed', receipt: { read: 3, outcomes: { inserted: 3 } } });
    expect(await steps(run)).toEqual([0, 1, 2]);
  });

  it('verify agrees with code 0, and says the difference with code 1 when rows are gone', async () => {
    const run = await enqueueOne({ steps: 2 });
    await millrace(['worker', '--once'], env);
    expect(await millrace(['verify', run], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('they agree'),
    });
    await database.query('delete from steps where run_id = $1 and at = 1', [run]);
    const differs = await millrace(['verify', run], env);
    expect(differs).toMatchObject({ code: 1, stdout: expect.stringContaining('inserted: receipt 2, recount 1') });
  });

  it('a dead letter is listed and requeued once, with links both ways', async () => {
    const run = await enqueueOne({ steps: 1, end: 'deny' });
    await millrace(['worker', '--once'], env);
    const letters = JSON.parse((await millrace(['dead-letters', 'list', '--json'], env)).stdout) as Run[];
    expect(letters.map(({ run_id: id }) => id)).toEqual([run]);
    const requeued = await millrace(['dead-letters', 'requeue', run, '--ticket', 'SUP-1', '--json'], env);
    const successor = (JSON.parse(requeued.stdout) as Run).run_id;
    expect(await show(run)).toMatchObject({ requeued_as: successor });
    expect(await show(successor)).toMatchObject({ retry_of: run });
    const again = await millrace(['dead-letters', 'requeue', run, '--ticket', 'SUP-1'], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('(run_already_retried)') });
    await millrace(['runs', 'cancel', successor], env);
  });

  it('a bulk action says the count first and acts only with --yes', async () => {
    const runs = await enqueue({ steps: 1 }, { steps: 1 }, { steps: 1 });
    const seen = await millrace(['runs', 'cancel', '--phase', 'waiting'], env);
    expect(seen.stderr).toContain('would reach 3 runs');
    expect(await show(runs[0] as string)).toMatchObject({ phase: 'waiting' });
    const done = await millrace(['runs', 'cancel', '--phase', 'waiting', '--yes'], env);
    expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining('3 runs changed')]);
    const cancelled = await show(runs[0] as string);
    expect(cancelled).toMatchObject({ phase: 'failed', error: { code: 'run_cancelled' } });
  });

  it('a held run is not worked until it is resumed', async () => {
    const run = await enqueueOne({ steps: 1 });
    await millrace(['runs', 'hold', run], env);
    await millrace(['worker', '--once'], env);
    expect(await show(run)).toMatchObject({ phase: 'waiting', held: { by: expect.any(String) } });
    await millrace(['runs', 'resume', run], env);
    await millrace(['worker', '--once'], env);
    expect(await show(run)).toMatchObject({ status: 'completed' });
  });

  it('a run nobody knows and an illegal act are refused with their code', async () => {
    const unknown = '01a1e155-f9b2-7000-886c-edc938ba568f';
    expect(await millrace(['runs', 'show', unknown], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(run_not_found)'),
    });
    const run = await enqueueOne({ steps: 1 });
    const early = await millrace(['verify', run], env);
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('(verify_unfinished)') });
    await millrace(['worker', '--once'], env);
    const illegal = await millrace(['runs', 'cancel', run], env);
    expect(illegal).toMatchObject({ code: 1, stderr: expect.stringContaining('(event_illegal)') });
  });

  it('of several named runs the refused one does not keep the others from it, and the exit code says "in part"', async () => {
    const [first, last] = [await enqueueOne({ steps: 1 }), await enqueueOne({ steps: 1 })];
    const unknown = '01a1e155-f9b2-7000-886c-edc938ba568f';
    const ended = await millrace(['runs', 'cancel', first, unknown, last], env);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('(run_not_found)') });
    for (const run of [first, last]) expect(await show(run)).toMatchObject({ phase: 'failed' });
  });
});

describe('with a server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer(env);
  });
  afterAll(async () => {
    await server.end('SIGKILL');
  });

  it('tail follows a run to its end: 0 for all, 2 for a part, 1 for a failure', async () => {
    const [whole, part, refused] = await enqueue(
      { steps: 5, pauseMs: 100 },
      { steps: 1, end: 'part' },
      { steps: 1, end: 'refuse' },
    );
    const tail = await millrace(['tail', whole as string], env);
    expect([tail.code, tail.stdout]).toMatchObject([0, expect.stringContaining('✔ completed  5 = 5 inserted')]);
    expect(tail.stdout).toContain('run.done');
    expect((await millrace(['tail', part as string], env)).code).toBe(2);
    expect((await millrace(['tail', refused as string], env)).code).toBe(1);
  });

  it('a run outlives the loss of every database connection and does nothing twice', async () => {
    const run = await enqueueOne({ steps: 30, pauseMs: 100 });
    await waitFor(async () => (await steps(run)).length > 5, { what: 'the run to be under way' });
    await database.cutConnections();
    await untilDone(run);
    expect((await show(run)).status).toBe('completed');
    expect(await steps(run)).toEqual(Array.from({ length: 30 }, (_, at) => at));
  });

  it('SIGTERM lets a run go at its checkpoint, and the next worker goes on from there', async () => {
    const run = await enqueueOne({ steps: 60, pauseMs: 100 });
    await waitFor(async () => (await steps(run)).length > 3, { what: 'the run to be under way' });
    expect((await server.end('SIGTERM')).code).toBe(0);
    const before = await steps(run);
    expect(await show(run)).toMatchObject({ phase: 'waiting', attempt: 1 });
    server = await startServer(env);
    await untilDone(run);
    expect(before.length).toBeLessThan(60);
    expect(await steps(run)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });

  it('the same commands work over HTTP with an API key, and a wrong key is refused', async () => {
    const remote = { MILLRACE_HOME: env.MILLRACE_HOME as string, MILLRACE_URL: server.url };
    const key = await makeApiKey(server.url);
    const list = await millrace(['runs', 'list', '--json', '--limit', '2'], { ...remote, MILLRACE_TOKEN: key });
    expect([list.code, (JSON.parse(list.stdout) as Run[]).length]).toEqual([0, 2]);
    const headers = { authorization: `Bearer ${key}` };
    const lost = await fetch(`${server.url}/v1/runs?after=nonsense`, { headers });
    expect([lost.status, await lost.json()]).toMatchObject([
      400,
      { code: 'cursor_malformed', next: expect.any(String) },
    ]);
    const wrong = await millrace(['runs', 'list'], { ...remote, MILLRACE_TOKEN: 'mr_wrong' });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('(unauthenticated)') });
    expect((await millrace(['runs', 'list'], remote)).stderr).toContain('(token_missing)');
    const nowhere = { ...remote, MILLRACE_URL: 'http://127.0.0.1:9', MILLRACE_TOKEN: key };
    expect((await millrace(['runs', 'list'], nowhere)).stderr).toContain('(server_unreachable)');
  });

  async function makeApiKey(url: string): Promise<string> {
    const made = await millrace(['users', 'create', 'ada@acme.example', '--role', 'admin', '--json'], env);
    const { one_time_password: password } = JSON.parse(made.stdout) as { one_time_password: string };
    const post = async (route: string, token: string | undefined, body: object) => {
      const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
      const answer = await fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, string>;
    };
    const first = await post('/v1/auth/login', undefined, { email: 'ada@acme.example', password });
    const session = await post('/v1/auth/password', first.token, { current: password, new: 'a long enough password' });
    const key = await post('/v1/api-keys', session.token, { name: 'cli', scopes: ['runs:read', 'runs:write'] });
    return String(key.secret ?? key.key ?? key.api_key);
  }
});
