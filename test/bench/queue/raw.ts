// The limit: one row per job into a narrow table with one index, in transactions of its own, no wake-up. Only enqueues.
import pg from 'pg';
import type { Contender, ContenderOptions, Payload } from './contender.ts';

export function createRaw(options: ContenderOptions): Contender {
  const pool = new pg.Pool({ connectionString: options.adminUrl, max: 50 });
  const insert = (jobs: readonly Payload[]) =>
    pool.query({
      name: 'raw-insert',
      text: 'insert into raw_jobs (data) select * from unnest($1::jsonb[])',
      values: [jobs.map((job) => JSON.stringify(job))],
    });
  return {
    async open() {
      await pool.query(
        'create table if not exists raw_jobs (id bigint generated always as identity primary key, data jsonb not null)',
      );
    },
    async enqueueBulk(jobs) {
      for (let from = 0; from < jobs.length; from += 10_000) await insert(jobs.slice(from, from + 10_000));
    },
    async enqueueOne(job) {
      await insert([job]);
    },
    async work() {
      throw new Error('the raw table has no workers');
    },
    close: () => pool.end(),
  };
}
