// Clauses of the specification that no other test of items holds: the switches, kinds of files, the tables by their names, and the filters of what is pending.

import { readFileSync } from 'node:fs';
import { writeXlsx as writeBook } from 'hucre/xlsx';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildUser, type TestUser, useApi } from '../../../test/support/api.ts';
import { buildJob, itemsHandlers, useItems } from '../../../test/support/items.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import { itemsRoutes } from '../../contract/pipelines/items/api.ts';
import { ownHandlers } from '../../http/handlers.ts';
import { withTenant } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';

describe('DB_INGEST_ENABLED=false', () => {
  const bench = useItems({ settings: { dbIngestEnabled: false } });

  it('answers feature_disabled to everything that is asked of items, and leaves what is stored', async () => {
    const { tenantId } = bench.admin;
    const { jobId, itemId, exportId, catalogId } = await buildJob(bench.db.admin, {
      tenantId,
      runId: uuidv7(),
      mark: 'stored before',
    });
    const params = { item_id: itemId, export_id: exportId, catalog_id: catalogId };
    const bodies: Partial<Record<OperationId, unknown>> = { 'jobs.correct': { cells: {} } };
    for (const operation of Object.keys(itemsRoutes) as OperationId[]) {
      const uploads = { 'jobs.create': '/api/jobs', 'jobs.try': '/api/jobs/try', 'catalogs.create': '/api/catalogs' };
      const url = uploads[operation as keyof typeof uploads];
      const { status, body } =
        url === undefined
          ? await bench.call(operation, jobId, {
              params,
              ...(bodies[operation] === undefined ? {} : { body: bodies[operation] }),
            })
          : await bench.upload(url, 'SKU,Title\nA-1,Lamp\n', 'rows.csv');
      expect([operation, status, body?.code]).toEqual([operation, 409, 'feature_disabled']);
      expect(body.detail).toContain('DB_INGEST_ENABLED');
    }
    const { rows } = await bench.db.admin.query(
      'select (select count(*)::int from item_jobs) as jobs, (select count(*)::int from job_items) as items, (select count(*)::int from item_catalogs) as catalogs',
    );
    expect(rows).toEqual([{ jobs: 1, items: 1, catalogs: 1 }]);
  });
});

describe('PENDING_DASHBOARD=false', () => {
  const bench = useItems({ settings: { pendingDashboard: false } });

  it('takes away the list over all jobs; the pending tab of a job stays', async () => {
    const { jobId } = await buildJob(bench.db.admin, {
      tenantId: bench.admin.tenantId,
      runId: uuidv7(),
      mark: 'waits',
      status: 'PENDING',
    });
    await bench.db.admin.query('update item_jobs set done_items = 0 where job_id = $1', [jobId]);
    const all = await bench.call('pending.list', jobId);
    expect([all.status, all.body.code]).toEqual([409, 'feature_disabled']);
    expect(all.body.detail).toContain('PENDING_DASHBOARD');
    const query = { statuses: 'PENDING,PROCESSING', sort: 'updated_at' };
    expect((await bench.call('jobs.items', jobId, { query })).body.data).toHaveLength(1);
  });
});

describe('a file', () => {
  const bench = useItems();
  const rows = [
    ['SKU', 'Title', 'Count'],
    ['KET-1700', 'Kettle', '007'],
    ['nothing', 'Ünïcode 漢字', '12'],
  ] as const;
  const [header, ...data] = rows;
  const objects = data.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at]])));
  const lines = (delimiter: string) => rows.map((cells) => cells.join(delimiter)).join('\n');

  it.each([
    ['rows.csv', async () => lines(',')],
    ['rows.tsv', async () => lines('\t')],
    ['rows.json', async () => JSON.stringify(objects)],
    ['rows.ndjson', async () => objects.map((object) => JSON.stringify(object)).join('\n')],
    ['rows.xlsx', async () => writeBook({ sheets: [{ name: 'Rows', rows: rows.map((cells) => [...cells]) }] })],
  ])('%s becomes the same rows, found and not found', async (name, write) => {
    const { status, body } = await bench.upload('/api/jobs', await write(), name, { fields: { catalog: 'sample' } });
    expect(status).toBe(202);
    expect(await bench.ended(body.jobId)).toMatchObject({ queue_state: 'DONE', total_items: 2, job_type: 'csv' });
    const items = await bench.items(body.jobId);
    expect(items.map(({ input, status: fate }) => [input, fate])).toEqual([
      [objects[0], 'DONE'],
      [objects[1], 'NOT_FOUND'],
    ]);
  });
});

describe('rows of a large file', () => {
  const bench = useItems({ batchBytes: 2_000, settings: { ingestMinRows: 64, ingestMaxRows: 64 } });

  it('are in the grid while the rest of the file is not stored yet', async () => {
    // A file is read in pieces of bytes: of long rows there are many.
    const rows = Array.from({ length: 6_000 }, (_, at) => `A-${at},Thing ${at} ${'x'.repeat(400)}`);
    const jobId = await bench.submit(['SKU,Title', ...rows], { catalog: 'sample' });
    // A row of that number is not committed: whoever stores the next one of it waits.
    const client = await bench.db.admin.connect();
    try {
      await client.query('begin');
      await client.query('insert into job_items (tenant_id, job_id, row_index) values ($1, $2, 5990)', [
        bench.admin.tenantId,
        jobId,
      ]);
      const job = await waitFor(
        async () => {
          const now = await bench.job(jobId);
          return now.total_items >= 50 ? now : undefined;
        },
        { what: 'the first rows' },
      );
      expect(job).toMatchObject({ ingested_at: null, queue_state: 'RUNNING' });
      const { body } = await bench.call('jobs.items', jobId, { query: { pageSize: '50' } });
      expect(body.data.map(({ input }: { input: { SKU: string } }) => input.SKU)).toEqual(
        Array.from({ length: 50 }, (_, at) => `A-${at}`),
      );
      expect((await bench.job(jobId)).total_items).toBeLessThan(rows.length);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await bench.ended(jobId)).toMatchObject({ total_items: 6_000, queue_state: 'DONE' });
  });
});

describe('the settings', () => {
  it('have the names of the specification, with a unit and a default', () => {
    const lines = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8').split('\n');
    const named = [
      ['DB_INGEST_ENABLED', 'true', 'true or false'],
      ['INGEST_MIN_ROWS', '64', 'in rows'],
      ['INGEST_MAX_ROWS', '8192', 'in rows'],
      ['INGEST_MAX_BATCH_BYTES', '4194304', 'in bytes'],
      ['DB_P95_MS', '800', 'in ms'],
      ['DB_P50_MS', '200', 'in ms'],
      ['WORKER_TARGET_SLICE_MS', '5000', 'in ms'],
      ['CLAIM_MIN', '1', 'in items'],
      ['CLAIM_MAX', '2000', 'in items'],
      ['SAFETY_FACTOR', '0.7', 'a number from 0.1 to 1'],
      ['LOCK_FLOOR_MS', '15000', 'in ms'],
      ['LOCK_CAP_MS', '300000', 'in ms'],
      ['MAX_ATTEMPTS_ERROR', '5', 'in attempts'],
      ['MAX_ATTEMPTS_NOT_FOUND', '3', 'in attempts'],
      ['ITEM_RETENTION_DAYS', '365', 'in days'],
      ['PENDING_DASHBOARD', 'true', 'true or false'],
    ] as const;
    for (const [name, value, takes] of named) {
      const line = lines.find((each) => each.startsWith(`| \`${name}\` |`));
      expect([name, line?.includes(value), line?.includes(takes)]).toEqual([name, true, true]);
    }
  });
});

describe('the tables of the specification', () => {
  const bench = useItems();
  let jobId: string;
  beforeAll(async () => {
    jobId = await bench.submit('SKU,Title\nKET-1700,Kettle\nno,Nothing\n', { catalog: 'sample' }, bench.user);
    await bench.ended(jobId);
  });
  const read = (text: string) =>
    withTenant(bench.db.app, { tenantId: bench.admin.tenantId, role: 'millrace_app' }, async (tx) =>
      (await tx.query(text, [jobId])).rows.map((row) => ({ ...row })),
    );

  it('say of a job, its items, its file and its requests what their columns promise', async () => {
    const [job] = await read(
      `select j.queue_state, j.status, j.total_items, j.processed_items, j.failed_items, j.attempts > 0 as attempts, j.last_error, j.job_type, j.ip_address is not null as ip,
              j.last_heartbeat is not null as alive, u.user_id as owner, f.filename
       from jobs j join users u on u.id = j.user_id join files f on f.id = j.file_id where j.id = $1`,
    );
    expect(job).toEqual({
      queue_state: 'DONE',
      status: 'completed',
      total_items: 2,
      processed_items: 2,
      failed_items: 0,
      attempts: true,
      last_error: null,
      job_type: 'csv',
      ip: true,
      alive: true,
      owner: bench.user.userId,
      filename: 'rows.csv',
    });
    const items = await read(
      `select i.input_json, i.normalized_json, i.result_json ->> 'sku' as sku, i.price, i.status, i.attempts, i.last_error, i.locked_by, i.locked_at, i.job_type,
              i.user_id = (select user_id from jobs where id = $1) as owned, i.updated_at >= i.created_at as fresh
       from job_items i where i.job_id = $1 order by i.row_index`,
    );
    const both = { locked_by: null, locked_at: null, job_type: 'csv', owned: true, fresh: true };
    expect(items).toEqual([
      {
        ...both,
        input_json: { SKU: 'KET-1700', Title: 'Kettle' },
        normalized_json: { sku: 'KET-1700', title: 'Kettle' },
        sku: 'KET-1700',
        price: '39.9',
        status: 'DONE',
        attempts: 1,
        last_error: null,
      },
      {
        ...both,
        input_json: { SKU: 'no', Title: 'Nothing' },
        normalized_json: { sku: 'no', title: 'Nothing' },
        sku: null,
        price: null,
        status: 'NOT_FOUND',
        attempts: 1,
        last_error: expect.any(String),
      },
    ]);
    const requests = await read(
      `select e.strategy, e.provider, e.outcome, e.ms >= 0 as timed from search_events e join job_items i on i.id = e.item_id
       where e.job_id = $1 and i.row_index = 1 order by e.id`,
    );
    expect(new Set(requests.map(({ strategy }) => strategy))).toEqual(new Set(['sku', 'gtin', 'title']));
    expect(requests[0]).toMatchObject({ provider: 'sample v1', timed: true });
  });

  it('show another tenant nothing', async () => {
    const none = await withTenant(bench.db.app, { tenantId: uuidv7(), role: 'millrace_app' }, async (tx) => {
      const counts: number[] = [];
      for (const table of ['jobs', 'job_items', 'files', 'search_events', 'item_attempts'])
        counts.push((await tx.query(`select from ${table}`)).rows.length);
      return counts;
    });
    expect(none).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('what is pending over all jobs', () => {
  const bench = useItems();
  const { log, lines } = keepLines('debug');
  const api = useApi(bench.db, () => ({
    log,
    engine: bench.engine,
    handlers: { ...ownHandlers, ...itemsHandlers(bench.deps) },
  }));
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'] as const;
  const jobs: string[] = [];
  let other: TestUser;

  beforeAll(async () => {
    const { tenantId } = bench.admin;
    other = await buildUser(bench.db, tenantId, 'user');
    const build = async (at: string, userId: string, jobType: string) => {
      const { jobId } = await buildJob(bench.db.admin, {
        tenantId,
        runId: uuidv7(),
        mark: `waits ${at}`,
        userId,
        status: 'PENDING',
      });
      await bench.db.admin.query('update item_jobs set job_type = $2 where job_id = $1', [jobId, jobType]);
      await bench.db.admin.query(
        `update job_items set job_type = $2, created_at = $3, updated_at = $3 where job_id = $1`,
        [jobId, jobType, `${at}T12:00:00.123456Z`],
      );
      await bench.db.admin.query(
        `update job_items set normalized_json = jsonb_build_object('title', repeat('x', 5000)), input_json = jsonb_build_object('Title', repeat('x', 5000)) where job_id = $1`,
        [jobId],
      );
      await bench.db.admin.query('update item_pieces set stored_at = $2 where job_id = $1', [
        jobId,
        `${at}T12:00:00.123456Z`,
      ]);
      jobs.push(jobId);
    };
    await build(days[0], bench.admin.userId, 'csv');
    await build(days[1], other.userId, 'image');
    await build(days[2], other.userId, 'csv');
  });

  const list = async (query: Record<string, string>, as: TestUser = bench.admin) =>
    (await api.call('pending.list', { as, query })).json();
  const shown = async (query: Record<string, string>, as?: TestUser) =>
    (await list(query, as)).data.map(({ jobId }: { jobId: string }) => jobs.indexOf(jobId));

  it('is oldest change first, by owner, kind, job and time; only admins see what others wait for', async () => {
    expect(await shown({ userId: 'all' })).toEqual([0, 1, 2]);
    expect(await shown({ userId: 'me' })).toEqual([0]);
    expect(await shown({}, other)).toEqual([1, 2]);
    expect(await shown({ userId: 'all', jobType: 'csv' })).toEqual([0, 2]);
    expect(await shown({ userId: 'all', jobId: jobs[1] ?? '' })).toEqual([1]);
    expect(await shown({ userId: 'all', from: `${days[1]}T00:00:00Z` })).toEqual([1, 2]);
    expect(await shown({ userId: 'all', from: `${days[1]}T00:00:00Z`, to: `${days[2]}T00:00:00Z` })).toEqual([1]);
    expect(await shown({ userId: 'all', statuses: 'PROCESSING' })).toEqual([]);
    expect((await list({ userId: 'all' }, other)).code).toBe('only_own_jobs');
    expect((await list({ statuses: 'DONE' })).code).toBe('status_not_pending');
    expect(
      await shown({ statuses: '', userId: 'all', jobType: '', jobId: '', from: '', to: '', pageSize: '', after: '' }),
    ).toEqual([0, 1, 2]);
  });

  it('says of each item a few words, however large its row is, and the time with its microseconds', async () => {
    const { data } = await list({ userId: 'all', jobId: jobs[0] ?? '' });
    expect(data).toMatchObject([
      { inputSummary: { title: 'x'.repeat(120), brand: null, sku: null }, updated_at: '2026-03-01T12:00:00.123456Z' },
    ]);
    expect(JSON.stringify(data).length).toBeLessThan(600);
  });

  it('counts at most twice a minute, and writes the first and last place of each page to the log', async () => {
    const { pending_count: before } = await list({ userId: 'all' });
    await bench.db.admin.query('update item_jobs set total_items = total_items + 50 where job_id = $1', [jobs[0]]);
    expect([before, (await list({ userId: 'all' })).pending_count]).toEqual([3, 3]);
    await list({ userId: 'all', pageSize: '2' });
    const page = lines.findLast(({ msg, event }) => msg === 'items.pending_page' || event === 'items.pending_page');
    expect(page).toMatchObject({
      items: 2,
      first_at: '2026-03-01T12:00:00.123456Z',
      last_at: '2026-03-02T12:00:00.123456Z',
      first_id: expect.stringMatching(/^\d+$/),
      last_id: expect.stringMatching(/^\d+$/),
      ms: expect.any(Number),
    });
  });
});
