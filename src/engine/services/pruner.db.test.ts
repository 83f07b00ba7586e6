// What grows is pruned, in steps of a bounded size, and nothing that somebody still needs: live runs, unread events, open rejects, keys.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant, workUntilIdle } from '../../../test/support/engine.ts';
import type { Pool, Queryable } from '../../platform/database.ts';
import { silentLog } from '../../platform/log.ts';
import { consumeOnce } from '../consumer.ts';
import { readFeed } from '../sql/event-feed.ts';
import { pumpEvents } from './outbox-pump.ts';
import { defaultRetention, newWalks, pruneOnce, type Retention } from './pruner.ts';
import { fireDueSchedules } from './scheduler.ts';

const database = useDatabase();
let engine: Awaited<ReturnType<typeof buildEngine>>;
let tenantId: string;

beforeEach(async () => {
  tenantId = newTenant();
  // The one of the alerts reads nothing here.
  await database.admin.query('truncate engine.consumers');
  engine = await buildEngine(database.appUrl, [
    buildPipeline('plain', async (context) => {
      for (let part = 0; part < Number(context.input.parts ?? 0); part += 1)
        await context.commit(async () => {}, { checkpoint: { part }, part: `part ${part}` });
      return 'complete';
    }),
  ]);
});

afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await database.admin.query(
    `truncate engine.schedules, engine.rejects, engine.checkpoints, engine.runs, engine.ready, engine.attempts, engine.events, engine.event_inbox,
       engine.event_positions, engine.past_runs, engine.past_attempts, engine.past_events, engine.past_keys, engine.kept_runs`,
  );
  await engine.close();
});

async function prune(retention: Partial<Retention> = {}, pool: Pool = engine.pools.control): Promise<void> {
  const walks = newWalks();
  while (await pruneOnce(pool, { ...defaultRetention, ...retention }, walks));
}

const work = () => workUntilIdle(engine, database.admin);

const enqueue = (input: object, more: object = {}) => engine.enqueue({ pipeline: 'plain', tenantId, input, ...more });
const count = async (table: string, where = 'true') => {
  const { rows } = await database.admin.query<{ n: number }>(
    `select count(*)::int as n from engine.${table} where ${where}`,
  );
  return rows[0]?.n;
};
const isThere = (id: string) => engine.findRun(id).then((run) => run !== undefined);

describe('of ended runs', () => {
  it('the history forgets those whose month is over, also those a schedule fired; a key that must refuse for ever keeps its run', async () => {
    const plain = await enqueue({});
    const batch = await enqueue({}, { uniqueKey: 'june' });
    const lookalike = await enqueue({}, { uniqueKey: 'schedule:nightly:2024-09-07T02:00:00.000Z' });
    await engine.saveSchedule({ tenantId, name: 'nightly', pipeline: 'plain', cron: '0 2 * * *', nextAt: new Date() });
    await fireDueSchedules(engine.pools.control, engine.registry, silentLog);
    const [schedule] = await engine.listSchedules(tenantId);
    const fired = schedule?.last_run_id ?? '';
    await work();
    const all = [plain.id, batch.id, lookalike.id, fired];
    await setClockOffset(database.admin, '700 days');
    await prune();
    expect(await Promise.all(all.map(isThere))).toEqual([true, true, true, true]);
    expect(await count('runs', `tenant_id = '${tenantId}'`)).toBe(0);
    await setClockOffset(database.admin, '800 days');
    await prune();
    expect(await Promise.all(all.map(isThere))).toEqual([false, true, true, false]);
    expect(await enqueue({}, { uniqueKey: 'june' })).toEqual({ id: batch.id, created: false });
  });

  it('checkpoints go a day after their end, also of runs that never said how far they are; those of live runs stay', async () => {
    const ended = await enqueue({ parts: 5 });
    await work();
    const live = await enqueue({});
    // More live runs than one step looks at, all before the one that is to go.
    await database.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input)
       select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'plain', 'queued', 'waiting', 'x', '{}' from generate_series(1, 450) n`,
      [tenantId],
    );
    await database.admin.query(
      `insert into engine.checkpoints (run_id, stage, part, attempt, state)
       select id, 'work', '', 1, '{}' from engine.runs where phase = 'waiting'`,
    );
    await prune();
    expect(await count('checkpoints', `run_id = '${ended.id}'`)).toBe(5);
    await setClockOffset(database.admin, '2 days');
    await prune();
    expect(await count('checkpoints', `run_id = '${ended.id}'`)).toBe(0);
    expect(await count('checkpoints', `run_id = '${live.id}'`)).toBe(1);
    expect(await count('checkpoints')).toBe(451);
  });

  it('what a run left behind goes in steps of a bounded size, however much it left', async () => {
    const { id } = await enqueue({});
    await work();
    await database.admin.query(
      `insert into engine.checkpoints (run_id, stage, part, attempt, state) select $1, 'work', n::text, 1, '{}' from generate_series(1, 3500) n`,
      [id],
    );
    await setClockOffset(database.admin, '2 days');
    const walks = newWalks();
    const left = [];
    let isMore = true;
    while (isMore) {
      isMore = await pruneOnce(engine.pools.control, defaultRetention, walks);
      left.push(await count('checkpoints'));
    }
    expect(left).toEqual([2_500, 1_500, 500, 0]);
  });
});

it('what fails in one table keeps no other from being pruned: a month that a reader holds, and checkpoints', async () => {
  const { id } = await enqueue({ parts: 3 });
  await work();
  await setClockOffset(database.admin, '40 days');
  await prune();
  await database.admin.query(
    `insert into engine.checkpoints (run_id, stage, part, attempt, state) select id, 'work', 'left', 1, '{}' from engine.past_runs where id = $1`,
    [id],
  );
  await setClockOffset(database.admin, '800 days');
  const reader = await database.admin.connect();
  try {
    await reader.query('begin; select from engine.past_runs');
    await prune();
  } finally {
    reader.release(true);
  }
  expect(await isThere(id)).toBe(true);
  expect(await count('checkpoints')).toBe(0);
  await prune();
  expect(await isThere(id)).toBe(false);
});

describe('the pruner never removes', () => {
  it('events that a consumer has not read', async () => {
    const consumer = {
      ...{ name: 'slow', pool: engine.pools.effects, log: silentLog, everyMs: 10 },
      apply: async (_: Queryable) => {},
    };
    await consumeOnce(consumer);
    await enqueue({});
    await work();
    const unread = (await readFeed(engine.pools.control, 0, 1_000)).filter((row) => row.tenant_id === tenantId);
    expect(unread).toHaveLength(1);
    await setClockOffset(database.admin, '900 days');
    await database.admin.query(`update engine.consumers set position = $1 - 1`, [unread[0]?.position]);
    await prune();
    expect((await readFeed(engine.pools.control, 0, 1_000)).filter((row) => row.tenant_id === tenantId)).toEqual(
      unread,
    );
    expect(await count('runs', `tenant_id = '${tenantId}'`)).toBe(1);
    // Read, and no longer the last one that was.
    await enqueue({});
    await work();
    await consumeOnce(consumer);
    await prune();
    expect((await readFeed(engine.pools.control, 0, 1_000)).map((row) => row.event_id)).not.toContain(
      unread[0]?.event_id,
    );
  });

  it('events of no run before their time', async () => {
    await engine.emit([{ tenantId, runId: null, type: 'test.happened', key: '', data: '{}' }]);
    while ((await pumpEvents(engine.pools.control)) !== 0);
    await setClockOffset(database.admin, '29 days');
    await prune();
    expect(await count('events', `tenant_id = '${tenantId}'`)).toBe(1);
    await setClockOffset(database.admin, '31 days');
    await prune();
    expect(await count('events', `tenant_id = '${tenantId}'`)).toBe(0);
  });

  it('open rejects, nor the run they belong to, unless a setting says so; those that went through go', async () => {
    const { id } = await enqueue({});
    await work();
    await database.admin.query(
      `insert into engine.rejects (tenant_id, run_id, line, code, message, cause, item, status)
       select $1, $2, n, 'bad', 'bad', 'bad', '{}', (array['open', 'corrected', 'replayed', 'resolved'])[1 + n % 4] from generate_series(1, 40) n`,
      [tenantId, id],
    );
    await setClockOffset(database.admin, '800 days');
    await prune();
    expect(await count('rejects', `run_id = '${id}' and status in ('open', 'corrected')`)).toBe(20);
    expect(await count('rejects', `run_id = '${id}'`)).toBe(20);
    expect(await isThere(id)).toBe(true);
    await prune({ openRejectsDays: 365 });
    expect(await count('rejects', `run_id = '${id}'`)).toBe(0);
    await prune();
    expect(await isThere(id)).toBe(false);
  });
});

it('a rate limit that nobody has asked for a week is forgotten once its bucket is full again', async () => {
  const limit = (key: string, refillPerSecond: number) => ({
    key: `${tenantId}:${key}`,
    capacity: 10,
    refillPerSecond,
  });
  await engine.tryTake(limit('full', 1));
  await engine.tryTake(limit('filling', 1e-9));
  await setClockOffset(database.admin, '8 days');
  await prune();
  const { rows } = await database.admin.query(`select key from engine.rate_limits where key like $1`, [`${tenantId}%`]);
  expect(rows).toEqual([{ key: `${tenantId}:filling` }]);
});

it('every table there is has an answer in docs/operations.md: who removes its rows, or why they stay', async () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const section = page.split('### Retention of each table')[1]?.split(/^#/m)[0] ?? '';
  const answered = [...section.matchAll(/^\| ([a-z_]+\.[a-z_., ]+) \| \S.* \|$/gm)].flatMap(([, names]) =>
    (names ?? '').split(', '),
  );
  const { rows } = await database.admin.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema|test_record)'
     order by 1`,
  );
  expect(answered.toSorted()).toEqual(rows.map((row) => row.name));
});
