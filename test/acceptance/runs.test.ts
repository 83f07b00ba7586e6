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
    { everyMs: 50, what: 'the run to be done' },
  );

/** As `engine.runs` has it; a command for each look would cost more than the rule it is about. */
const show = async (run: string) =>
  (
    await database.query<Run>(
      `select id as run_id, status, phase, attempt, receipt, error_code, held_by, retry_of, requeued_as
       from engine.runs where id = $1`,
      [run],
    )
  )[0] as Run;

const work = async () => expect((await millrace(['worker', '--once'], env)).code).toBe(0);

// Each command here opens the installation for itself; what is to be worked is worked by one worker for several rules.
describe('without a server', () => {
  let counted = '';
  let held = '';
  let denied = '';

  beforeAll(async () => {
    [counted, held, denied] = (await enqueue({ steps: 3 }, { steps: 1 }, { steps: 1, end: 'deny' })) as [
      string,
      string,
      string,
    ];
  });

  it('a waiting run says that no worker is alive; worker --once works all but what is held and ends with code 0', async () => {
    const why = await millrace(['why', counted], env);
    expect([why.code, why.stdout]).toMatchObject([
      0,
      expect.stringContaining('no worker is alive for pipeline "steps"'),
    ]);
    const early = await millrace(['verify', counted], env);
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('(verify_unfinished)') });
    await millrace(['runs', 'hold', held], env);
    await work();
    expect(await show(held)).toMatchObject({ phase: 'waiting', held_by: expect.any(String) });
    const shown = JSON.parse((await millrace(['runs', 'show', counted, '--json'], env)).stdout);
    expect(shown).toMatchObject({ status: 'completed', receipt: { read: 3, outcomes: { inserted: 3 } } });
    expect(await steps(counted)).toEqual([0, 1, 2]);
  });

  it('verify agrees with code 0, and says the difference with code 1 when rows are gone', async () => {
    expect(await millrace(['verify', counted], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('they agree'),
    });
    await database.query('delete from steps where run_id = $1 and at = 1', [counted]);
    const differs = await millrace(['verify', counted], env);
    expect(differs).toMatchObject({ code: 1, stdout: expect.stringContaining('inserted: receipt 3, recount 2') });
  });

  it('a dead letter is listed and requeued once, with links both ways', async () => {
    const letters = JSON.parse((await millrace(['dead-letters', 'list', '--json'], env)).stdout) as Run[];
    expect(letters.map(({ run_id: id }) => id)).toEqual([denied]);
    const requeued = await millrace(['dead-letters', 'requeue', denied, '--ticket', 'SUP-1', '--json'], env);
    const successor = (JSON.parse(requeued.stdout) as Run).run_id;
    expect(await show(denied)).toMatchObject({ requeued_as: successor });
    expect(await show(successor)).toMatchObject({ retry_of: denied });
    const again = await millrace(['dead-letters', 'requeue', denied, '--ticket', 'SUP-1'], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('(run_already_retried)') });
    await millrace(['runs', 'cancel', successor], env);
  });

  it('a held run is worked once it is resumed', async () => {
    await millrace(['runs', 'resume', held], env);
    await work();
    expect(await show(held)).toMatchObject({ status: 'completed' });
  });

  it('of several named runs the refused ones do not keep the others from it, and the exit code says "in part"', async () => {
    const [first, last] = (await enqueue({ steps: 1 }, { steps: 1 })) as [string, string];
    const unknown = '01a1e155-f9b2-7000-886c-edc938ba568f';
    const ended = await millrace(['runs', 'cancel', first, unknown, held, last], env);
    expect(ended.code).toBe(2);
    for (const code of ['(run_not_found)', '(event_illegal)']) expect(ended.stderr).toContain(code);
    for (const run of [first, last]) expect(await show(run)).toMatchObject({ phase: 'failed' });
  });

  it('a bulk action says the count first and acts only with --yes', async () => {
    const [first = ''] = await enqueue({ steps: 1 }, { steps: 1 }, { steps: 1 });
    const seen = await millrace(['runs', 'cancel', '--phase', 'waiting'], env);
    expect(seen.stderr).toContain('would reach 3 runs');
    expect(await show(first)).toMatchObject({ phase: 'waiting' });
    const done = await millrace(['runs', 'cancel', '--phase', 'waiting', '--yes'], env);
    expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining('3 runs changed')]);
    expect(await show(first)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
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
