// Connections that go silent: who waits for them, and for how long.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { openSilentProxy, type SilentProxy } from '../../test/support/silent-proxy.ts';
import { connectClient, createPool, type Pool, withClient, withTransaction } from './database.ts';

const db = useDatabase();
/** Far above what an answer takes, also on a slow machine. */
const LIMIT_MS = 1_500;

let proxy: SilentProxy;
const pools: Pool[] = [];

beforeEach(async () => {
  proxy = await openSilentProxy(db.adminUrl);
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await proxy.close();
});

function openPool(options: Partial<Parameters<typeof createPool>[0]> = {}): Pool {
  const pool = createPool({
    url: proxy.through(db.adminUrl),
    max: 2,
    applicationName: 'guarded',
    connectTimeoutMs: 5_000,
    answerWithinMs: LIMIT_MS,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const lost = expect.objectContaining({ code: 'database_lost' });

describe('a statement', () => {
  it('whose connection went silent ends with database_lost, and the next one gets a new connection', async () => {
    const pool = openPool();
    const silenced = withClient(pool, async (client) => {
      await client.query('select 1');
      proxy.silence();
      return client.query('select 2');
    });
    await expect(silenced).rejects.toEqual(lost);
    expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
  });

  it('is not cut off while its answer keeps coming, however long it takes', async () => {
    const pool = openPool();
    // Each row fills the server's buffer, so that rows come one by one.
    const slow = `select repeat('x', 20000) as filler, pg_sleep(0.15) from generate_series(1, 15)`;
    expect((await withClient(pool, (client) => client.query(slow))).rowCount).toBe(15);
  });

  it('over much at once may have a limit of its own, and the next one has that of its pool again', async () => {
    const pool = openPool();
    const bulk = { text: `select pg_sleep(${(LIMIT_MS * 3) / 1_000})`, answerWithinMs: 60_000 };
    await withClient(pool, async (client) => {
      expect((await client.query(bulk)).rowCount).toBe(1);
      proxy.silence();
      await expect(client.query('select 1')).rejects.toThrow('no answer');
    });
  });

  it('finds no silent connection after another one noticed the silence: those that wait in the pool are dropped too', async () => {
    const pool = openPool();
    const pids = await Promise.all([1, 2].map(() => withClient(pool, pidOf)));
    proxy.silence();
    await expect(withClient(pool, pidOf)).rejects.toEqual(lost);
    // Were the second one still there, this would end like the first.
    const [fresh, other] = await Promise.all([1, 2].map(() => withClient(pool, pidOf)));
    expect(pids).not.toContain(fresh);
    expect(pids).not.toContain(other);
  });

  it('of a transaction ends when the server knows nothing of the transaction any more', async () => {
    const questions = openPool({ url: db.adminUrl, max: 1 });
    const pool = openPool({
      answerWithinMs: 60_000,
      idleInTransactionTimeoutMs: 100,
      ask: { afterMs: LIMIT_MS, via: questions },
    });
    let xid: string | undefined;
    const silenced = withTransaction(
      pool,
      async (tx) => {
        const { rows } = await tx.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
        xid = rows[0]?.xid;
        proxy.silence();
        await tx.query('select 1');
      },
      { xid: () => xid },
    );
    await expect(silenced).rejects.toEqual(lost);
  });

  it('of a transaction that the server works on is waited for, although it is silent', async () => {
    const questions = openPool({ url: db.adminUrl, max: 1 });
    const pool = openPool({ answerWithinMs: 60_000, ask: { afterMs: 50, via: questions } });
    let xid: string | undefined;
    const slow = withTransaction(
      pool,
      async (tx) => {
        const { rows } = await tx.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
        xid = rows[0]?.xid;
        return (await tx.query('select pg_sleep(0.5)')).rowCount;
      },
      { xid: () => xid },
    );
    expect(await slow).toBe(1);
  });
});

describe('a connection', () => {
  it('that is taken and never answered counts as unreachable', async () => {
    proxy.deaf = true;
    const opening = connectClient({
      url: proxy.through(db.adminUrl),
      applicationName: 'deaf',
      connectTimeoutMs: 300,
    });
    await expect(opening).rejects.toMatchObject({ code: 'database_unreachable' });
  });

  it.runIf(process.platform === 'linux')(
    'is probed by the kernel while nothing is said over it, pooled or not',
    async () => {
      const pool = openPool();
      await pool.query('select 1');
      const single = await connectClient({
        url: proxy.through(db.adminUrl),
        applicationName: 'single',
        connectTimeoutMs: 5_000,
      });
      try {
        const port = Number(new URL(proxy.through(db.adminUrl)).port)
          .toString(16)
          .toUpperCase()
          .padStart(4, '0');
        const lines = readFileSync('/proc/net/tcp', 'utf8')
          .split('\n')
          .map((line) => line.trim().split(/\s+/));
        // Ours are those whose far end is the proxy, established (01); timer 02 is the one of keep-alive.
        const ours = lines.filter(([, , far = '', state]) => far.endsWith(`:${port}`) && state === '01');
        expect(ours.length).toBeGreaterThanOrEqual(2);
        expect(ours.map((fields) => fields[5]?.slice(0, 2))).toEqual(ours.map(() => '02'));
      } finally {
        await single.end();
      }
    },
  );

  it('that went silent can be ended', async () => {
    const client = await connectClient({
      url: proxy.through(db.adminUrl),
      applicationName: 'ending',
      connectTimeoutMs: 5_000,
    });
    proxy.silence();
    await expect(client.end()).resolves.toBeUndefined();
  });
});

describe('a pool that waits in turn', () => {
  it('gives its only connection to everybody, in the order in which they came, however long that takes', async () => {
    const pool = openPool({
      max: 1,
      connectTimeoutMs: 2_000,
      waitMs: Number.POSITIVE_INFINITY,
      answerWithinMs: 60_000,
    });
    const order: number[] = [];
    const use = (number: number) =>
      withClient(pool, async (client) => {
        await client.query('select pg_sleep(0.8)');
        order.push(number);
      });
    await Promise.all([1, 2, 3, 4].map(use));
    expect(order).toEqual([1, 2, 3, 4]);
  });
});

async function pidOf(client: { query: Pool['query'] }): Promise<number> {
  // Long enough that two at a time get a connection each.
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.05)');
  return rows[0]?.pid ?? 0;
}
