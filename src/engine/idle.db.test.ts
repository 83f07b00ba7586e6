// What processes without work cost the database, counted by the database itself. Timings are those of an installation, divided: what is
// counted is transactions for each poll interval, 5 s by default, so that 2 a second are 10 for each interval.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { connectClient } from '../platform/database.ts';
import { defaultSettings } from './settings.ts';

const db = useDatabase();
const POLL_MS = 250;
const DIVIDED_BY = defaultSettings.pollMs / POLL_MS;
const INTERVALS = 10;
/** Two a second. */
const PER_INTERVAL = (2 * defaultSettings.pollMs) / 1_000;

const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function startIdle(): Promise<void> {
  const complete = async () => 'complete' as const;
  const engine = await buildEngine(
    db.appUrl,
    [
      buildPipeline('plain', complete),
      buildPipeline('capped', complete, { laneCap: 2 }),
      buildPipeline('other', complete),
    ],
    {
      settings: {
        pollMs: POLL_MS,
        leaseMs: defaultSettings.leaseMs / DIVIDED_BY,
        heartbeatMs: defaultSettings.heartbeatMs / DIVIDED_BY,
      },
    },
  );
  engines.push(engine);
  for (const name of ['replay', 'audit', 'jobs', 'alerts', 'webhooks']) engine.consume({ name, async apply() {} });
  await engine.start();
  await engine.enqueue({ pipeline: 'plain', tenantId: newTenant(), input: {} });
}

/** Transactions of the test's database while its clock moves on by so many intervals. Asked from another database, which does not count. */
async function transactionsDuring(intervals: number): Promise<number> {
  const elsewhere = new URL(db.adminUrl);
  elsewhere.pathname = '/postgres';
  const client = await connectClient({ url: elsewhere.href, applicationName: 'counter', connectTimeoutMs: 5_000 });
  const look = async () => {
    const { rows } = await client.query<{ count: number; ms: number }>(
      `select xact_commit + xact_rollback as count, extract(epoch from clock_timestamp()) * 1000 as ms
         from pg_stat_database where datname = $1`,
      [db.name],
    );
    return { count: rows[0]?.count ?? 0, ms: Number(rows[0]?.ms) };
  };
  try {
    const before = await look();
    const after = await waitFor(
      async () => {
        const now = await look();
        return now.ms - before.ms >= intervals * POLL_MS ? now : undefined;
      },
      { everyMs: 50, what: 'the time to pass' },
    );
    // The longer it took, the more was allowed.
    return ((after.count - before.count) * intervals * POLL_MS) / (after.ms - before.ms);
  } finally {
    await client.end();
  }
}

/** The first window that holds the bar. Others' load makes one window noisy; a process that costs too much shows it in every window. */
function quietWindow(holds: (transactions: number) => boolean): Promise<number> {
  return waitFor(
    async () => {
      const transactions = await transactionsDuring(INTERVALS);
      return holds(transactions) ? transactions : undefined;
    },
    { what: `a window of at most ${PER_INTERVAL * INTERVALS} transactions, or of less for each further process` },
  );
}

describe('processes without work', () => {
  it('cost at most two transactions a second for the engine, its services and heartbeat included; each further one costs less', async () => {
    await startIdle();
    await waitFor(async () => (await db.admin.query(`select from engine.runs where phase <> 'done'`)).rowCount === 0);
    const one = await quietWindow((transactions) => transactions / INTERVALS <= PER_INTERVAL);
    await startIdle();
    await startIdle();
    const three = await quietWindow((transactions) => (transactions - one) / 2 < one);
    // Nothing at all would mean that they do not run.
    expect([one, three].filter((transactions) => transactions <= 0)).toEqual([]);
  });
});
