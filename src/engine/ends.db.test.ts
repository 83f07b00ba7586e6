// Two who write about one run at the same moment: an end that finds the lease or the ledger locked by somebody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type Queryable, withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { plainEnd } from './failure.ts';
import { requestCancel } from './sql/act-on-runs.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { claimRunById } from './sql/claim-runs.ts';
import { endAlike } from './sql/end-alike.ts';
import { endAttempts } from './sql/end-attempts.ts';
import { lockLease } from './sql/fence.ts';
import { registerWorker } from './sql/workers.ts';
import { stageRunOf } from './stage-run.ts';

const database = useDatabase();
const tenantId = newTenant();
const workerId = uuidv7();
const BATCH = 20;
let engine: Awaited<ReturnType<typeof buildEngine>>;

beforeAll(async () => {
  engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')]);
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
});
afterAll(() => engine.close());

async function claimed(): Promise<ClaimedRow[]> {
  await engine.enqueueMany(Array.from({ length: BATCH }, () => ({ pipeline: 'plain', tenantId, input: {} })));
  const rows = await new Claimer(engine.pools.control, engine.registry).claim(workerId, BATCH);
  expect(rows).toHaveLength(BATCH);
  return rows;
}

const completed = (runs: readonly ClaimedRow[]) =>
  runs.map((run) => ({ ...plainEnd(stageRunOf(run, 'work'), 'complete', 'complete'), receipt: '{"read": 0}' }));

const alike = {
  ...{ attempt: 1, workerId, pipeline: 'plain', stage: 'work', fromStatus: 'working', event: 'complete' },
  receipt: '{"read": 0}',
};

type Write = (db: Queryable, runs: readonly ClaimedRow[]) => Promise<string[]>;

/** The two statements that complete runs; each returns those that it moved. */
const ways: Readonly<Record<string, Write>> = {
  'written as a mix': async (db, runs) => (await endAttempts(db, completed(runs))).map((row) => row.id),
  'written as alike': async (db, runs) => {
    const ids = runs.map((run) => run.id);
    const moved = await endAlike(db, alike, ids);
    return moved === 'all' ? ids : [...moved];
  },
};

/** The ends are written by another connection, which has to wait for what `first` has locked. */
async function endDuring(
  write: Write,
  runs: readonly ClaimedRow[],
  first: (tx: Queryable) => Promise<unknown>,
): Promise<string[]> {
  const ending = await withTransaction(engine.pools.control, async (tx) => {
    await first(tx);
    const written = write(engine.pools.control, runs);
    written.catch(() => undefined);
    await waitFor(
      async () => {
        const { rows } = await database.admin.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%engine.leases%'`,
        );
        return rows.length > 0;
      },
      { what: 'the ends to wait for a lock' },
    );
    return { written };
  });
  return ending.written;
}

async function leasesOf(runs: readonly ClaimedRow[]) {
  const { rows } = await database.admin.query<{ run_id: string; attempt: number }>(
    'select run_id, attempt from engine.leases where run_id = any ($1)',
    [runs.map((run) => run.id)],
  );
  return rows;
}

describe.each(Object.entries(ways))('ends %s that have to wait', (_, write) => {
  it('for the wish to cancel one of their runs are all written when it is', async () => {
    const runs = await claimed();
    const wished = runs[7] as ClaimedRow;
    const moved = await endDuring(write, runs, (tx) => requestCancel(tx, tenantId, wished.id, 'tester'));
    expect(moved.sort()).toEqual(runs.map((run) => run.id).sort());
    expect(await engine.run(tenantId, wished.id)).toMatchObject({ status: 'completed', phase: 'done' });
    expect(await leasesOf(runs)).toEqual([]);
  });
});

describe.each(Object.entries(ways))('ends %s wait for no lease', (_, write) => {
  it('that a takeover has locked: they leave that run and its new lease alone, and end the others', async () => {
    const runs = await claimed();
    const taken = runs[7] as ClaimedRow;
    const moved = await withTransaction(engine.pools.control, async (tx) => {
      await endAttempts(tx, [plainEnd(stageRunOf(taken, 'work'), 'release', 'lost')]);
      await claimRunById(tx, { workerId, capped: [], announced: [] }, taken.id);
      return write(engine.pools.control, runs);
    });
    expect(moved).toHaveLength(BATCH - 1);
    expect(await engine.run(tenantId, taken.id)).toMatchObject({ status: 'working', phase: 'active', attempt: 2 });
    expect(await leasesOf(runs)).toEqual([{ run_id: taken.id, attempt: 2 }]);
  });

  it('that an effects transaction has locked: that run alone is not moved', async () => {
    const runs = await claimed();
    const busy = runs[3] as ClaimedRow;
    const moved = await withTransaction(engine.pools.effects, async (tx) => {
      await lockLease(tx, stageRunOf(busy, 'work'));
      return write(engine.pools.control, runs);
    });
    expect(moved).toHaveLength(BATCH - 1);
    expect(await leasesOf(runs)).toEqual([{ run_id: busy.id, attempt: 1 }]);
    expect(await write(engine.pools.control, runs)).toEqual([busy.id]);
  });

  it('of the same ends of another writer, and move nothing twice', async () => {
    const runs = await claimed();
    const moved = await withTransaction(engine.pools.control, async (tx) => {
      await write(tx, runs);
      return write(engine.pools.control, runs);
    });
    expect(moved).toEqual([]);
    const { rows } = await database.admin.query(
      `select count(*)::int as ends from engine.events where run_id = any ($1) and type = 'run.done'`,
      [runs.map((run) => run.id)],
    );
    expect(rows).toEqual([{ ends: BATCH }]);
  });
});

describe.each(Object.entries(ways))('ends %s', (_, write) => {
  it('pass over an attempt that is no more and one that was never there', async () => {
    const runs = await claimed();
    const [old, ...others] = runs as [ClaimedRow, ...ClaimedRow[]];
    await endAttempts(engine.pools.control, [plainEnd(stageRunOf(old, 'work'), 'release', 'lost')]);
    await claimRunById(engine.pools.control, { workerId, capped: [], announced: [] }, old.id);
    const unknown = { ...old, id: uuidv7() };
    const moved = await write(engine.pools.control, [old, unknown, ...others]);
    expect(moved.sort()).toEqual(others.map((run) => run.id).sort());
    expect(await leasesOf(runs)).toEqual([{ run_id: old.id, attempt: 2 }]);
  });
});

describe('ends written as alike', () => {
  it('leave the very traces that each would have left by itself', async () => {
    const traces = async (write: Write) => {
      const runs = await claimed();
      await write(engine.pools.control, runs);
      return tracesOf(runs[3] as ClaimedRow);
    };
    const [mixed, alike] = [
      await traces(ways['written as a mix'] as Write),
      await traces(ways['written as alike'] as Write),
    ];
    expect(alike).toEqual(mixed);
    expect(alike.attempts).toHaveLength(1);
    expect(alike.events.map(({ type }) => type)).toContain('run.done');
    expect(alike.posted).toBe(alike.events.length);
  });

  it('move nothing and keep the leases where the arrow leads elsewhere', async () => {
    const runs = await claimed();
    const ids = runs.map((run) => run.id);
    expect(await endAlike(engine.pools.control, { ...alike, event: 'fail' }, ids)).toEqual([]);
    expect(await leasesOf(runs)).toHaveLength(BATCH);
  });
});

/** What is kept of a run, without what differs between any two. */
async function tracesOf({ id }: ClaimedRow) {
  const read = async (text: string) => (await database.admin.query(text, [id])).rows;
  return {
    runs: await read(
      `select to_jsonb(r) - '{id,input,created_at,started_at,finished_at,updated_at}'::text[] as kept,
              finished_at >= started_at as ended_in_time from engine.runs r where id = $1`,
    ),
    attempts: await read(
      `select to_jsonb(a) - '{run_id,queued_at,started_at,ended_at}'::text[] as kept,
              queued_at <= started_at and started_at <= ended_at as in_order from engine.attempts a where run_id = $1`,
    ),
    events: await read(`select tenant_id, type, key, data from engine.events where run_id = $1 order by event_id`),
    posted: (await read(`select from engine.event_inbox i join engine.events e using (event_id) where e.run_id = $1`))
      .length,
  };
}

describe('an end of an attempt that is no more', () => {
  it('moves nothing, takes no lease and says nothing, beside ends that do', async () => {
    const runs = await claimed();
    const [old, ...others] = runs as [ClaimedRow, ...ClaimedRow[]];
    await endAttempts(engine.pools.control, [plainEnd(stageRunOf(old, 'work'), 'release', 'lost')]);
    const again = await claimRunById(engine.pools.control, { workerId, capped: [], announced: [] }, old.id);
    expect(again[0]?.attempt).toBe(2);
    const event = { runId: old.id, type: 'plain.said', key: '', data: '{}' };
    const moved = await endAttempts(engine.pools.control, completed([old, ...others]), [event]);
    expect(moved.map((row) => row.id).sort()).toEqual(others.map((run) => run.id).sort());
    expect(await leasesOf(runs)).toEqual([{ run_id: old.id, attempt: 2 }]);
    const { rows } = await database.admin.query(
      `select type from engine.events where run_id = $1 and type in ('run.done', 'plain.said')`,
      [old.id],
    );
    expect(rows).toEqual([]);
  });
});
