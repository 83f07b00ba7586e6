// The one-time backfill: rows that are older than the columns of their owner.
import { expect, it } from 'vitest';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildJob } from '../../../test/support/items.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { backfill } from './backfill.ts';

const db = useDatabase();

it('fills owner, type and time of seeded rows, can be interrupted, and finds nothing to do a second time', async () => {
  const tenantId = await buildTenant(db);
  const user = await buildUser(db, tenantId, 'user');
  const { jobId } = await buildJob(db.admin, { tenantId, runId: uuidv7(), mark: 'old', userId: user.userId });
  await db.admin.query(
    `insert into job_items (tenant_id, job_id, user_id, job_type, row_index, updated_at)
     select $1, $2, null, null, n, null from generate_series(1, 95) n`,
    [tenantId, jobId],
  );
  const unfilled = async () =>
    (
      await db.admin.query(
        'select from job_items where job_id = $1 and (user_id is null or job_type is null or updated_at is null)',
        [jobId],
      )
    ).rows.length;
  expect(await unfilled()).toBe(95);
  const stop = new AbortController();
  const pool = Object.create(db.engine, {
    connect: {
      value: async () => {
        // After the look and two pieces.
        connections += 1;
        if (connections === 4) stop.abort();
        return db.engine.connect();
      },
    },
  }) as typeof db.engine;
  let connections = 0;
  expect(await backfill(pool, stop.signal, 10)).toBeLessThan(95);
  expect(await unfilled()).toBeGreaterThan(0);
  await backfill(db.engine, undefined, 10);
  expect(await unfilled()).toBe(0);
  const { rows } = await db.admin.query(
    `select distinct user_id = (select id from users where user_id = $2) as owned, job_type, updated_at = created_at as timed
     from job_items where job_id = $1 and row_index > 0`,
    [jobId, user.userId],
  );
  expect(rows).toEqual([{ owned: true, job_type: 'csv', timed: true }]);
  expect(await backfill(db.engine, undefined, 10)).toBe(0);
});
