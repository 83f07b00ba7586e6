// Rows before their commit: what is handed over when, on a real server.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { createPool, withClient } from './database.ts';
import { queryEarly } from './early-rows.ts';

const db = useDatabase();
const LOCK = 4711;

const insert = (note: string) => ({
  name: 'insert-note',
  text: 'insert into notes (note) values ($1) returning note',
  values: [note],
});
const storedNotes = async () => (await db.admin.query<{ note: string }>('select note from notes')).rows;

beforeAll(async () => {
  // At commit: waits for whoever holds the lock, or refuses.
  await db.admin.query(`
    create table notes (note text not null);
    create function at_commit() returns trigger language plpgsql as $$
    begin
      if new.note = 'refused' then raise exception 'refused at commit'; end if;
      perform pg_advisory_xact_lock(${LOCK});
      return null;
    end $$;
    create constraint trigger notes_at_commit after insert on notes deferrable initially deferred
      for each row execute function at_commit();`);
});

describe('queryEarly', () => {
  it('hands the rows over while the commit is under way, and lands when it is done', async () => {
    const pool = createPool({ url: db.adminUrl, max: 1, applicationName: 'early', connectTimeoutMs: 5_000 });
    const { rows, landed } = await withClient(db.admin, async (holder) => {
      await holder.query(`select pg_advisory_lock(${LOCK})`);
      const early = await queryEarly<{ note: string }>(pool, insert('kept'));
      expect((await holder.query('select from notes')).rowCount).toBe(0);
      await holder.query(`select pg_advisory_unlock(${LOCK})`);
      return early;
    });
    await landed;
    expect(rows).toEqual([{ note: 'kept' }]);
    expect(await storedNotes()).toEqual([{ note: 'kept' }]);
    await pool.end();
  });

  it('rejects "landed" when the commit fails after the rows were handed over', async () => {
    const { rows, landed } = await queryEarly<{ note: string }>(db.admin, insert('refused'));
    expect(rows).toEqual([{ note: 'refused' }]);
    await expect(landed).rejects.toThrow('refused at commit');
    expect(await storedNotes()).not.toContainEqual({ note: 'refused' });
  });

  it('rejects at once when the statement itself fails, and the connection is good for the next', async () => {
    await expect(queryEarly(db.admin, { text: 'select 1 / 0' })).rejects.toThrow('division by zero');
    const { rows } = await queryEarly(db.admin, { text: 'select $1::int as one', values: [1] });
    expect(rows).toEqual([{ one: 1 }]);
  });
});
