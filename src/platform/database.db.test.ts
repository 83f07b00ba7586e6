// Connections, transactions and the tenant's session, on a real server.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { connectClient, createPool, type Pool, withClient, withTenant, withTransaction } from './database.ts';
import { sqlStateOf } from './database-errors.ts';

const db = useDatabase();

const codeOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof MillraceError ? error.code : error;
};

describe('a pool', () => {
  it('runs every connection as its role, also after "reset role"', async () => {
    const { rows } = await db.engine.query<{ role: string; login: string }>(
      'select current_user as role, session_user as login',
    );
    expect(rows[0]?.role).toBe('millrace_engine');
    expect(rows[0]?.login).toMatch(/_app$/);
    await withClient(db.engine, async (client) => {
      await client.query('set role millrace_app');
      await client.query('reset role');
      const after = await client.query<{ role: string }>('select current_user as role');
      expect(after.rows[0]?.role).toBe('millrace_engine');
    });
  });

  it('gives int8 as a number while it is exact and as a bigint beyond', async () => {
    const { rows } = await db.admin.query(
      'select 9007199254740991::int8 as a, 9007199254740993::int8 as b, array[1, null]::int8[] as c',
    );
    expect(rows[0]).toEqual({ a: 9007199254740991, b: 9007199254740993n, c: [1, null] });
  });

  it('gives a date as text, a timestamp as a Date and numeric as text', async () => {
    const { rows } = await db.admin.query(
      `select '2024-02-29'::date as day, '2024-02-29 10:00Z'::timestamptz as at, 1.10::numeric as amount`,
    );
    expect(rows[0]).toEqual({ day: '2024-02-29', at: new Date('2024-02-29T10:00:00Z'), amount: '1.10' });
  });

  it('gives times as they are and sees what others committed, whatever the database has as its defaults', async () => {
    const admin = await db.admin.connect();
    await admin.query(`
      alter database ${db.name} set datestyle = 'SQL, DMY';
      alter database ${db.name} set default_transaction_isolation = 'serializable'`);
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'defaults', connectTimeoutMs: 5_000 });
    const ask = `select '2024-02-29 10:00Z'::timestamptz as at, current_setting('transaction_isolation') as level`;
    const wanted = [{ at: new Date('2024-02-29T10:00:00Z'), level: 'read committed' }];
    try {
      expect((await pool.query(ask)).rows).toEqual(wanted);
      expect(await withTransaction(pool, async (client) => (await client.query(ask)).rows)).toEqual(wanted);
    } finally {
      await admin.query(`
        alter database ${db.name} reset datestyle;
        alter database ${db.name} reset default_transaction_isolation`);
      admin.release();
      await pool.end();
    }
  });

  it('says pool_exhausted when no connection becomes free in time', async () => {
    const pool = createPool({
      url: db.adminUrl,
      max: 1,
      applicationName: 'small',
      connectTimeoutMs: 60_000,
      waitMs: 300,
    });
    await withClient(pool, async () => {
      expect(await codeOf(withTransaction(pool, async () => 1))).toBe('pool_exhausted');
    });
    await pool.end();
  });

  it('says database_unreachable when nobody listens', async () => {
    const pool = createPool({
      url: 'postgresql://a:b@127.0.0.1:1/x',
      max: 1,
      applicationName: 'nobody',
      connectTimeoutMs: 2_000,
    });
    expect(await codeOf(withClient(pool, async () => 1))).toBe('database_unreachable');
    await pool.end();
  });

  it('says database_refused for an unknown login, an unknown database and an unknown role', async () => {
    const wrongLogin = new URL(db.appUrl);
    wrongLogin.username = 'nobody_we_know';
    const wrongDatabase = new URL(db.appUrl);
    wrongDatabase.pathname = '/nowhere';
    for (const [url, role] of [
      [wrongLogin.href, undefined],
      [wrongDatabase.href, undefined],
      [db.appUrl, 'no_such_role'],
    ] as const) {
      const opening = connectClient({
        url,
        applicationName: 'refused',
        connectTimeoutMs: 5_000,
        ...(role ? { role } : {}),
      });
      expect(await codeOf(opening)).toBe('database_refused');
    }
  });
});

describe('a transaction', () => {
  beforeAll(async () => {
    await db.admin.query('create table public.notes (id int primary key, tenant_id uuid)');
    await db.admin.query('grant all on public.notes to millrace_app, millrace_engine');
    await db.admin.query(
      `alter table public.notes enable row level security;
       create policy tenant on public.notes
         using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid))`,
    );
  });
  afterAll(async () => {
    await db.admin.query('drop table public.notes');
  });

  it('keeps nothing when the work throws, and gives the connection back clean', async () => {
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'one', connectTimeoutMs: 5_000 });
    const failing = withTransaction(pool, async (client) => {
      await client.query('insert into public.notes values (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const { rows } = await pool.query('select * from public.notes');
    expect(rows).toEqual([]);
    await pool.end();
  });

  it('says database_lost and drops the connection when the server ends it', async () => {
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'cut', connectTimeoutMs: 5_000 });
    const cut = withTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.admin.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('select 1');
    });
    expect(await codeOf(cut)).toBe('database_lost');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('that the server ended between two statements says why, and not only that its connection is gone', async () => {
    const { rows: server } = await db.admin.query<{ is17: boolean }>(
      `select current_setting('server_version_num')::int >= 170000 as is17`,
    );
    if (!server[0]?.is17) return;
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'limited', connectTimeoutMs: 5_000 });
    const limited = withTransaction(pool, async (client) => {
      const told = once(client, 'error');
      await client.query(`set local transaction_timeout = '50ms'`);
      await told;
      await client.query('select 1');
    });
    expect(await codeOf(limited)).toBe('statement_cancelled');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it.each([
    ['in a transaction', (pool: Pool, write: string) => withTransaction(pool, (client) => client.query(write))],
    ['outside of one', (pool: Pool, write: string) => withClient(pool, (client) => client.query(write))],
  ])('gives up a connection to a server that only reads, as one reached during a failover: %s', async (_, ask) => {
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'standby', connectTimeoutMs: 5_000 });
    const write = `insert into public.notes values (${Math.floor(Math.random() * 1e9)})`;
    const admin = await db.admin.connect();
    // For connections that are opened meanwhile: as a standby behind the address of the primary.
    await admin.query(`alter database ${db.name} set default_transaction_read_only = on`);
    try {
      expect(await codeOf(ask(pool, write))).toBe('database_lost');
    } finally {
      await admin.query(`alter database ${db.name} reset default_transaction_read_only`);
      admin.release();
    }
    await ask(pool, write);
    await pool.end();
  });

  it('leaves errors that only the caller understands as they are', async () => {
    const twice = withTransaction(db.admin, async (client) => {
      await client.query('insert into public.notes values (2), (2)');
    });
    const error = await twice.catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(MillraceError);
    expect(sqlStateOf(error)).toBe('23505');
  });

  it('names a deadlock a transaction_conflict', async () => {
    await db.admin.query('insert into public.notes values (10), (11)');
    const lockBoth = (first: number, second: number, meet: () => Promise<void>) =>
      withTransaction(db.admin, async (client) => {
        await client.query('select from public.notes where id = $1 for update', [first]);
        await meet();
        await client.query('select from public.notes where id = $1 for update', [second]);
      });
    let arrived = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const meet = async () => {
      arrived += 1;
      if (arrived === 2) open();
      await gate;
    };
    const outcomes = await Promise.all([codeOf(lockBoth(10, 11, meet)), codeOf(lockBoth(11, 10, meet))]);
    expect(outcomes).toContain('transaction_conflict');
  });

  it('shows one tenant inside withTenant and leaves nothing of it behind', async () => {
    const [a, b] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b'];
    await db.admin.query('insert into public.notes values (20, $1), (21, $2)', [a, b]);
    const pool = createPool({
      url: db.appUrl,
      role: 'millrace_engine',
      max: 1,
      applicationName: 'tenants',
      connectTimeoutMs: 5_000,
    });
    const seen = await withTenant(pool, { tenantId: a, role: 'millrace_app' }, async (client) => {
      const { rows } = await client.query('select id, current_user as role from public.notes');
      return rows;
    });
    expect(seen).toEqual([{ id: 20, role: 'millrace_app' }]);
    const { rows } = await pool.query(
      `select current_user as role, current_setting('millrace.tenant_id', true) as tenant,
              (select count(*) from public.notes) as visible`,
    );
    expect(rows).toEqual([{ role: 'millrace_engine', tenant: '', visible: 0 }]);
    await pool.end();
  });
});
