// What pipelines of one's own prepare at the start, against a real server that keeps others from it.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { smallTimings } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Queryable } from '../platform/database.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { createMillrace } from './create-millrace.ts';
import { prepareTables } from './prepare-tables.ts';

const database = useDatabase();
const patience = { lockTimeoutMs: 100, tries: 100, pauseMs: 50 };

const ask = async <T extends object>(sql: string) => (await database.admin.query<T>(sql)).rows;
const prepare = (work: (admin: Queryable) => Promise<void>, given: { patience?: typeof patience; log?: Log } = {}) =>
  prepareTables([{ name: 'pipeline orders', prepare: work }], {
    url: database.adminUrl,
    log: silentLog,
    patience,
    ...given,
  });
const addColumn = (column: string) => async (admin: Queryable) => {
  await admin.query(`alter table orders add column if not exists ${column} int`);
};
const columns = async () =>
  (
    await ask<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'orders'::regclass and attnum > 0`,
    )
  ).map(({ name }) => name);

beforeAll(() => ask('create table orders (note text)'));

describe('what a pipeline prepares while others hold its table', () => {
  /** Somebody reads the table in a transaction that stays open, until `release`. */
  const held = async (work: (release: () => Promise<unknown>) => Promise<unknown>) => {
    const holder = await database.admin.connect();
    try {
      await holder.query('begin; select from orders');
      await work(() => holder.query('rollback'));
    } finally {
      holder.release(true);
    }
  };

  it('steps back, so that nobody queues behind it, and is prepared once the lock is free', async () => {
    const waits: unknown[] = [];
    await held(async (release) => {
      const log: Log = {
        ...silentLog,
        warn: (fields: unknown) => {
          waits.push(fields);
          if (waits.length === 2) void release();
        },
      };
      await prepare(addColumn('stepped_back'), { log });
    });
    expect(waits.slice(0, 2)).toEqual([
      { name: 'pipeline orders', attempt: 1 },
      { name: 'pipeline orders', attempt: 2 },
    ]);
    expect(await columns()).toContain('stepped_back');
  });

  it('gives up after its tries, says whose it is and what to end, and leaves no transaction open', async () => {
    await held(async () => {
      const blocked = prepare(
        async (admin) => {
          await admin.query('begin');
          await admin.query('insert into orders values ($1)', ['of a try that met the lock']);
          await addColumn('never')(admin);
          await admin.query('commit');
        },
        { patience: { lockTimeoutMs: 50, tries: 3, pauseMs: 10 } },
      );
      await expect(blocked).rejects.toMatchObject({
        code: 'preparation_blocked',
        message: expect.stringContaining('pipeline orders prepares in the database was tried 3 times'),
        next: expect.stringContaining('pg_stat_activity'),
      });
    });
    expect(await ask('select from orders')).toEqual([]);
  });

  it('is waited for at the start of a program that brings its own tables', async () => {
    await held(async (release) => {
      let waits = 0;
      const log: Log = {
        ...silentLog,
        warn: () => {
          waits += 1;
          void release();
        },
      };
      const millrace = await createMillrace({
        databaseUrl: database.appUrl,
        migrationUrl: database.adminUrl,
        settings: smallTimings,
        log,
        prepare: addColumn('of_a_program'),
      });
      await millrace.stop();
      expect(waits).toBe(1);
    });
    expect(await columns()).toContain('of_a_program');
  });
});

describe('what a pipeline prepares', () => {
  it('takes as long as it takes, where the database limits statements by default', async () => {
    await ask(
      `do $$ begin execute format('alter database %I set statement_timeout = ''100ms''', current_database()); end $$`,
    );
    try {
      const preparing = prepare(async (admin) => {
        await admin.query('select pg_sleep(0.3)');
      });
      await expect(preparing).resolves.toBeUndefined();
    } finally {
      await ask(`do $$ begin execute format('alter database %I reset statement_timeout', current_database()); end $$`);
    }
  });

  it('is prepared by one process at a time: another that starts meanwhile waits for its turn', async () => {
    const steps: string[] = [];
    const second = async () => {
      await prepare(async () => void steps.push('second begins'));
    };
    let waiting = Promise.resolve();
    await prepare(async () => {
      waiting = second();
      await waitFor(
        async () =>
          steps.length > 0 ||
          (
            await ask(
              `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
            )
          ).length > 0,
      );
      steps.push('first ends');
    });
    await waiting;
    expect(steps).toEqual(['first ends', 'second begins']);
  });

  it('has a connection of its own: what another one set there, its limits included, does not reach it', async () => {
    const seen: unknown[] = [];
    await prepareTables(
      [
        {
          name: 'pipeline first',
          prepare: async (admin) => {
            await admin.query(`set search_path = pg_catalog; set lock_timeout = 0`);
          },
        },
        {
          name: 'pipeline second',
          prepare: async (admin) => {
            const { rows } = await admin.query(
              `select current_setting('search_path') = 'pg_catalog' as is_first, current_setting('lock_timeout') as limited`,
            );
            seen.push(...rows);
          },
        },
      ],
      { url: database.adminUrl, log: silentLog },
    );
    expect(seen).toEqual([{ is_first: false, limited: '3s' }]);
  });

  it('tells whose it is and what went wrong when it fails', async () => {
    const failing = prepare(async (admin) => {
      await admin.query('select from nothing_of_this_name');
    });
    await expect(failing).rejects.toMatchObject({
      code: 'preparation_failed',
      message: 'What pipeline orders prepares in the database failed: relation "nothing_of_this_name" does not exist.',
      next: expect.stringContaining('prepare'),
    });
  });
});
