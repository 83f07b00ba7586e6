// The built product behind a real PgBouncer in transaction mode, with the connections it opens itself: few through the pooler, two past it, work
// that goes on when the pooler is restarted, and an API, a doctor and a refusal that say where they stand.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, root, startServer, startStatusProcess } from './millrace-process.ts';

const fixtures = path.join(root, 'test/fixtures');
const RUNS = 80;
const STEPS = 4;

describe.skipIf(!hasPgBouncer())('behind PgBouncer', () => {
  let database: InstallationDatabase;
  let pgbouncer: PgBouncer;
  let direct: Record<string, string>;
  let pooled: Record<string, string>;
  let tenantId = '';

  beforeAll(async () => {
    database = await createDatabase();
    // Far more than a process may take: what it takes is its own restraint.
    pgbouncer = await startPgBouncer(database.appUrl, [database.appUrl], { poolSize: 60 });
    direct = {
      ...database.env,
      MILLRACE_HOME: makeHome(),
      PIPELINE_MODULES: path.join(fixtures, 'steps.pipeline.mjs'),
      LEASE_SECONDS: '5',
      HEARTBEAT_SECONDS: '1',
      POLL_INTERVAL_MS: '100',
    };
    pooled = {
      ...direct,
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pgbouncer.through(database.appUrl),
      DATABASE_DIRECT_URL: database.appUrl,
    };
    const made = await millrace(['tenants', 'create', 'Acme', '--plan', 'growth', '--json'], direct);
    tenantId = (JSON.parse(made.stdout) as { tenant_id: string }).tenant_id;
  });
  afterAll(async () => {
    await cleanUp();
    await pgbouncer?.stop();
    await database?.drop();
  });

  async function enqueue(): Promise<void> {
    const input = JSON.stringify({ steps: STEPS, pauseMs: 20 });
    const args = [path.join(fixtures, 'enqueue-steps.mjs'), tenantId, ...Array.from({ length: RUNS }, () => input)];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...direct } });
  }

  const ends = async () => {
    const [row] = await database.query<{ done: number; all: number }>(
      `select count(*) filter (where phase = 'done')::int as done, count(*)::int as all from engine.runs where pipeline = 'steps'`,
    );
    return row as { done: number; all: number };
  };

  /** Of the application's login. Past the pooler they say what they are for; behind it they bear one name, or none yet. */
  async function connections(): Promise<{ pooled: number; direct: number }> {
    const [row] = await database.query<{ pooled: number; direct: number }>(
      `select count(*) filter (where application_name not like 'millrace %')::int as pooled,
              count(*) filter (where application_name like 'millrace %')::int as direct
       from pg_stat_activity where datname = $1 and usename = $2`,
      [database.name, new URL(database.appUrl).username],
    );
    return row as { pooled: number; direct: number };
  }

  it('a worker takes at most eight server connections and two past the pooler, works on when it is restarted, and each step is there once', async () => {
    await enqueue();
    const worker = await startStatusProcess('worker', pooled);
    const most = { pooled: 0, direct: 0 };
    const untilDone = (least: number) =>
      waitFor(
        async () => {
          const now = await connections();
          most.pooled = Math.max(most.pooled, now.pooled);
          most.direct = Math.max(most.direct, now.direct);
          return (await ends()).done >= least || undefined;
        },
        { everyMs: 20, what: `${least} runs to be done` },
      );
    await untilDone(RUNS / 4);
    await pgbouncer.restart();
    await untilDone(RUNS);
    expect(most.pooled).toBeGreaterThan(1);
    expect(most.pooled).toBeLessThanOrEqual(8);
    expect(most.direct).toBe(2);
    const [stored] = await database.query(
      'select count(*)::int as all, count(distinct (run_id, at))::int as once from steps',
    );
    expect(stored).toEqual({ all: RUNS * STEPS, once: RUNS * STEPS });
    expect((await worker.end()).code).toBe(0);
  });

  it('the API answers over at most eleven server connections and one past the pooler, and the doctor finds role and timeouts in order', async () => {
    const api = await startServer(pooled, 'api');
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${api.url}/ready`)));
    const now = await connections();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(now.pooled).toBeLessThanOrEqual(11);
    expect(now.direct).toBe(1);
    const { stdout } = await millrace(['doctor', '--json'], pooled);
    expect(stdout).toContain('role and timeouts arrive through the pooler and directly');
    expect((await api.end()).code).toBe(0);
  });

  it('a worker that is not told of the pooler refuses to start and names the setting', async () => {
    const { code, stderr } = await millrace(['worker'], { ...direct, DATABASE_URL: pooled.DATABASE_URL ?? '' });
    expect(code).toBe(78);
    expect(stderr).toContain('is reached through a connection pooler');
    expect(stderr).toContain('DATABASE_POOLER=transaction');
  });
});
