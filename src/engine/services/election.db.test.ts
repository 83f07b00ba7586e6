import { afterEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../../test/support/engine.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { silentLog } from '../../platform/log.ts';
import type { AnyPipeline } from '../pipeline.ts';
import { createElection, type Election } from './election.ts';
import { createLoop, type LoopOptions, type Service } from './loop.ts';

const db = useDatabase();
const opened: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
  await db.admin.query('delete from engine.elections');
});

function stand(ttlMs = 60_000): Election {
  const election = createElection({ pool: db.engine, log: silentLog, name: () => 'services', ttlMs });
  opened.push(election);
  election.start();
  return election;
}

function loopOf(election: Election, ticks: string[], name: string, options: Partial<LoopOptions> = {}): Service {
  const tick = async () => {
    ticks.push(name);
    return undefined;
  };
  const loop = createLoop({ name, everyMs: 60_000, election, ...options, log: silentLog, tick });
  opened.push(loop);
  loop.start();
  return loop;
}

const holders = async () =>
  (await db.admin.query<{ holder: string; pid: number }>('select holder, pid from engine.elections')).rows;
const until = (what: string, condition: () => boolean | Promise<boolean>) => waitFor(condition, { what });

describe('an election', () => {
  it('is won by one of many', async () => {
    const all = Array.from({ length: 8 }, () => stand(3_000));
    await until('one to be elected', () => all.some((each) => each.isElected()));
    expect(all.filter((each) => each.isElected())).toHaveLength(1);
    expect(await holders()).toHaveLength(1);
  });

  it('goes to another one as soon as the elected one stops', async () => {
    const first = stand(1_000);
    await until('the first to be elected', () => first.isElected());
    const second = stand(1_000);
    await first.stop();
    expect(first.isElected()).toBe(false);
    await until('the second to be elected', () => second.isElected());
    expect(await holders()).toHaveLength(1);
  });

  it('goes to another one when the elected one no longer renews it', async () => {
    await db.admin.query(
      `insert into engine.elections values ('services', gen_random_uuid(), 'elsewhere', 1, engine.now() + interval '700 ms')`,
    );
    const next = stand(1_000);
    await until('the next to be elected', () => next.isElected());
    expect(await holders()).toMatchObject([{ pid: process.pid }]);
  });

  it('is not waited for when the elected process was killed on this machine', async () => {
    const { hostname } = await import('node:os');
    // No process has this number.
    await db.admin.query(
      `insert into engine.elections values ('services', gen_random_uuid(), $1, 2147483646, engine.now() + interval '5 minutes')`,
      [hostname()],
    );
    const next = stand(600_000);
    await until('the next to be elected', () => next.isElected());
    expect(await holders()).toMatchObject([{ pid: process.pid }]);
  });

  it('is held when the clock of the server is put back', async () => {
    await setClockOffset(db.admin, '1 day');
    const before = stand(1_000);
    await until('one to be elected', () => before.isElected());
    await db.admin.query(`update engine.elections set holder = gen_random_uuid(), host = 'elsewhere'`);
    await setClockOffset(db.admin, '0');
    const after = stand(1_000);
    await until('one to be elected again', () => before.isElected() || after.isElected());
    expect(await holders()).toMatchObject([{ pid: process.pid }]);
  });
});

describe('a service with an election', () => {
  it('works where it is elected, and where it is not only what is woken there, if that is allowed', async () => {
    const ticks: string[] = [];
    const elected = stand();
    loopOf(elected, ticks, 'elected');
    await until('the elected one to work', () => ticks.includes('elected'));
    const other = stand();
    const resting = loopOf(other, ticks, 'resting');
    const woken = loopOf(other, ticks, 'woken', { wakesAnywhere: true });
    resting.wake();
    woken.wake();
    await until('the woken one to work', () => ticks.includes('woken'));
    expect(ticks).toEqual(['elected', 'woken']);
  });

  it('begins as soon as its process is elected', async () => {
    const ticks: string[] = [];
    const first = stand(1_000);
    await until('the first to be elected', () => first.isElected());
    const second = stand(1_000);
    loopOf(second, ticks, 'second');
    await first.stop();
    await until('the second to work', () => ticks.includes('second'));
    expect(first.isElected()).toBe(false);
  });
});

describe('processes that cannot do the same work', () => {
  const plain = buildPipeline('plain', async () => 'complete');
  const added = buildPipeline('added', async () => 'complete');

  async function open(pipelines: readonly AnyPipeline[]) {
    const engine = await buildEngine(db.appUrl, pipelines);
    opened.push({ stop: () => engine.close() });
    return engine;
  }

  it('each elect one of their own: events are consumed and schedules fire beside an elected process that knows of neither', async () => {
    const older = await open([plain]);
    await older.start({ services: true });
    await until('the older one to be elected', () => older.election.isElected());
    const newer = await open([plain, added]);
    const heard: string[] = [];
    newer.consume({ name: 'added', apply: async (_tx, events) => void heard.push(...events.map(({ key }) => key)) });
    await newer.start({ services: true });
    const tenantId = newTenant();
    await newer.saveSchedule({ tenantId, name: 'often', pipeline: 'added', cron: '0 0 1 1 *' });
    await db.admin.query('update engine.schedules set next_at = engine.now() where tenant_id = $1', [tenantId]);
    await newer.emit([{ tenantId, runId: null, type: 'test.happened', key: 'news', data: '{}' }]);
    newer.wake();
    await until('the event to be consumed', () => heard.includes('news'));
    await until('the schedule to fire', async () => {
      const fired = await db.admin.query(`select from engine.runs where pipeline = 'added'`);
      return fired.rows.length > 0;
    });
    expect(older.election.isElected()).toBe(true);
  });

  it('elect one together when they can', async () => {
    const [first, second] = [await open([plain]), await open([plain])];
    for (const engine of [first, second]) await engine.start({ services: true });
    await until('one to be elected', () => first.election.isElected() || second.election.isElected());
    expect(await holders()).toHaveLength(1);
  });
});
