import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { enginePoolUrls } from '../../test/support/pgbouncer.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { silentLog } from '../platform/log.ts';
import { createEnginePools, type EnginePools } from './engine-pools.ts';

const database = useDatabase();
let pools: EnginePools | undefined;

function openPools(leaseMs = 3_000): EnginePools {
  pools = createEnginePools({
    ...enginePoolUrls(database.appUrl),
    controlSize: 2,
    effectsSize: 2,
    connectTimeoutMs: 5_000,
    leaseMs,
    log: silentLog,
  });
  return pools;
}

afterEach(async () => {
  await pools?.close();
  pools = undefined;
});

describe("the engine's pools", () => {
  it('survive a connection that breaks in the very moment it is handed out', async () => {
    for (const pool of [openPools().control, (pools as EnginePools).effects]) {
      const client = await pool.connect();
      expect(() =>
        client.emit('error', new Error('terminating connection due to administrator command')),
      ).not.toThrow();
      client.release(true);
      const { rows } = await pool.query<{ one: number }>('select 1 as one');
      expect(rows).toEqual([{ one: 1 }]);
    }
  });

  it('run as the engine, never as the login', async () => {
    const { rows } = await openPools().control.query<{ role: string }>('select current_user::text as role');
    expect(rows[0]?.role).toBe('millrace_engine');
  });

  it('have a limit on the server for every statement and every pause within a transaction', async () => {
    for (const pool of [openPools(10_000).control, (pools as EnginePools).effects]) {
      const { rows } = await pool.query<{ statement: string; idle: string }>(
        `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
      );
      expect(rows).toEqual([{ statement: expect.stringMatching(/^(30s|10min)$/), idle: '5s' }]);
    }
  });

  it('have the server end an effects transaction that idles for half a lease', async () => {
    const client = await openPools(400).effects.connect();
    client.on('error', () => {});
    await client.query('begin');
    await client.query('select 1');
    const ended = await waitFor(
      () =>
        client.query('select 1').then(
          () => undefined,
          (error: Error) => error,
        ),
      { everyMs: 300, what: 'the server to end the transaction' },
    );
    expect(ended).toBeInstanceOf(Error);
    client.release(true);
  });
});
