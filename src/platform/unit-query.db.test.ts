// Statements through a real PgBouncer in transaction mode: what arrives with each of them, and what is left behind.
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts';
import {
  connectClient,
  createPool,
  type Pool,
  requireRole,
  withClient,
  withTenant,
  withTransaction,
} from './database.ts';
import { queryEarly } from './early-rows.ts';

const db = useDatabase();

/** Counts how often the client spoke after the server had answered. */
async function openCountingProxy(url: string) {
  const target = new URL(url);
  const { port, hostname } = target;
  const sockets: net.Socket[] = [];
  let roundTrips = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    sockets.push(client, upstream);
    let hasAnswered = true;
    client.on('data', (chunk) => {
      if (hasAnswered) roundTrips += 1;
      hasAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasAnswered = true;
      client.write(chunk);
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.hostname = '127.0.0.1';
  target.port = String((server.address() as net.AddressInfo).port);
  return {
    url: target.href,
    roundTrips: () => roundTrips,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Signs {
  readonly role: string;
  readonly statement: string;
  readonly idle: string;
  readonly hours: string | null;
}

const signs = `select current_user as role, current_setting('statement_timeout') as statement,
                      current_setting('idle_in_transaction_session_timeout') as idle,
                      current_setting('millrace.processing_timeout_hours', true) as hours`;

describe.skipIf(!hasPgBouncer())('behind PgBouncer in transaction mode', () => {
  let pgbouncer: PgBouncer;
  let engine: Pool;
  let app: Pool;

  beforeAll(async () => {
    await db.admin.query('create table public.notes (note text primary key)');
    await db.admin.query('grant all on public.notes to millrace_app, millrace_engine');
    // One server connection: every statement runs where another one has just left.
    pgbouncer = await startPgBouncer(db.appUrl, [db.appUrl], { poolSize: 1 });
    const shared = { url: pgbouncer.through(db.appUrl), max: 2, applicationName: 'pooled', connectTimeoutMs: 5_000 };
    engine = createPool({
      ...shared,
      pooler: 'transaction',
      role: 'millrace_engine',
      statementTimeoutMs: 41_000,
      idleInTransactionTimeoutMs: 43_000,
      sessionSettings: { 'millrace.processing_timeout_hours': "it's 7" },
    });
    app = createPool({ ...shared, pooler: 'transaction', role: 'millrace_app' });
  });
  afterAll(async () => {
    await Promise.all([engine?.end(), app?.end()]);
    await pgbouncer?.stop();
  });

  const asEngine = { role: 'millrace_engine', statement: '41s', idle: '43s', hours: "it's 7" };

  it('each statement brings its role, its limits and its settings, and leaves none of them to the next', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect((await engine.query<Signs>(signs)).rows).toEqual([asEngine]);
      const [after] = (await app.query<Signs>(signs)).rows;
      expect(after).toMatchObject({ role: 'millrace_app', statement: '0' });
      expect(after?.hours ?? '').toBe('');
    }
  });

  it('a transaction has them from its beginning to its end', async () => {
    const seen = await withTransaction(engine, async (tx) => [
      (await tx.query<Signs>(signs)).rows[0],
      (await tx.query<Signs>({ name: 'again', text: signs })).rows[0],
    ]);
    expect(seen).toEqual([asEngine, asEngine]);
    const isolation = await withTransaction(
      engine,
      async (tx) =>
        (await tx.query<{ level: string }>(`select current_setting('transaction_isolation') as level`)).rows,
      { isolation: 'repeatable read' },
    );
    expect(isolation).toEqual([{ level: 'repeatable read' }]);
  });

  it('a tenant is entered within its transaction only', async () => {
    const tenantId = '00000000-0000-7000-8000-00000000000a';
    const tenant = `select current_user as role, current_setting('millrace.tenant_id', true) as tenant`;
    const inside = await withTenant(
      engine,
      { tenantId, role: 'millrace_app' },
      async (tx) => (await tx.query(tenant)).rows,
    );
    expect(inside).toEqual([{ role: 'millrace_app', tenant: tenantId }]);
    expect((await engine.query(tenant)).rows).toEqual([{ role: 'millrace_engine', tenant: '' }]);
  });

  it('named statements, values and results are what they are without a pooler', async () => {
    const named = { name: 'pooled-sum', text: 'select $1::int + n as sum from generate_series(1, 3) n', values: [10] };
    for (const pool of [engine, app, engine]) {
      const { rows, rowCount } = await withClient(pool, (client) => client.query(named));
      expect([rows, rowCount]).toEqual([[{ sum: 11 }, { sum: 12 }, { sum: 13 }], 3]);
    }
    expect((await engine.query('select 9007199254740993::int8 as big')).rows).toEqual([{ big: 9007199254740993n }]);
  });

  it('a statement that fails leaves nothing behind and the connection good for the next', async () => {
    const insert = { text: 'insert into public.notes values ($1)', values: ['once'] };
    await engine.query(insert);
    await expect(engine.query(insert)).rejects.toMatchObject({ code: '23505' });
    await expect(engine.query('insert into public.notes values (1 / 0)')).rejects.toMatchObject({ code: '22012' });
    expect((await engine.query('select note from public.notes')).rows).toEqual([{ note: 'once' }]);
  });

  it('rows come before their commit, and landed says when it is there', async () => {
    const early = await queryEarly<{ note: string }>(engine, {
      name: 'early-note',
      text: 'insert into public.notes values ($1) returning note, current_user as role',
      values: ['early'],
    });
    expect(early.rows).toEqual([{ note: 'early', role: 'millrace_engine' }]);
    await early.landed;
    expect((await app.query(`select note from public.notes where note = 'early'`)).rows).toHaveLength(1);
    await expect(queryEarly(engine, { text: 'select 1 / 0' })).rejects.toThrow('division by zero');
  });

  it('a transaction that the server ended between two statements says why, as without a pooler', async () => {
    const { rows: server } = await db.admin.query<{ is17: boolean }>(
      `select current_setting('server_version_num')::int >= 170000 as is17`,
    );
    if (!server[0]?.is17) return;
    const limited = withTransaction(engine, async (client) => {
      const told = once(client, 'error');
      await client.query(`set local transaction_timeout = '50ms'`);
      await told;
      await client.query('select 1');
    });
    await expect(limited).rejects.toMatchObject({ code: 'statement_cancelled' });
    expect((await engine.query<Signs>(signs)).rows).toEqual([asEngine]);
  });

  it('a statement costs one round trip, with its role, its limits and its transaction', async () => {
    const counting = await openCountingProxy(pgbouncer.through(db.appUrl));
    const client = await connectClient({
      url: counting.url,
      pooler: 'transaction',
      role: 'millrace_engine',
      statementTimeoutMs: 41_000,
      applicationName: 'counted',
      connectTimeoutMs: 5_000,
    });
    try {
      for (let round = 0; round < 3; round += 1) {
        const before = counting.roundTrips();
        expect((await client.query<Signs>(signs)).rows[0]).toMatchObject({ role: 'millrace_engine', statement: '41s' });
        expect(counting.roundTrips() - before).toBe(1);
      }
    } finally {
      await client.end();
      await counting.close();
    }
  });

  it('a connection that expects no pooler is refused with what to set', async () => {
    const opening = connectClient({
      url: pgbouncer.through(db.appUrl),
      role: 'millrace_engine',
      applicationName: 'undeclared',
      connectTimeoutMs: 5_000,
    });
    await expect(opening).rejects.toMatchObject({ code: 'pooler_undeclared' });
  });

  it('a pooler that drops the role silently is found out', async () => {
    const careless = await startPgBouncer(db.appUrl, [db.appUrl], {
      settings: { ignore_startup_parameters: 'options' },
    });
    const pool = createPool({
      url: careless.through(db.appUrl),
      role: 'millrace_engine',
      max: 1,
      applicationName: 'careless',
      connectTimeoutMs: 5_000,
    });
    await expect(requireRole(pool, 'millrace_engine', 'here')).rejects.toMatchObject({ code: 'role_not_taken' });
    await pool.end();
    await careless.stop();
  });

  it('a pooler that is restarted costs the statements under way, not those that follow', async () => {
    expect((await engine.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pgbouncer.restart();
    await withClient(engine, (client) => client.query('select 1')).catch(() => undefined);
    expect((await withClient(engine, (client) => client.query('select 2 as two'))).rows).toEqual([{ two: 2 }]);
  });
});
