// Paging while rows move, against a model; and what the cleanup takes away.
import { describe, expect, it } from 'vitest';
import { buildJob, useItems } from '../../../test/support/items.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';
import { cleanUp, recountJobs } from './cleanup.ts';

const bench = useItems();

/** 1,000 more pending items, all of one timestamp. */
async function buildPending(): Promise<string> {
  const { jobId } = await buildJob(bench.db.admin, {
    tenantId: bench.admin.tenantId,
    runId: uuidv7(),
    mark: `Paged ${uuidv7()}`,
    userId: bench.admin.userId,
    status: 'DONE',
  });
  await bench.db.admin.query(
    `insert into job_items (tenant_id, job_id, user_id, job_type, row_index, updated_at)
     select tenant_id, job_id, user_id, job_type, n, '2026-01-02 03:04:05.678901+00' from item_jobs, generate_series(1, 1000) n where job_id = $1`,
    [jobId],
  );
  return jobId;
}

describe.each(['jobs.items', 'pending.list'] as const)('%s by the last change', (operation) => {
  it('shows every item that stays once, and none twice, while others move', async () => {
    const jobId = await buildPending();
    const seen: string[] = [];
    const moved = new Set<string>();
    let after: string | undefined;
    for (let page = 0; ; page += 1) {
      const place = { pageSize: '70', ...(after === undefined ? {} : { after }) };
      const answer =
        operation === 'jobs.items'
          ? await bench.call('jobs.items', jobId, { query: { sort: 'updated_at', ...place } })
          : await bench.call('pending.list', jobId, { query: { jobId, ...place } });
      seen.push(...answer.body.data.map(({ id }: { id: string }) => id));
      // Some are claimed, some end, some of them seen already and some not.
      const { rows } = await bench.db.admin.query<{ id: string }>(
        `update job_items set updated_at = engine.now(), status = case when row_index % 2 = 0 then 'DONE' else status end
         where job_id = $1 and row_index % 97 = $2 and row_index > 0 returning id::text`,
        [jobId, page],
      );
      for (const { id } of rows) moved.add(id);
      if (answer.body.next === null) break;
      after = answer.body.next;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const { rows: all } = await bench.db.admin.query<{ id: string }>(
      `select id::text from job_items where job_id = $1 and row_index > 0`,
      [jobId],
    );
    const stayed = all.map(({ id }) => id).filter((id) => !moved.has(id));
    expect(stayed.length).toBeGreaterThan(800);
    const shown = new Set(seen);
    expect(stayed.filter((id) => !shown.has(id))).toEqual([]);
  });
});

describe('the cleanup', () => {
  const options = () => ({ pool: bench.db.engine, log: silentLog, retentionDays: 30 });

  it('takes away jobs whose time is over and leaves the others, and live ones whatever their age', async () => {
    const build = (mark: string) => buildJob(bench.db.admin, { tenantId: bench.admin.tenantId, runId: uuidv7(), mark });
    const [old, young, waiting] = [await build('old'), await build('young'), await build('live')];
    const { id: runId } = await bench.engine.enqueue({
      pipeline: 'items',
      tenantId: bench.admin.tenantId,
      input: { job_id: uuidv7(), filename: 'x.csv', job_type: 'csv', processor: 'catalog' },
      availableAt: new Date(Date.now() + 3_600_000),
    });
    await bench.db.admin.query('update item_jobs set latest_run_id = $2 where job_id = $1', [waiting.jobId, runId]);
    await bench.db.admin.query(
      `update item_jobs set created_at = engine.now() - interval '40 days' where job_id = any ($1)`,
      [[old.jobId, waiting.jobId]],
    );
    expect(await cleanUp(options())).toBe(1);
    const { rows } = await bench.db.admin.query<{ job_id: string }>(
      'select job_id from item_jobs where job_id = any ($1) order by 1',
      [[old.jobId, young.jobId, waiting.jobId]],
    );
    expect(rows.map(({ job_id: id }) => id)).toEqual([young.jobId, waiting.jobId].sort());
    const { rows: items } = await bench.db.admin.query('select from job_items where job_id = $1', [old.jobId]);
    expect(items).toEqual([]);
  });

  it('counts again what nobody has counted for a day', async () => {
    const { jobId } = await buildJob(bench.db.admin, {
      tenantId: bench.admin.tenantId,
      runId: uuidv7(),
      mark: 'drifted',
    });
    await bench.db.admin.query(
      `update item_jobs set done_items = 7, total_items = 9, created_at = engine.now() - interval '2 days' where job_id = $1`,
      [jobId],
    );
    expect(await recountJobs(options())).toBeGreaterThan(0);
    const { rows } = await bench.db.admin.query('select total_items, done_items from item_jobs where job_id = $1', [
      jobId,
    ]);
    expect(rows).toEqual([{ total_items: 1, done_items: 1 }]);
  });
});
