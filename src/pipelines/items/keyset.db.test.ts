// Paging while rows move, against a model; and what the cleanup takes away.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildJob, useItems } from '../../../test/support/items.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { silentLog } from '../../platform/log.ts';
import { cleanUp, recountJobs } from './cleanup.ts';
import { defineProcessor, found } from './processors/processor.ts';

const held = gate();
const holding = defineProcessor<Record<string, never>>({
  name: 'held',
  version: 1,
  title: 'Held',
  options: z.strictObject({}),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  async process() {
    await held.opened;
    return found({ word: 'w' });
  },
});
const bench = useItems({
  processors: [holding],
  batchBytes: 2_000,
  settings: { itemTimeoutMs: 600_000, ingestMinRows: 64, ingestMaxRows: 400 },
});

const AT = '2026-01-02 03:04:05.678901+00';

/** 1,000 more pending items, all of one timestamp: tried ones, those of a piece that were never tried, or both mixed. */
async function buildPending(kind: 'tried' | 'fresh' | 'both'): Promise<string> {
  const { jobId } = await buildJob(bench.db.admin, {
    tenantId: bench.admin.tenantId,
    runId: uuidv7(),
    mark: `Paged ${uuidv7()}`,
    userId: bench.admin.userId,
    status: 'DONE',
  });
  await bench.db.admin.query(
    `insert into job_items (tenant_id, job_id, user_id, job_type, row_index, created_at, updated_at, next_attempt_at)
     select tenant_id, job_id, user_id, job_type, n, $2, $2, case when $3 = 'tried' or $3 = 'both' and n % 3 = 0 then engine.now() + interval '1 day' end
     from item_jobs, generate_series(1, 1000) n where job_id = $1`,
    [jobId, AT, kind],
  );
  await bench.db.admin.query(
    `insert into item_pieces (tenant_id, job_id, from_row, to_row, stored_at) select tenant_id, job_id, 1, 1001, $2 from item_jobs where job_id = $1`,
    [jobId, AT],
  );
  await bench.db.admin.query('update item_jobs set total_items = 1001 where job_id = $1', [jobId]);
  return jobId;
}

describe.each(['jobs.items', 'pending.list'] as const)('%s by the last change', (operation) => {
  it.each(['tried', 'fresh', 'both'] as const)(
    'shows every item that stays once, and none twice, while others move (%s)',
    async (kind) => {
      const jobId = await buildPending(kind);
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
      // All have one time, so the ids are the order.
      expect(seen).toEqual([...seen].sort((one, other) => Number(one) - Number(other)));
    },
  );
});

describe('rows that were never tried', () => {
  const upload = (rows: number) =>
    bench.submit(['word', ...Array.from({ length: rows }, (_, row) => `word ${row} ${'x'.repeat(400)}`)], {
      processor: 'held',
    });

  it('are listed by their last change in the order in which they were stored, whatever their pieces, and by status', async () => {
    const jobId = await upload(3_000);
    await waitFor(async () => ((await bench.job(jobId)).total_items === 3_000 ? true : undefined), {
      what: 'the rows',
    });
    const { rows: pieces } = await bench.db.admin.query(
      `select sum(p.to_row - p.from_row)::int as rows,
              bool_and((select bool_and(i.created_at = p.stored_at) from job_items i where i.job_id = $1 and i.row_index >= p.from_row and i.row_index < p.to_row)) as agree,
              count(*) > 2 as several, count(*) = count(distinct p.stored_at) as apart
       from item_pieces p where p.job_id = $1`,
      [jobId],
    );
    expect(pieces).toEqual([{ rows: 3_000, agree: true, several: true, apart: true }]);
    for (const operation of ['jobs.items', 'pending.list'] as const) {
      const listed: string[] = [];
      let asOf = '';
      for (let after: string | undefined; ; ) {
        const place = { pageSize: '170', ...(after === undefined ? {} : { after }) };
        const { body } = await bench.call(operation, jobId, {
          query: operation === 'jobs.items' ? { sort: 'updated_at', ...place } : { jobId, ...place },
        });
        listed.push(...body.data.map(({ id }: { id: string }) => id));
        asOf = body.as_of;
        if (body.next === null) break;
        after = body.next;
      }
      // Rows that are claimed meanwhile have moved behind the moment of the listing.
      const { rows: model } = await bench.db.admin.query<{ id: string }>(
        `select id::text from job_items where job_id = $1 and updated_at <= $2 order by updated_at, job_items.id`,
        [jobId, asOf],
      );
      const stayed = new Set(model.map(({ id }) => id));
      expect(stayed.size).toBeGreaterThan(1_000);
      expect(listed.filter((id) => stayed.has(id))).toEqual(model.map(({ id }) => id));
      expect(new Set(listed).size).toBe(listed.length);
    }
    // In this order, so that what is claimed in between is in one of them.
    const waiting = await bench.items(jobId, { status: 'PENDING', pageSize: '500' });
    const working = await bench.items(jobId, { status: 'PROCESSING', pageSize: '500' });
    const rows = new Set([...waiting, ...working].map(({ row_index: row }) => row));
    expect([...rows].sort((one, other) => one - other)).toEqual(Array.from({ length: 3_000 }, (_, row) => row));
    held.open();
    expect(await bench.ended(jobId)).toMatchObject({ done_items: 3_000 });
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

  it('counts what a slice has just committed, and nothing twice', async () => {
    const { jobId } = await buildJob(bench.db.admin, {
      tenantId: bench.admin.tenantId,
      runId: uuidv7(),
      mark: 'counted meanwhile',
      status: 'PENDING',
    });
    await bench.db.admin.query(
      `update item_jobs set created_at = engine.now() - interval '2 days', recounted_at = null where job_id = $1`,
      [jobId],
    );
    const slice = await bench.db.admin.connect();
    try {
      await slice.query('begin');
      await slice.query(`update job_items set status = 'DONE' where job_id = $1`, [jobId]);
      await slice.query('update item_jobs set done_items = done_items + 1 where job_id = $1', [jobId]);
      const recounted = recountJobs(options());
      await waitFor(
        async () => {
          const { rows } = await bench.db.admin.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%item_jobs%'`,
          );
          return rows.length > 0 ? true : undefined;
        },
        { what: 'the recount to wait for the slice' },
      );
      await slice.query('commit');
      await recounted;
    } finally {
      slice.release();
    }
    const { rows } = await bench.db.admin.query('select total_items, done_items from item_jobs where job_id = $1', [
      jobId,
    ]);
    expect(rows).toEqual([{ total_items: 1, done_items: 1 }]);
  });
});
