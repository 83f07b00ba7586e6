// Two who write about one run at the same moment: an end that finds the lease or the ledger locked by somebody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { plainEnd } from './failure.ts';
import { requestCancel } from './sql/act-on-runs.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import { claimRunById } from './sql/claim-runs.ts';
import { endAttempts } from './sql/end-attempts.ts';
import { registerWorker } from './sql/workers.ts';

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
  runs.map((run) => ({ ...plainEnd(run, 'complete', 'complete'), receipt: '{"read": 0}' }));

/** The ends are written by another connection, which has to wait for what `first` has locked. */
async function endDuring(
  runs: readonly ClaimedRow[],
  first: (tx: Parameters<typeof endAttempts>[0]) => Promise<unknown>,
): Promise<string[]> {
  const ending = await withTransaction(engine.pools.control, async (tx) => {
    await first(tx);
    const written = endAttempts(engine.pools.control, completed(runs));
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
  return (await ending.written).map((row) => row.id);
}

async function leasesOf(runs: readonly ClaimedRow[]) {
  const { rows } = await database.admin.query<{ run_id: string; attempt: number }>(
    'select run_id, attempt from engine.leases where run_id = any ($1)',
    [runs.map((run) => run.id)],
  );
  return rows;
}

describe('ends that have to wait', () => {
  it('for the wish to cancel one of their runs are all written when it is', async () => {
    const runs = await claimed();
    const wished = runs[7] as ClaimedRow;
    const moved = await endDuring(runs, (tx) => requestCancel(tx, tenantId, wished.id, 'tester'));
    expect(moved.sort()).toEqual(runs.map((run) => run.id).sort());
    expect(await engine.run(tenantId, wished.id)).toMatchObject({ status: 'completed', phase: 'done' });
    expect(await leasesOf(runs)).toEqual([]);
  });

  it('for the takeover of one of their runs leave that run and its new lease alone, and end the others', async () => {
    const runs = await claimed();
    const taken = runs[7] as ClaimedRow;
    const moved = await endDuring(runs, async (tx) => {
      await endAttempts(tx, [plainEnd(taken, 'release', 'lost')]);
      await claimRunById(tx, { workerId, capped: [], announced: [] }, taken.id);
    });
    expect(moved).toHaveLength(BATCH - 1);
    expect(await engine.run(tenantId, taken.id)).toMatchObject({ status: 'working', phase: 'active', attempt: 2 });
    expect(await leasesOf(runs)).toEqual([{ run_id: taken.id, attempt: 2 }]);
  });

  it('for the same ends of another writer move nothing twice', async () => {
    const runs = await claimed();
    const moved = await endDuring(runs, (tx) => endAttempts(tx, completed(runs)));
    expect(moved).toEqual([]);
    const { rows } = await database.admin.query(
      `select count(*)::int as ends from engine.events where run_id = any ($1) and type = 'run.done'`,
      [runs.map((run) => run.id)],
    );
    expect(rows).toEqual([{ ends: BATCH }]);
  });
});

describe('an end of an attempt that is no more', () => {
  it('moves nothing, takes no lease and says nothing, beside ends that do', async () => {
    const runs = await claimed();
    const [old, ...others] = runs as [ClaimedRow, ...ClaimedRow[]];
    await endAttempts(engine.pools.control, [plainEnd(old, 'release', 'lost')]);
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
