// Runs in the history are like before: found, read, retried, refused twice; moving them loses and doubles nothing, whatever is killed.
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant, workUntilIdle } from '../../../test/support/engine.ts';
import type { HistoryCrashOrders } from '../../../test/support/history-crash-child.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { auditSecurity } from '../../access/security-audit.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { silentLog } from '../../platform/log.ts';
import { readAttempts } from '../reads/read-attempts.ts';
import { readRunEvents } from '../reads/read-events.ts';
import { moveToHistory, newMoverState, retireMonths } from './history.ts';

const database = useDatabase();
let engine: Awaited<ReturnType<typeof buildEngine>>;
let tenantId: string;
const actor = () => ({ tenantId, name: 'somebody', role: 'admin' }) as never;

beforeEach(async () => {
  tenantId = newTenant();
  // The one of the alerts reads nothing here.
  await database.admin.query('truncate engine.consumers');
  engine = await buildEngine(
    database.appUrl,
    [
      buildPipeline('plain', async ({ input }) => {
        if (input.fails) throw new MillraceError('input_invalid', { pipeline: 'plain', reason: 'it fails' });
        return input.dies ? { on: 'dead', error: { code: 'poisoned', text: 'it dies' } } : 'complete';
      }),
    ],
    { controlSize: 12 },
  );
});

afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await database.admin.query(
    `truncate engine.runs, engine.ready, engine.scheduled, engine.flagged_runs, engine.attempts, engine.events, engine.event_inbox,
       engine.event_positions, engine.past_runs, engine.past_attempts, engine.past_events, engine.past_keys, engine.past_retries, engine.kept_runs,
       engine.rejects`,
  );
  await engine.close();
});

const enqueue = (input: object, more: object = {}) => engine.enqueue({ pipeline: 'plain', tenantId, input, ...more });

const work = () => workUntilIdle(engine, database.admin);

/** As if it were 31 days later. */
async function moveAll(runs?: number): Promise<void> {
  await setClockOffset(database.admin, '31 days');
  const state = newMoverState();
  while (await moveToHistory(engine.pools.control, 30, state, runs));
}

async function whereIs(id: string): Promise<string[]> {
  const { rows } = await database.admin.query<{ place: string }>(
    `select 'ledger' as place from engine.runs where id = $1 union all select 'history' from engine.past_runs where id = $1
     union all select 'kept' from engine.kept_runs where id = $1`,
    [id],
  );
  return rows.map((row) => row.place);
}

const retire = (detached: 'drop' | 'keep' = 'drop') =>
  retireMonths(engine.pools.control, { historyMonths: 24, detached }, silentLog);

it('the history has the columns of the ledger, in their order', async () => {
  const columnsOf = async (table: string) => {
    const { rows } = await database.admin.query<{ column: string }>(
      `select attname || ' ' || atttypid::regtype as column from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
      [`engine.${table}`],
    );
    return rows.map((row) => row.column);
  };
  for (const table of ['past_runs', 'kept_runs', 'all_runs'])
    expect(await columnsOf(table)).toEqual(await columnsOf('runs'));
  for (const table of ['past_attempts', 'all_attempts'])
    expect(await columnsOf(table)).toEqual(await columnsOf('attempts'));
  const events = ['position bigint', ...(await columnsOf('events'))];
  for (const table of ['past_events', 'all_events']) expect(await columnsOf(table)).toEqual(events);
});

describe('a run in the history', () => {
  it('reads as before: by its id, in lists, with its attempts and its events', async () => {
    const done = await enqueue({ n: 1 }, { correlationId: 'c-1' });
    const failed = await enqueue({ fails: true });
    await work();
    const read = async () => ({
      runs: await Promise.all([done.id, failed.id].map((id) => engine.run(tenantId, id))),
      lists: await Promise.all(
        [{}, { pipeline: 'plain' }, { phase: 'failed' }, { status: 'failed' }, { status: 'completed' }].map((filter) =>
          engine.listRuns({ tenantId, ...filter }, 10),
        ),
      ),
      attempts: await readAttempts(engine.pools.control, tenantId, failed.id),
      events: await readRunEvents(engine.pools.control, tenantId, done.id),
    });
    const before = await read();
    expect(before.events).toHaveLength(1);
    await moveAll();
    expect(await Promise.all([done.id, failed.id].map(whereIs))).toEqual([['history'], ['history']]);
    expect(await read()).toEqual(before);
    const { rows } = await database.admin.query('select from engine.attempts where tenant_id = $1', [tenantId]);
    expect(rows).toHaveLength(0);
  });

  it('refuses its unique key for ever, and a second retry; it can be retried itself', async () => {
    const batch = await enqueue({}, { uniqueKey: 'june' });
    const failed = await enqueue({ fails: true }, { uniqueKey: 'july' });
    const older = await enqueue({ fails: true });
    await work();
    const retried = await engine.retry(actor(), older.id);
    await work();
    await moveAll();
    expect(await enqueue({}, { uniqueKey: 'june' })).toEqual({ id: batch.id, created: false });
    expect(await enqueue({}, { id: batch.id })).toEqual({ id: batch.id, created: false });
    expect(await engine.retry(actor(), older.id)).toEqual({ id: retried.id, created: false });
    const again = await Promise.all([1, 2, 3].map(() => engine.retry(actor(), failed.id)));
    expect(again.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(again.map(({ id }) => id)).size).toBe(1);
    expect(await engine.run(tenantId, again[0]?.id ?? '')).toMatchObject({
      unique_key: 'july#r2',
      retry_of: failed.id,
    });
    await work();
  });

  it('that is a dead letter is listed, requeued once, and named in its successor', async () => {
    const { id } = await enqueue({ dies: true });
    await work();
    await moveAll();
    const letters = `select id from engine.dead_letters where tenant_id = $1`;
    expect((await database.admin.query(letters, [tenantId])).rows).toEqual([{ id }]);
    const successor = await engine.requeue(actor(), id, 'ticket-1');
    expect(await engine.run(tenantId, id)).toMatchObject({ requeued_as: successor });
    expect((await database.admin.query(letters, [tenantId])).rows).toEqual([]);
    await expect(engine.requeue(actor(), id, 'ticket-2')).rejects.toMatchObject({ code: 'run_already_retried' });
    await work();
  });

  it('is its tenant’s alone, in the parent and in each month', async () => {
    const { id } = await enqueue({}, { uniqueKey: 'mine' });
    await work();
    await moveAll();
    const seenBy = async (tenant: string, table: string) => {
      const client = await database.app.connect();
      try {
        await client.query('begin');
        await client.query(`select set_config('millrace.tenant_id', $1, true)`, [tenant]);
        return (await client.query(`select 1 from engine.${table}`)).rowCount;
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    for (const table of ['past_runs', 'past_attempts', 'past_events', 'past_keys', 'all_runs']) {
      expect(await seenBy(newTenant(), table), table).toBe(0);
      expect(await seenBy(tenantId, table), table).toBe(1);
    }
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    await expect(seenBy(tenantId, `past_runs_${month}`)).rejects.toThrow('permission denied');
    expect(await auditSecurity(database.engine)).toEqual([]);
    expect(await whereIs(id)).toEqual(['history']);
  });
});

describe('a run stays in the ledger', () => {
  it('while it lives, is young, or has an event that a consumer has not read', async () => {
    const ended = await enqueue({});
    await work();
    await database.admin.query(`insert into engine.consumers (consumer, position) values ('slow', 0)`);
    const live = await enqueue({}, { availableAt: new Date(Date.now() + 400 * 86_400_000) });
    const state = newMoverState();
    await moveToHistory(engine.pools.control, 30, state);
    expect(await whereIs(ended.id)).toEqual(['ledger']);
    await moveAll();
    expect(await whereIs(ended.id)).toEqual(['ledger']);
    await database.admin.query(
      `update engine.consumers set position = (select max(position) from engine.event_positions)`,
    );
    await moveAll();
    expect(await whereIs(ended.id)).toEqual(['history']);
    expect(await whereIs(live.id)).toEqual(['ledger']);
    await engine.cancel(actor(), live.id);
  });
});

describe('keys', () => {
  it('that somebody is enqueuing keep their run in the ledger until that transaction has ended', async () => {
    const { id } = await enqueue({}, { uniqueKey: 'busy' });
    await work();
    const writer = await engine.pools.control.connect();
    try {
      await writer.query('begin');
      const again = await engine.enqueueIn(writer, [{ pipeline: 'plain', tenantId, input: {}, uniqueKey: 'busy' }]);
      await moveAll();
      const meanwhile = await whereIs(id);
      await writer.query('commit');
      expect(again).toEqual([{ id, created: false }]);
      expect(meanwhile).toEqual(['ledger']);
    } finally {
      writer.release(true);
    }
    await moveAll();
    expect(await whereIs(id)).toEqual(['history']);
  });

  it('let one run through, also when it is enqueued again while its first run is on the way to the history', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => `batch ${n}`);
    for (const uniqueKey of keys) await enqueue({}, { uniqueKey });
    await work();
    await setClockOffset(database.admin, '31 days');
    const state = newMoverState();
    let moving = true;
    const mover = (async () => {
      while (await moveToHistory(engine.pools.control, 30, state, 3));
      moving = false;
    })();
    const again: { created: boolean }[] = [];
    while (moving) again.push(...(await Promise.all(keys.map((uniqueKey) => enqueue({}, { uniqueKey })))));
    await mover;
    while (await moveToHistory(engine.pools.control, 30, state));
    again.push(...(await Promise.all(keys.map((uniqueKey) => enqueue({}, { uniqueKey })))));
    expect(again.filter(({ created }) => created)).toEqual([]);
    const { rows } = await database.admin.query(
      `select count(*)::int as runs, count(distinct unique_key)::int as keys from engine.all_runs where tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ runs: 60, keys: 60 }]);
  });
});

describe('a process that dies while it moves', () => {
  const program = compiledProgram('test/support/history-crash-child.ts');
  const die = (orders: Omit<HistoryCrashOrders, 'url'>) => {
    const all = JSON.stringify({ url: database.appUrl, ...orders });
    return spawnSync(process.execPath, [program, all], { stdio: 'inherit' }).signal;
  };

  it("loses and doubles nothing, at 'history.before_commit' and at every 'history.between_steps'", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await enqueue({ fails: n % 3 === 0 }, { uniqueKey: `k${n}` })).id);
    await work();
    const account = async () => {
      const { rows } = await database.admin.query(
        `select (select array_agg(id order by id) from engine.all_runs where tenant_id = $1) as runs,
                (select array_agg(run_id || ' ' || attempt order by run_id, attempt) from engine.all_attempts where tenant_id = $1) as attempts,
                (select array_agg(position || ' ' || event_id || ' ' || type order by position) from engine.all_events where tenant_id = $1) as events,
                (select array_agg(unique_key || run_id order by run_id) from engine.all_keys where tenant_id = $1) as keys`,
        [tenantId],
      );
      return rows[0];
    };
    const before = await account();
    expect(before.runs).toEqual(ids);
    await setClockOffset(database.admin, '31 days');
    for (const failpoint of ['history.before_commit:2', ...[1, 2, 3, 5].map((n) => `history.between_steps:${n}`)]) {
      expect(die({ failpoint, runs: 2, retire: false }), failpoint).toBe('SIGKILL');
      expect(await account(), failpoint).toEqual(before);
    }
    await moveAll(2);
    expect(await account()).toEqual(before);
    const { rows } = await database.admin.query('select from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toHaveLength(0);
  });
});

describe('a month', () => {
  it('leaves the history once nothing of it lives, has open rejects or is unread; runs with a key that lasts stay', async () => {
    const plain = await enqueue({});
    const batch = await enqueue({}, { uniqueKey: `kept ${tenantId}` });
    await work();
    await moveAll();
    await setClockOffset(database.admin, '700 days');
    await retire();
    expect(await whereIs(plain.id)).toEqual(['history']);
    await setClockOffset(database.admin, '800 days');
    await database.admin.query(
      `insert into engine.rejects (tenant_id, run_id, code, message, cause, item) values ($1, $2, 'x', 'x', 'x', '{}')`,
      [tenantId, plain.id],
    );
    await retire();
    expect(await whereIs(plain.id)).toEqual(['history']);
    await database.admin.query(`update engine.rejects set status = 'resolved'`);
    await engine.emit([{ tenantId, runId: plain.id, type: 'test.late', key: '', data: '{}' }]);
    await retire();
    expect(await whereIs(plain.id)).toEqual(['history']);
    await database.admin.query(`delete from engine.events where type = 'test.late'; truncate engine.event_inbox`);
    await retire();
    expect(await whereIs(plain.id)).toEqual([]);
    expect(await whereIs(batch.id)).toEqual(['kept']);
    expect(await enqueue({}, { uniqueKey: `kept ${tenantId}` })).toEqual({ id: batch.id, created: false });
    const { rows } = await database.admin.query(`select from engine.history_months`);
    expect(rows).toHaveLength(0);
  });

  it('waits no longer than its lock timeout for a reader, and leaves the next time', async () => {
    const { id } = await enqueue({});
    await work();
    await moveAll();
    await setClockOffset(database.admin, '800 days');
    const reader = await database.admin.connect();
    await reader.query('begin; select from engine.past_runs');
    const waited = await retire('keep').catch((error: unknown) => error);
    await reader.query('rollback');
    reader.release();
    expect(waited).toMatchObject({ code: 'transaction_conflict' });
    expect(await whereIs(id)).toEqual(['history']);
    await retire('keep');
    expect(await whereIs(id)).toEqual([]);
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    const { rows } = await database.admin.query(`select id from engine.past_runs_${month}`);
    expect(rows).toContainEqual({ id });
  });
});
