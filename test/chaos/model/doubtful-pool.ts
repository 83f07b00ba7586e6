// The engine's pool, on which one transaction is in doubt: its connection breaks after the server has committed it, or before it could.
import type { Pool } from '../../../src/platform/database.ts';

export type Fate = 'committed' | 'rolled back';

type Ask = (...args: unknown[]) => Promise<unknown>;

/** `after`: so many transactions go well before it. A statement outside a transaction is one. */
export function doubtfulPool(pool: Pool, fate: Fate, after = 0): Pool {
  let left = after;
  const isTurn = () => {
    left -= 1;
    return left === -1;
  };
  const query: Ask = async (...args) => {
    const ask = pool.query.bind(pool) as unknown as Ask;
    if (!isTurn()) return ask(...args);
    if (fate === 'committed') await ask(...args);
    throw lost();
  };
  const connect = async () => {
    const client = await pool.connect();
    const ask = client.query.bind(client) as unknown as Ask;
    const original = client.query;
    client.query = ((...args: unknown[]) => {
      if (args[0] !== 'commit') return ask(...args);
      client.query = original;
      if (!isTurn()) return ask(...args);
      return ask(fate === 'committed' ? 'commit' : 'rollback').then(() => Promise.reject(lost()));
    }) as typeof client.query;
    const release = client.release.bind(client);
    client.release = (broken) => {
      client.query = original;
      client.release = release;
      release(broken);
    };
    return client;
  };
  return Object.create(pool, { query: { value: query }, connect: { value: connect } }) as Pool;
}

function lost(): Error {
  return new Error('Connection terminated unexpectedly');
}
