// The round of lanes: whatever the number of pipelines, lanes and runs per claim, each lane gets its turn.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { claimRound, markKey } from './sql/claim-round.ts';
import { registerWorker } from './sql/workers.ts';

const database = useDatabase();
const work = async () => 'complete';
const names = ['first', 'second', 'third'];
const pipelines = [
  ...names.map((name) => buildPipeline(name, work)),
  buildPipeline('capped', work, { laneCap: 1_000 }),
];
let engine: Awaited<ReturnType<typeof buildEngine>>;
let workerId: string;

beforeEach(async () => {
  engine = await buildEngine(database.appUrl, pipelines);
  workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: names, concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
});
afterEach(async () => {
  await engine.close();
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.pauses, engine.workers');
});

const claimer = () => new Claimer(engine.pools.control, engine.registry);
const tenantsOf = (count: number) => Array.from({ length: count }, newTenant);

async function fill(pipeline: string, tenants: readonly string[], each: number): Promise<void> {
  const requests = tenants.flatMap((tenantId) =>
    Array.from({ length: each }, () => ({ pipeline, tenantId, input: {} })),
  );
  for (let from = 0; from < requests.length; from += 10_000)
    await engine.enqueueMany(requests.slice(from, from + 10_000));
}

/** How many runs each lane of a pipeline got, lanes that got none included. */
async function served(pipeline: string, tenants: readonly string[]): Promise<number[]> {
  const { rows } = await database.admin.query<{ lane: string; n: number }>(
    'select lane, count(*)::int as n from engine.leases where pipeline = $1 group by lane',
    [pipeline],
  );
  const found = new Map(rows.map(({ lane, n }) => [lane, n]));
  return tenants.map((tenant) => found.get(tenant) ?? 0);
}

const spread = (counts: readonly number[]) => Math.max(...counts) - Math.min(...counts);
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

describe('the round of lanes', () => {
  it('gives 40 tenants of three pipelines their turns, with claims that no pipeline uses up alone', async () => {
    const tenants = tenantsOf(40);
    for (const name of names) await fill(name, tenants, 20);
    const one = claimer();
    for (const size of [1, 2, 3, 5, 7, 8, 13, 64, 1, 1, 9, 25, 100, 130, 4, 31]) await one.claim(workerId, size);
    const counts = await Promise.all(names.map((name) => served(name, tenants)));
    for (const each of counts) expect(spread(each)).toBeLessThanOrEqual(1);
    expect(spread(counts.map(total))).toBeLessThanOrEqual(3);
  });

  it('goes on from where it was with 1,000 lanes in three pipelines', async () => {
    const tenants = tenantsOf(1_000);
    for (const name of names) await fill(name, tenants, 2);
    const one = claimer();
    for (const size of [7, 50, 333, 8, 500, 1, 16, 17, 700, 900, 10]) await one.claim(workerId, size);
    const counts = await Promise.all(names.map((name) => served(name, tenants)));
    for (const each of counts) expect(spread(each)).toBeLessThanOrEqual(1);
    expect(spread(counts.map(total))).toBeLessThanOrEqual(2);
  });

  it('hands the odd runs of a claim to the lanes that come next', async () => {
    const tenants = tenantsOf(3);
    await fill('first', tenants, 50);
    const one = claimer();
    for (let number = 0; number < 10; number += 1) await one.claim(workerId, 10);
    expect(await served('first', tenants)).toEqual([33, 33, 34]);
  });

  it('reaches every pipeline, although one alone has more lanes than the claim has runs', async () => {
    const [many, few] = [tenantsOf(60), tenantsOf(1)];
    await fill('first', many, 5);
    await fill('second', few, 20);
    await fill('third', few, 20);
    const one = claimer();
    for (let number = 0; number < 12; number += 1) await one.claim(workerId, 1);
    for (const [name, tenants] of [
      ['first', many],
      ['second', few],
      ['third', few],
    ] as const)
      expect(total(await served(name, tenants))).toBe(4);
  });

  it('moves on where claims are used up by capped pipelines too', async () => {
    const tenants = tenantsOf(40);
    for (const name of ['first', 'second', 'capped']) await fill(name, tenants, 6);
    const one = claimer();
    for (let number = 0; number < 60; number += 1) await one.claim(workerId, 3);
    for (const name of ['first', 'second', 'capped']) {
      const counts = await served(name, tenants);
      expect(spread(counts)).toBeLessThanOrEqual(1);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
    }
  });

  it('takes of short pipelines what is allowed ahead, and of all others together no more than the free slots', async () => {
    const tenants = tenantsOf(5);
    for (const name of [...names, 'capped']) await fill(name, tenants, 20);
    await claimer().claim(workerId, 4, new Map([['second', 60]]));
    expect(await served('second', tenants)).toEqual([12, 12, 12, 12, 12]);
    const others = await Promise.all(['first', 'third', 'capped'].map((name) => served(name, tenants)));
    expect(total(others.map(total))).toBe(4);
  });

  it('leaves a lane alone whose runs must be worked on alone, and finds those behind it', async () => {
    const tenants = tenantsOf(20);
    await fill('first', tenants, 2);
    await database.admin.query('update engine.ready set solo = true where lane > $1', [tenants[0]]);
    expect(await claimer().claim(workerId, 1)).toMatchObject([{ lane: tenants[0] }]);
  });

  it('begins where it is told, and still takes what is more urgent', async () => {
    const tenantId = newTenant();
    await fill('first', [tenantId], 30);
    const { rows: queued } = await database.admin.query<{ run_id: string }>(
      'select run_id from engine.ready order by run_id',
    );
    const [urgent] = await engine.enqueueMany([{ pipeline: 'first', tenantId, input: {}, priority: -1 }]);
    const mark = queued[20]?.run_id ?? '';
    const { rows } = await claimRound(
      engine.pools.control,
      { workerId, capped: [], announced: [] },
      [{ pipeline: 'first', afterLane: '', group: 0, limit: 3 }],
      { beginAt: queued[0]?.run_id ?? '', marks: { [markKey('first', tenantId)]: [0, mark] } },
    );
    expect(rows.map((row) => row.id).sort()).toEqual([queued[20]?.run_id, queued[21]?.run_id, urgent?.id].sort());
  });

  it('lets a lane that has just got a few runs of a short pipeline come before its turn, but not one of a long pipeline', async () => {
    const [newcomer = '', ...tenants] = tenantsOf(301);
    for (const name of ['first', 'second']) {
      await fill(name, tenants, 2);
      await fill(name, [newcomer], 5);
    }
    const one = claimer();
    const ahead = new Map([['first', 20]]);
    await one.claim(workerId, 0, ahead);
    expect(await served('first', [newcomer])).toEqual([0]);
    for (const name of ['first', 'second']) one.invite(`${name} ${newcomer}`);
    await one.claim(workerId, 1, ahead);
    expect(await served('first', [newcomer])).toEqual([5]);
    expect(await served('second', [newcomer])).toEqual([0]);
  });
});
