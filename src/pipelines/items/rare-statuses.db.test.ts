// Rare statuses of a job that statistics do not know yet: they were taken when the table held another job, whose rows all had one status. What is read is what is asked for, however
// the server plans it.
import { beforeAll, expect, it } from 'vitest';
import { describePlan, measureCase, type PlanMode } from '../../../test/plans/measure.ts';
import { byRequest, type PlanCase } from '../../../test/plans/plan-case.ts';
import type { World } from '../../../test/plans/world.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { reprocessByStatus } from './sql/change-items.ts';
import { listItemsOfStatuses } from './sql/read-items.ts';

const db = useDatabase();
const [tenantId, before, job] = [uuidv7(), uuidv7(), uuidv7()];
const ROWS = 20_000;
const MOST_READ = 2_000;

beforeAll(async () => {
  const store = (jobId: string, status: string) =>
    db.admin.query(
      `insert into job_items (tenant_id, job_id, job_type, row_index, status) select $1, $2, 'csv', n, ${status} from generate_series(0, $3::int - 1) n`,
      [tenantId, jobId, ROWS],
    );
  // The rows of the plan are counted, not what triggers read besides: there are none.
  await db.admin.query(
    'create schema plan; grant usage on schema plan to public; create function plan.rows_read() returns bigint language sql return 0',
  );
  await db.admin.query('alter table job_items set (autovacuum_enabled = off)');
  await store(before, `'DONE'`);
  await db.admin.query('analyze job_items');
  await store(job, `case when n % 5000 = 7 then 'ERROR' when n % 3 = 0 then 'NOT_FOUND' else 'DONE' end`);
});

const page = { jobId: job, afterRow: -1, text: null, column: null, since: null, limit: 101 };
const asked: Readonly<Record<string, PlanCase['call']>> = {
  'of one status': (session) => listItemsOfStatuses(session, { ...page, statuses: ['ERROR'] }),
  'of two, of which nothing has the one': (session) =>
    listItemsOfStatuses(session, { ...page, statuses: ['ERROR', 'SKIPPED'] }),
  'of the last rows': (session) => listItemsOfStatuses(session, { ...page, statuses: ['NOT_FOUND'], afterRow: 19_500 }),
  'that come back': (session) => listItemsOfStatuses(session, { ...page, statuses: ['PENDING', 'PROCESSING'] }),
  'to be processed again': (session) => reprocessByStatus(session, job, ['ERROR', 'SKIPPED'], -1, 1_000),
};
const modes: readonly PlanMode[] = ['as in the product', 'generic'];

it.each(Object.entries(asked))('a page of items %s reads those items, and not the job', async (_, call) => {
  const client = await db.admin.connect();
  try {
    for (const mode of modes) {
      await client.query('begin');
      const world = { ours: tenantId } as unknown as World;
      const readings = await measureCase(client, byRequest(call).home, world, call, mode);
      await client.query('rollback');
      expect(readings.length).toBeGreaterThan(0);
      for (const { name, rows, plan } of readings)
        expect(rows < MOST_READ ? '' : `${name}, ${mode}: ${rows} rows\n${describePlan(plan)}`).toBe('');
    }
  } finally {
    client.release();
  }
});
