import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { registerWorker } from './sql/workers.ts';
import { WorkFinder } from './work-finder.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
let engine: TestEngine;
let workerId: string;

const CAP = 3;
const work = async () => 'complete';
const pipelines = [
  buildPipeline('plain', work),
  buildPipeline('other', work),
  buildPipeline('capped', work, { laneCap: CAP }),
];

beforeEach(async () => {
  engine = await buildEngine(database.appUrl, pipelines, { controlSize: 60 });
  workerId = await newWorker();
});

afterEach(async () => {
  await engine.close();
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.pauses, engine.workers');
});

async function newWorker(leaseMs = 60_000): Promise<string> {
  const id = uuidv7();
  const worker = { workerId: id, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, leaseMs);
  return id;
}

function fill(pipeline: string, tenantId: string, count: number, priority = 0) {
  return engine.enqueueMany(Array.from({ length: count }, () => ({ pipeline, tenantId, input: {}, priority })));
}

const claimer = () => new Claimer(engine.pools.control, engine.registry);

describe('a claim', () => {
  it('takes runs of one lane by priority, then age', async () => {
    const tenantId = newTenant();
    const [late] = await fill('plain', tenantId, 1, 5);
    const [first, second] = await fill('plain', tenantId, 2, 0);
    const [urgent] = await fill('plain', tenantId, 1, -5);
    const rows = await claimer().claim(workerId, 10);
    expect(rows.map((row) => row.id).sort()).toEqual([urgent, first, second, late].map((run) => run?.id).sort());
    await database.admin.query('truncate engine.leases');
    const one = claimer();
    await fill('plain', tenantId, 1, 3);
    const [next] = await fill('plain', tenantId, 1, -3);
    expect((await one.claim(workerId, 1))[0]?.id).toBe(next?.id);
  });

  it('shares itself equally between lanes, however much waits in one of them', async () => {
    // The poor lane stands between two rich ones: whichever end the walk begins at, it meets a rich one first.
    const [older, poor, newer] = [newTenant(), newTenant(), newTenant()];
    await fill('plain', older, 500);
    await fill('plain', poor, 10);
    await fill('plain', newer, 500);
    const rows = await claimer().claim(workerId, 30);
    for (const tenant of [older, poor, newer]) expect(rows.filter((row) => row.tenant_id === tenant)).toHaveLength(10);
  });

  it('goes round: with one run at a time every lane has its turn', async () => {
    const tenants = [newTenant(), newTenant(), newTenant()];
    for (const tenantId of tenants) await fill('plain', tenantId, 5);
    const one = claimer();
    const turns: string[] = [];
    for (let number = 0; number < 6; number += 1) turns.push((await one.claim(workerId, 1))[0]?.tenant_id ?? '');
    expect(turns).toEqual([...tenants, ...tenants].reverse());
  });

  it('finds the lanes behind paused ones', async () => {
    const [first, second] = [newTenant(), newTenant()];
    await fill('plain', first, 3);
    await fill('plain', second, 3);
    await engine.pause('plain', 'tester', first);
    const rows = await claimer().claim(workerId, 1);
    expect(rows.map((row) => row.tenant_id)).toEqual([second]);
    await engine.pause('plain', 'tester');
    expect(await claimer().claim(workerId, 1)).toEqual([]);
  });

  it('of a woken worker takes one run by priority, and leaves lanes to the thorough look where anything is paused', async () => {
    const tenantId = newTenant();
    await fill('plain', tenantId, 2, 5);
    const [urgent] = await fill('plain', tenantId, 1, -5);
    const first = await claimer().claimFirst(workerId);
    expect(first.rows.map((row) => row.id)).toEqual([urgent?.id]);
    await first.landed;
    await engine.pause('plain', 'tester', newTenant());
    expect((await claimer().claimFirst(workerId)).rows).toEqual([]);
    expect(await claimer().claim(workerId, 5)).toHaveLength(2);
  });

  it('finds the lanes of a capped pipeline behind those that are paused or full', async () => {
    const tenants = Array.from({ length: 70 }, newTenant);
    for (const tenantId of tenants) await fill('capped', tenantId, 1);
    for (const tenantId of tenants.slice(0, 69)) await engine.pause('capped', 'tester', tenantId);
    const rows = await claimer().claim(workerId, 1);
    expect(rows.map((row) => row.tenant_id)).toEqual([tenants[69]]);
  });

  it('serves a capped pipeline although a plain one has plenty, and the other way round', async () => {
    await fill('plain', newTenant(), 200);
    for (let number = 0; number < 20; number += 1) await fill('capped', newTenant(), 1);
    const one = claimer();
    const names = [...(await one.claim(workerId, 5)), ...(await one.claim(workerId, 5))].map((row) => row.pipeline);
    expect(new Set(names)).toEqual(new Set(['plain', 'capped']));
  });

  it('gives a run to one of fifty claimers', async () => {
    await fill('plain', newTenant(), 1);
    const workers = await Promise.all(Array.from({ length: 50 }, () => newWorker()));
    const claims = await Promise.all(workers.map((id) => claimer().claim(id, 1)));
    expect(claims.flat()).toHaveLength(1);
  });

  it('never takes more of a lane than its cap, with fifty claimers at once', async () => {
    const tenants = [newTenant(), newTenant()];
    for (const tenantId of tenants) await fill('capped', tenantId, 40);
    const workers = await Promise.all(Array.from({ length: 50 }, () => newWorker()));
    for (let round = 0; round < 3; round += 1) await Promise.all(workers.map((id) => claimer().claim(id, 4)));
    const { rows } = await database.admin.query(
      'select lane, count(*)::int as n from engine.leases group by lane order by lane',
    );
    expect(rows).toEqual(tenants.map((lane) => ({ lane, n: CAP })));
  });

  it('counts runs that are worked on alone against the cap of their lane, whoever claims at the same moment', async () => {
    const tenantId = newTenant();
    await fill('capped', tenantId, 40);
    await database.admin.query(
      `update engine.ready set solo = true where run_id in (select run_id from engine.ready order by run_id limit 20)`,
    );
    const workers = await Promise.all(Array.from({ length: 50 }, () => newWorker()));
    for (let round = 0; round < 3; round += 1)
      await Promise.all(workers.map((id, at) => (at % 2 ? claimer().claimSolo(id) : claimer().claim(id, 4))));
    const { rows } = await database.admin.query('select count(*)::int as n from engine.leases where lane = $1', [
      tenantId,
    ]);
    expect(rows).toEqual([{ n: CAP }]);
    await database.admin.query('truncate engine.leases');
    expect(await claimer().claimSolo(workerId)).toHaveLength(1);
    await engine.pause('capped', 'tester', tenantId);
    expect(await claimer().claimSolo(workerId)).toEqual([]);
  });

  it('is refused to a worker that has been silent for longer than its lease', async () => {
    await fill('plain', newTenant(), 1);
    const silent = await newWorker(-1_000);
    expect(await claimer().claim(silent, 1)).toEqual([]);
    expect(await claimer().claim(workerId, 1)).toHaveLength(1);
  });

  it('raises the attempt, moves the run along its arrow and leaves the queue', async () => {
    const [run] = await fill('plain', newTenant(), 1);
    await claimer().claim(workerId, 1);
    const { rows } = await database.admin.query(
      `select r.status, r.phase, r.attempt, l.attempt as fence, l.worker_id, (select count(*)::int from engine.ready) as queued
       from engine.runs r join engine.leases l on l.run_id = r.id where r.id = $1`,
      [run?.id],
    );
    expect(rows).toEqual([
      { status: 'working', phase: 'active', attempt: 1, fence: 1, worker_id: workerId, queued: 0 },
    ]);
  });
});

describe('a worker that is beaten to all lanes it looked at', () => {
  const POLL_MS = 60_000;
  const room = { slots: 5, ahead: new Map<string, number>() };
  const locks = {
    plain: 'select from engine.ready for update',
    capped: `select pg_advisory_xact_lock(7001, hashtext(pipeline || ':' || lane)) from engine.ready`,
  };

  it.each(Object.entries(locks))('looks again soon, and longer after each time: %s lanes', async (pipeline, lock) => {
    for (let lanes = 0; lanes < 40; lanes += 1) await fill(pipeline, newTenant(), 1);
    const finder = new WorkFinder(engine.pools.control, engine.registry, 60_000);
    const look = () => finder.claimRuns(workerId, room, false, false);
    const other = await database.admin.connect();
    await other.query('begin');
    await other.query(lock);
    try {
      const rests: number[] = [];
      for (let looks = 0; looks < 4; looks += 1) {
        expect((await look()).rows).toEqual([]);
        expect(finder.sawEverything(room)).toBe(false);
        rests.push(finder.restMs(POLL_MS));
      }
      expect(rests).toEqual([10, 20, 40, 80]);
      expect(finder.restMs(POLL_MS)).toBe(POLL_MS);
    } finally {
      await other.query('rollback');
      other.release();
    }
    expect(await finder.isWorthALook(false)).toBe(true);
    expect((await look()).rows).toHaveLength(5);
  });

  it('rests until the next poll where nothing is left', async () => {
    await fill('plain', newTenant(), 1);
    const finder = new WorkFinder(engine.pools.control, engine.registry, 60_000);
    expect((await finder.claimRuns(workerId, room, false, false)).rows).toHaveLength(1);
    expect((await finder.claimRuns(workerId, room, false, false)).rows).toEqual([]);
    expect(finder.restMs(POLL_MS)).toBe(POLL_MS);
  });
});
