// What a whole installation without work costs the database, with the timings it has when nobody sets any: worker, services, webhooks, alerts, API.
// The database itself counts. Loops that find nothing rest for up to 20 s, so that a window of 25 s has all of them in it.
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, startServer, startStatusProcess } from './millrace-process.ts';

const PER_SECOND = 2;
const WINDOW_MS = 25_000;
const databases: InstallationDatabase[] = [];

afterAll(async () => {
  await cleanUp();
  for (const database of databases) await database.drop();
});

async function prepare() {
  const database = await createDatabase();
  databases.push(database);
  return { database, env: { ...database.env, MILLRACE_HOME: makeHome() } };
}

/** Asked from another database, which does not count. */
function counterOf({ name, adminUrl }: InstallationDatabase) {
  const elsewhere = new URL(adminUrl);
  elsewhere.pathname = '/postgres';
  return new pg.Client({ connectionString: elsewhere.href, application_name: `counter of ${name}` });
}

/** The quietest window that was seen before `timeoutMs` were over, or the first one that is quiet enough. */
async function comeToRest(database: InstallationDatabase): Promise<number> {
  const client = counterOf(database);
  await client.connect();
  const seen: { readonly ms: number; readonly count: number }[] = [];
  let quietest = Number.POSITIVE_INFINITY;
  const look = async () => {
    const { rows } = await client.query<{ count: string; ms: number }>(
      `select xact_commit + xact_rollback as count, extract(epoch from clock_timestamp()) * 1000 as ms
         from pg_stat_database where datname = $1`,
      [database.name],
    );
    const now = { count: Number(rows[0]?.count), ms: Number(rows[0]?.ms) };
    const before = seen.filter(({ ms }) => now.ms - ms >= WINDOW_MS).at(-1);
    seen.push(now);
    if (before) quietest = Math.min(quietest, ((now.count - before.count) * 1_000) / (now.ms - before.ms));
    return quietest <= PER_SECOND || undefined;
  };
  try {
    await waitFor(look, { everyMs: 1_000, timeoutMs: 120_000, what: 'the installation to rest' }).catch(() => {});
    return quietest;
  } finally {
    await client.end();
  }
}

it('comes to rest at two transactions a second at the most, as one process and as a worker with its services', async () => {
  const [whole, worker] = [await prepare(), await prepare()];
  const [start, work] = await Promise.all([startServer(whole.env), startStatusProcess('worker', worker.env)]);
  const [ofStart, ofWorker] = await Promise.all([comeToRest(whole.database), comeToRest(worker.database)]);
  expect(ofStart, 'millrace start').toBeLessThanOrEqual(PER_SECOND);
  expect(ofWorker, 'millrace worker').toBeLessThanOrEqual(PER_SECOND);
  expect((await start.end()).code).toBe(0);
  expect((await work.end()).code).toBe(0);
});
