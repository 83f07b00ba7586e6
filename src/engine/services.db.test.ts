import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { type Queryable, withTransaction } from '../platform/database.ts';
import { silentLog } from '../platform/log.ts';
import { consumeOnce } from './consumer.ts';
import { nextFiring } from './schedules.ts';
import { pumpEvents } from './services/outbox-pump.ts';
import { fireDueSchedules } from './services/scheduler.ts';
import { claimRound } from './sql/claim-round.ts';
import { claimCappedLane } from './sql/claim-runs.ts';
import { endAlike } from './sql/end-alike.ts';
import { endAttempts } from './sql/end-attempts.ts';
import { type FeedRow, readFeed } from './sql/event-feed.ts';
import { moveDueRuns } from './sql/move-due-runs.ts';
import { findRunsToMove, moveAttempts, moveEvents, moveRuns } from './sql/move-to-history.ts';
import { pruneEvents, pruneSideTable } from './sql/prune.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
let engine: TestEngine;
let tenantId: string;

beforeEach(async () => {
  tenantId = newTenant();
  engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')], { controlSize: 20 });
});

afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await database.admin.query('delete from engine.schedules');
  await engine.close();
});

const emit = (key: string) =>
  engine.emit([{ tenantId, runId: null, type: 'test.happened', key, data: JSON.stringify({ key }) }]);

const DAY_MS = 86_400_000;

/**
 * How the server goes about the statement a function sends, under the engine's own settings: planned once for all values, as a prepared
 * statement. A plain "explain" would be planned for the values given.
 */
async function planOf(send: (db: Queryable) => Promise<unknown>): Promise<string> {
  return withTransaction(engine.pools.control, async (tx) => {
    let plan = '';
    const explain = async ({ text, values }: { text: string; values: unknown[] }) => {
      await tx.query(`prepare planned as ${text}`);
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain execute planned (${values.map(() => 'null')})`,
      );
      await tx.query('deallocate planned');
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [], rowCount: 0 };
    };
    await send({ query: explain as unknown as Queryable['query'] });
    return plan;
  });
}

async function pumpAll(): Promise<void> {
  while ((await pumpEvents(engine.pools.control)) !== 0);
}

async function feed(after = 0): Promise<FeedRow[]> {
  const rows = await readFeed(engine.pools.control, after, 10_000);
  return rows.filter((row) => row.tenant_id === tenantId);
}

describe('schedules', () => {
  it('fire once with three schedulers at once, and once for a window that was missed', async () => {
    await engine.saveSchedule({ tenantId, name: 'hourly', pipeline: 'plain', cron: '0 * * * *' });
    await setClockOffset(database.admin, '5 hours');
    const { control } = engine.pools;
    await Promise.all([1, 2, 3].map(() => fireDueSchedules(control, engine.registry, silentLog)));
    await Promise.all([1, 2, 3].map(() => fireDueSchedules(control, engine.registry, silentLog)));
    const { rows } = await database.admin.query('select source_id from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ source_id: 'schedule:hourly' }]);
    const [schedule] = await engine.listSchedules(tenantId);
    expect((schedule?.next_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(4 * 3_600_000);
  });

  it('do not fire while they are switched off', async () => {
    await engine.saveSchedule({ tenantId, name: 'off', pipeline: 'plain', cron: '* * * * *', enabled: false });
    await setClockOffset(database.admin, '1 hour');
    expect(await fireDueSchedules(engine.pools.control, engine.registry, silentLog)).toBe(0);
  });

  it('of pipelines that this process does not know are left to others, and however many they are, hold up nobody', async () => {
    await engine.saveSchedule({ tenantId, name: 'known', pipeline: 'plain', cron: '0 * * * *' });
    await database.admin.query(
      `insert into engine.schedules (schedule_id, tenant_id, name, pipeline, cron, time_zone, jitter_seconds, input, enabled, next_at)
       select gen_random_uuid(), $1, 'foreign ' || n, 'foreign', '0 * * * *', 'UTC', 0, '{}', true, engine.now() - interval '1 day'
       from generate_series(1, 150) as n`,
      [tenantId],
    );
    await setClockOffset(database.admin, '2 hours');
    expect(await fireDueSchedules(engine.pools.control, engine.registry, silentLog)).toBe(1);
    const { rows } = await database.admin.query('select source_id from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ source_id: 'schedule:known' }]);
  });

  it('whose run is refused wait for their next time, and hold up nobody', async () => {
    await engine.saveSchedule({ tenantId, name: 'spoiled', pipeline: 'plain', cron: '0 * * * *' });
    await engine.saveSchedule({ tenantId, name: 'sound', pipeline: 'plain', cron: '30 * * * *' });
    await database.admin.query(`update engine.schedules set input = '"no object"' where name = 'spoiled'`);
    await setClockOffset(database.admin, '2 hours');
    await fireDueSchedules(engine.pools.control, engine.registry, silentLog);
    const { rows } = await database.admin.query('select source_id from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toEqual([{ source_id: 'schedule:sound' }]);
    for (const { next_at: nextAt } of await engine.listSchedules(tenantId))
      expect(nextAt.getTime() - Date.now()).toBeGreaterThan(2 * 3_600_000);
  });

  it('are refused with an input that their pipeline does not take', async () => {
    const refused = engine.saveSchedule({
      tenantId,
      name: 'wrong',
      pipeline: 'plain',
      cron: '0 6 * * *',
      input: 'text',
    });
    await expect(refused).rejects.toMatchObject({ code: 'input_invalid' });
    expect(await engine.listSchedules(tenantId)).toEqual([]);
  });

  it.each([
    ['a cron that is none', { cron: 'every day' }],
    ['a cron that never fires', { cron: '0 0 30 2 *' }],
    ['a time zone that is none', { cron: '0 6 * * *', timeZone: 'Mars/Olympus' }],
  ])('are refused with %s', async (_, wrong) => {
    await expect(engine.saveSchedule({ tenantId, name: 'wrong', pipeline: 'plain', ...wrong })).rejects.toMatchObject({
      code: 'schedule_invalid',
    });
    expect(await engine.listSchedules(tenantId)).toEqual([]);
  });

  it('keep to their time zone over a change of the clocks', () => {
    const berlin = { name: 's', cron: '0 6 * * *', timeZone: 'Europe/Berlin', jitterSeconds: 0, seed: 's' };
    expect(nextFiring(berlin, new Date('2026-10-24T12:00:00Z')).toISOString()).toBe('2026-10-25T05:00:00.000Z');
    expect(nextFiring(berlin, new Date('2026-10-23T12:00:00Z')).toISOString()).toBe('2026-10-24T04:00:00.000Z');
  });

  it('are moved by the same jitter every time, and never fire twice for one moment', () => {
    const jittered = { name: 's', cron: '0 * * * *', timeZone: 'UTC', jitterSeconds: 600, seed: 'tenant:s' };
    const first = nextFiring(jittered, new Date('2026-01-01T00:00:00Z'));
    const second = nextFiring(jittered, first);
    expect(second.getTime() - first.getTime()).toBe(3_600_000);
    expect(nextFiring(jittered, new Date(first.getTime() - 1)).getTime()).toBe(first.getTime());
  });
});

describe('rate limits', () => {
  it('give out no more than the bucket holds, however many ask at once', async () => {
    const limit = { key: `limit:${tenantId}`, capacity: 7, refillPerSecond: 0.001 };
    const waits = await Promise.all(Array.from({ length: 40 }, () => engine.tryTake(limit)));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(7);
    for (const waitMs of waits.filter((each) => each > 0)) expect(waitMs).toBeGreaterThan(0);
  });

  it('refill with time, up to their capacity', async () => {
    const limit = { key: `refill:${tenantId}`, capacity: 3, refillPerSecond: 0.001 };
    for (let taken = 0; taken < 3; taken += 1) expect(await engine.tryTake(limit)).toBe(0);
    const waitMs = await engine.tryTake(limit);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(1_000_000);
    await setClockOffset(database.admin, '1 hour');
    const again = await Promise.all([1, 2, 3, 4].map(() => engine.tryTake(limit)));
    expect(again.filter((wait) => wait === 0)).toHaveLength(3);
  });
});

describe('the outbox', () => {
  it('gives every committed event a place, and none is skipped by a reader when transactions commit out of order', async () => {
    const slow = await engine.pools.control.connect();
    let early: FeedRow[];
    try {
      await slow.query('begin');
      await engine.emit([{ tenantId, runId: null, type: 'test.happened', key: 'slow', data: '{}' }], slow);
      for (const key of ['a', 'b', 'c']) await emit(key);
      await pumpAll();
      early = await feed();
      expect(early.map((row) => row.key)).toEqual(['a', 'b', 'c']);
      await slow.query('commit');
    } finally {
      slow.release(true);
    }
    await pumpAll();
    const late = await feed(early.at(-1)?.position);
    expect(late.map((row) => row.key)).toEqual(['slow']);
    expect(late[0]?.event_id).toBeLessThan(early[0]?.event_id ?? 0);
  });

  it('is pumped by one at a time; places are given once, whoever pumps', async () => {
    const events = Array.from({ length: 200 }, (_, number) => emit(`e${number}`));
    const pumps = Array.from({ length: 40 }, () => pumpEvents(engine.pools.control));
    await Promise.all([...events, ...pumps]);
    await pumpAll();
    const found = await feed();
    expect(new Set(found.map((row) => row.event_id)).size).toBe(200);
    expect(new Set(found.map((row) => row.position)).size).toBe(200);
  });

  it('keeps one event per run, type and key', async () => {
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    const event = { tenantId, runId: id, type: 'test.once', key: 'k', data: '{}' };
    await Promise.all([1, 2, 3].map(() => engine.emit([event])));
    await pumpAll();
    expect(await feed()).toHaveLength(1);
  });
});

describe('a consumer', () => {
  it('applies each event once, in order, with two processes at it and one that fails half way', async () => {
    await database.admin.query(
      `create table if not exists applied (seq bigint generated always as identity, key text);
       grant select, insert on applied to millrace_engine; grant usage on schema public to millrace_engine`,
    );
    for (let number = 0; number < 30; number += 1) await emit(String(number).padStart(2, '0'));
    await pumpAll();
    let failures = 0;
    const options = {
      name: `consumer-${tenantId}`,
      pool: engine.pools.effects,
      log: silentLog,
      everyMs: 10,
      apply: async (tx: Parameters<typeof readFeed>[0], events: readonly FeedRow[]) => {
        for (const event of events.filter((each) => each.tenant_id === tenantId))
          await tx.query('insert into applied (key) values ($1)', [event.key]);
        if (failures < 2) {
          failures += 1;
          throw new Error('it failed after its work and before its mark');
        }
      },
    };
    const consume = () => consumeOnce(options).catch(() => 0);
    for (let round = 0; round < 5; round += 1) await Promise.all([consume(), consume()]);
    const { rows } = await database.admin.query<{ key: string }>('select key from applied order by seq');
    expect(rows.map((row) => row.key)).toEqual(
      Array.from({ length: 30 }, (_, number) => String(number).padStart(2, '0')),
    );
  });
});

describe('runs that are due later', () => {
  it('enter the queue when their time has come, once, whoever moves them', async () => {
    const { id } = await engine.enqueue({
      pipeline: 'plain',
      tenantId,
      input: {},
      availableAt: new Date(Date.now() + 60_000),
    });
    expect((await moveDueRuns(engine.pools.control, 100)).moved).toBe(0);
    await setClockOffset(database.admin, '2 minutes');
    const moved = await Promise.all([1, 2, 3].map(() => moveDueRuns(engine.pools.control, 100)));
    expect(moved.reduce((sum, each) => sum + each.moved, 0)).toBe(1);
    const { rows } = await database.admin.query('select run_id from engine.ready where run_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });
});

describe('what is looked for by its time', () => {
  it('is found by an index, however much is planned or kept', async () => {
    await engine.enqueueMany(
      Array.from({ length: 5_000 }, () => ({
        pipeline: 'plain',
        tenantId,
        input: {},
        availableAt: new Date(Date.now() + 365 * DAY_MS),
      })),
    );
    await database.admin.query('analyze engine.scheduled, engine.runs');
    const plans = [
      await planOf((db) => moveDueRuns(db, 1_000)),
      await planOf((db) => findRunsToMove(db, newTenant(), 30, 500)),
      await planOf((db) => pruneSideTable(db, 'rejects', { after: newTenant(), days: 90, limit: 1_000 })),
    ];
    plans.push(await planOf((db) => pruneEvents(db, 0, 30, 1_000)));
    plans.push(await planOf((db) => moveAttempts(db, [], 1_000)), await planOf((db) => moveEvents(db, [], 1_000)));
    plans.push(await planOf((db) => moveRuns(db, [])));
    for (const table of ['checkpoints', 'progress', 'progress_samples', 'row_outcomes', 'decisions'] as const)
      plans.push(await planOf((db) => pruneSideTable(db, table, { after: newTenant(), days: 1, limit: 1_000 })));
    for (const plan of plans)
      expect(plan).not.toMatch(/Hash Join|Merge Join|Seq Scan on (?:events|event_positions|runs|attempts)/);
    expect(plans[0]).toMatch(/Index Cond: \(available_at <= /);
    expect(plans[1]).toMatch(/Index Cond: \(\(id > .* AND \(id < /);
    for (const plan of [plans[2], ...plans.slice(7)])
      expect(plan).toMatch(/Index Cond: \(\(run_id > .* AND \(run_id < /);
  });
});

describe('what is claimed', () => {
  it('is found in the ledger run by run, however long the queue', async () => {
    await engine.enqueueMany(Array.from({ length: 5_000 }, () => ({ pipeline: 'plain', tenantId, input: {} })));
    await database.admin.query('analyze engine.ready, engine.runs');
    const by = { workerId: newTenant(), capped: [], announced: [] };
    const plan = await planOf((db) =>
      claimRound(db, by, [{ pipeline: 'plain', afterLane: '', group: 0, limit: 5_000 }]),
    );
    expect(plan).toMatch(/Index Cond: \(id = p(?:_1)?\.run_id\)/);
    await database.admin.query('delete from engine.ready');
  });
});

describe('queue and leases that were last counted when they were empty', () => {
  it('are looked up place by place and key by key, never compared row by row with the whole batch', async () => {
    const { admin } = database;
    await engine.enqueueMany(Array.from({ length: 5_000 }, () => ({ pipeline: 'plain', tenantId, input: {} })));
    await admin.query(
      `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at)
       select run_id, 1, run_id, $1, pipeline, lane, 'work', false, queued_at from engine.ready`,
      [tenantId],
    );
    await admin.query('delete from engine.ready');
    await admin.query('delete from engine.leases');
    await admin.query('analyze engine.ready, engine.leases');
    const by = { workerId: newTenant(), capped: [], announced: [] };
    const end = {
      ...{
        runId: newTenant(),
        part: '',
        attempt: 1,
        workerId: newTenant(),
        commits: null,
        pipeline: 'plain',
        fromStatus: 'working',
        event: 'complete',
        outcome: 'complete',
      },
      ...{ receipt: null, failures: null, waitReason: null, delayMs: null },
      ...{ errorKind: null, errorCode: null, errorText: null },
    };
    const plans = {
      claim: await planOf((db) => claimRound(db, by, [{ pipeline: 'plain', afterLane: '', group: 0, limit: 1_000 }])),
      claimCapped: await planOf((db) => claimCappedLane(db, by, { pipeline: 'plain', lane: 'a', cap: 9, count: 9 })),
      end: await planOf((db) => endAttempts(db, Array(1_000).fill(end))),
      endAlike: await planOf((db) =>
        endAlike(db, { ...end, stage: 'work', receipt: '{}' }, Array(1_000).fill(end.runId)),
      ),
      due: await planOf((db) => moveDueRuns(db, 1_000)),
    };
    for (const plan of Object.values(plans)) expect(plan).not.toMatch(/Join Filter: .*(?:ctid|run_id)/);
    expect(plans.claim).toMatch(/Tid Scan on ready q/);
    expect(plans.claimCapped).toMatch(/Tid Scan on ready q/);
    expect(plans.due).toMatch(/Tid Scan on scheduled s/);
    expect(plans.end).toMatch(/Index Cond: \(\(run_id = g\.run_id\) AND \(part = g\.part\)\)/);
    expect(plans.end).toMatch(/Index Cond: \(run_id = ANY \(/);
    expect(plans.endAlike).toMatch(/Index Cond: \(\(run_id = ANY \(/);
    expect(plans.endAlike).toMatch(/Index Cond: \(id = x\.run_id\)/);
  });
});

describe('a transaction that enqueues', () => {
  it('is seen by nobody before it commits', async () => {
    await withTransaction(engine.pools.control, async (tx) => {
      const [made] = await engine.enqueueIn(tx, [{ pipeline: 'plain', tenantId, input: {} }]);
      expect(await engine.findRun(made?.id ?? '')).toBeUndefined();
    });
  });
});
