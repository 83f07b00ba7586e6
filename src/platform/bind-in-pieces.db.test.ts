import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { createPool, type Pooler } from './database.ts';

const database = useDatabase();
let pool: pg.Pool | undefined;

afterEach(async () => {
  await pool?.end();
});

function open(pooler: Pooler): pg.Pool {
  pool = createPool({ url: database.adminUrl, max: 1, applicationName: 'pieces', connectTimeoutMs: 10_000, pooler });
  return pool;
}

const digest = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

const text = `
  select md5($1::bytea) as first, $2::text as said, md5($3::bytea) as second, $4::int as number, $5::text as nothing, md5($6::bytea) as small,
         $7::int[] as list, $8::timestamptz as at`;

describe.each(['none', 'transaction'] as const)('large parameters, pooler %s', (pooler) => {
  it.each([undefined, 'pieces'])('arrive byte for byte among small ones, statement named %s', async (name) => {
    const client = open(pooler);
    for (const bytes of [4_096, 70_000, 3_000_000]) {
      const [first, second, small] = [randomBytes(bytes), randomBytes(bytes + 1), randomBytes(9)];
      const at = new Date('2026-01-02T03:04:05.678Z');
      const values = [first, 'Zürich 東京', second, 7, null, small, [1, 2], at];
      const { rows } = await client.query(name === undefined ? { text, values } : { name, text, values });
      expect(rows).toEqual([
        {
          ...{ first: digest(first), said: 'Zürich 東京', second: digest(second), number: 7, nothing: null },
          ...{ small: digest(small), list: [1, 2], at },
        },
      ]);
    }
  });

  it('that the server refuses leave a connection that works', async () => {
    const client = open(pooler);
    await expect(client.query('select 1 / octet_length($1::bytea) / 0', [randomBytes(5_000)])).rejects.toThrow(
      'division by zero',
    );
    const { rows } = await client.query('select octet_length($1::bytea) as bytes', [randomBytes(5_000)]);
    expect(rows).toEqual([{ bytes: 5_000 }]);
  });
});
