// Jobs as people use them: over HTTP, from a file to the fate of every row.
import { readFileSync } from 'node:fs';
import { streamXlsxRows } from 'hucre/xlsx';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { withTenant } from '../../platform/database.ts';
import { cellText, cellValue, sheetColumns } from './export/sheet.ts';
import { holdJob } from './ingest/hold-job.ts';
import { deleteJob } from './sql/change-items.ts';
import { insertItems } from './sql/insert-items.ts';

const bench = useItems({ settings: { itemSharedFrom: 1_000 } });
const sample = readFileSync(new URL('../../../samples/items.csv', import.meta.url), 'utf8');
const withSample = { catalog: 'sample' };
const fates = { done: 9, not_found: 2, error: 1, skipped: 1 };

let jobId: string;
beforeAll(async () => {
  jobId = await bench.submit(sample, withSample, bench.user);
  await bench.ended(jobId);
});

describe('a job', () => {
  it('gives every row of its file one fate, and its receipt and counters say so', async () => {
    const job = await bench.job(jobId);
    expect(job).toMatchObject({
      queue_state: 'DONE',
      total_items: 13,
      processed_items: 13,
      failed_items: 1,
      done_items: fates.done,
      not_found_items: fates.not_found,
      error_items: fates.error,
      skipped_items: fates.skipped,
    });
    const run = await bench.engine.run(bench.admin.tenantId, jobId);
    expect(run.receipt).toMatchObject({ read: 13, outcomes: { DONE: 9, NOT_FOUND: 2, ERROR: 1, SKIPPED: 1 } });
    expect(await bench.engine.verify(bench.admin.tenantId, jobId)).toMatchObject({ agrees: true });
  });

  it('says by what each row was found, how well, and which row of the catalogue it is', async () => {
    const items = await bench.items(jobId);
    expect(items.map(({ result }) => result?.match ?? null)).toEqual([
      'sku',
      'sku',
      'gtin',
      'gtin',
      'sku',
      'title',
      'title',
      'title',
      null,
      null,
      null,
      null,
      'sku',
    ]);
    expect(items[0].result).toMatchObject({
      catalog_row: 1,
      score: 1,
      price: 39.9,
      title: 'Electric kettle 1.7 l brushed steel',
    });
    expect(items[8]).toMatchObject({ status: 'ERROR', error_code: 'gtin_invalid' });
    expect(items[11]).toMatchObject({ status: 'SKIPPED', last_error: 'Row 1 of the file is the same.' });
    const detail = (await bench.call('jobs.item', jobId, { params: { item_id: items[9].id } })).body;
    expect(detail.record).toMatchObject([{ outcome: 'NOT_FOUND', is_final: true, attempt: 1 }]);
    expect(detail.requests.map(({ strategy }: { strategy: string }) => strategy).sort()).toEqual([
      'gtin',
      'sku',
      'title',
    ]);
  });

  it('shows the rows of its file under its run, by the words of its receipt', async () => {
    const rows = async (query: Record<string, string>) =>
      (await bench.call('runs.rows', jobId, { params: { run_id: jobId }, query })).body;
    const all = await rows({ limit: '20' });
    expect([all.kept, all.next, all.data.map(({ row }: { row: number }) => row)]).toEqual([
      true,
      null,
      Array.from({ length: 13 }, (_, index) => index + 1),
    ]);
    const { data, kept } = await rows({ outcome: 'ERROR,SKIPPED' });
    expect(data).toMatchObject([
      { row: 9, outcome: 'ERROR' },
      { row: 12, outcome: 'SKIPPED', cells: all.data[0].cells },
    ]);
    expect([kept, await rows({ outcome: 'PENDING' })]).toEqual([true, { data: [], next: null, kept: true }]);
  });

  it('is filtered by status, column and text, and paged by cursor only', async () => {
    expect(await bench.items(jobId, { status: 'NOT_FOUND' })).toHaveLength(2);
    expect(await bench.items(jobId, { statuses: 'ERROR,SKIPPED', pageSize: '1' })).toHaveLength(2);
    expect(await bench.items(jobId, { text: 'GARDEN hose' })).toHaveLength(1);
    expect(await bench.items(jobId, { text: 'sitwell', column: 'Brand' })).toHaveLength(2);
    expect(await bench.items(jobId, { text: 'sitwell', column: 'Product name' })).toHaveLength(0);
    expect(await bench.items(jobId, { text: '100%' })).toHaveLength(0);
    // As the specification writes it: a parameter without a value is none.
    expect(
      await bench.items(jobId, { status: '', page: '', pageSize: '', sort: '', column: '', text: '' }),
    ).toHaveLength(13);
    expect((await bench.items(jobId, { pageSize: '5' })).map(({ row_index: row }) => row)).toEqual([
      ...Array(13).keys(),
    ]);
    const code = async (query: Record<string, string>) => (await bench.call('jobs.items', jobId, { query })).body.code;
    expect(await code({ page: '2' })).toBe('page_without_cursor');
    expect(await code({ sort: 'price' })).toBe('sort_unknown');
    expect(await code({ sort: 'updated_at', status: 'DONE' })).toBe('status_not_pending');
    expect(await code({ statuses: 'LOST' })).toBe('item_statuses_unknown');
    expect(await code({ after: 'x' })).toBe('cursor_malformed');
  });

  it('belongs to who submitted it: another user of the tenant gets the answer of a missing id, admins see it', async () => {
    const other = await buildUser(bench.db, bench.admin.tenantId, 'user');
    const missing = '0192f0c1-2345-7abc-8def-0123456789ab';
    const item = (await bench.items(jobId))[0].id;
    const operations = [
      ['jobs.show', {}],
      ['jobs.items', {}],
      ['jobs.item', { params: { item_id: item } }],
      ['jobs.correct', { params: { item_id: item }, body: { cells: {} } }],
      ['jobs.kickoff', { query: { durationMs: '10' } }],
      ['jobs.pause', {}],
      ['jobs.resume', {}],
      ['jobs.reprocess', { body: {} }],
      ['jobs.export', {}],
      ['jobs.remove', {}],
    ] as const;
    for (const [operation, more] of operations) {
      const [theirs, none] = [
        await bench.call(operation, jobId, { ...more, as: other }),
        await bench.call(operation, missing, { ...more, as: other }),
      ];
      expect([operation, theirs.status, theirs.body.code]).toEqual([operation, 404, 'job_not_found']);
      expect(
        JSON.stringify(theirs.body)
          .replaceAll(jobId, missing)
          .replace(/"correlation_id":"[^"]*"/, ''),
      ).toBe(JSON.stringify(none.body).replace(/"correlation_id":"[^"]*"/, ''));
      expect((await bench.call('jobs.show', jobId, { as: bench.user })).status).toBe(200);
    }
    const list = async (as: { token: string }, query: Record<string, string> = {}) =>
      (await bench.api.call('jobs.list', { as, query })).json();
    expect((await list(other)).data).toEqual([]);
    expect((await list(bench.user)).data.map((job: { jobId: string }) => job.jobId)).toContain(jobId);
    expect((await list(bench.admin)).data.map((job: { jobId: string }) => job.jobId)).toContain(jobId);
    expect((await list(other, { userId: 'all' })).code).toBe('only_own_jobs');
    expect((await bench.api.call('pending.list', { as: other, query: { userId: 'all' } })).json().code).toBe(
      'only_own_jobs',
    );
  });
});

it('the figures have the names of the specification, of the tenant at /api/metrics and of all at /metrics', async () => {
  const { items } = (await bench.api.call('system.metrics', { as: bench.admin.token })).json();
  expect(items).toMatchObject({ pending_count: 0, queue_depth: 0, jobs_open: 0 });
  for (const name of ['error_rate', 'not_found_rate', 'ingest_ms', 'items_sec', 'db_latency_ewma'])
    expect([name, items[name] > 0]).toEqual([name, true]);
  expect(items.pool_wait_ms).toBeGreaterThanOrEqual(0);
  expect(items.api_throttle_rate).toEqual({ catalog: 0 });
  const stranger = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
  const { items: theirs } = (await bench.api.call('system.metrics', { as: stranger.token })).json();
  expect(theirs).toMatchObject({ error_rate: null, ingest_ms: null, api_throttle_rate: {} });
  const { body } = await bench.api.server.inject('/metrics');
  for (const name of [
    'ingest_ms_count',
    'items_sec',
    'error_rate',
    'not_found_rate',
    'db_latency_ewma',
    'pool_wait_ms',
    'queue_depth',
    'pending_count',
    'api_throttle_rate{provider="catalog"}',
  ])
    expect(body).toMatch(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} `, 'm'));
});

it('the end of a job is told once, with the fates of its items', async () => {
  const { rows } = await bench.db.admin.query(
    `select data from engine.events where run_id = $1 and type = 'items.completed'`,
    [jobId],
  );
  expect(rows).toMatchObject([
    { data: { job_id: jobId, total_items: 13, done_items: 9, not_found_items: 2, error_items: 1, skipped_items: 1 } },
  ]);
});

describe('an export', () => {
  it.each(['csv', 'xlsx'] as const)(
    'as %s holds every item in the order of the grid, cell for cell',
    async (format) => {
      const { status, body } = await bench.call('jobs.export', jobId, { query: { format }, as: bench.user });
      expect([status, body.rows]).toEqual([201, 13]);
      const file = await download(body.export_id);
      const job = await bench.job(jobId);
      const columns = sheetColumns(job.input_columns, job.output_columns);
      const grid = (await bench.items(jobId)).map((item) => {
        const row = { ...item, input_json: item.input, corrections: null, result_json: item.result };
        return columns.map(({ cell, type }) => (format === 'csv' ? cellText(cell(row)) : cellValue(cell(row), type)));
      });
      const rows = format === 'csv' ? csvRows(file.toString('utf8')) : await xlsxRows(file);
      expect(rows[0]).toEqual(columns.map(({ title }) => title));
      expect(rows.slice(1)).toEqual(grid);
    },
  );

  it('can be downloaded in parts', async () => {
    const { export_id: exportId, bytes } = (await bench.call('jobs.export', jobId, { query: { format: 'csv' } })).body;
    const whole = await download(exportId);
    expect(whole.length).toBe(bytes);
    const [first, rest, last] = [
      await download(exportId, 'bytes=0-9'),
      await download(exportId, 'bytes=10-'),
      await download(exportId, 'bytes=-5'),
    ];
    expect(Buffer.concat([first, rest]).equals(whole)).toBe(true);
    expect(last.equals(whole.subarray(-5))).toBe(true);
    const beyond = await raw(exportId, `bytes=${bytes}-`);
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${bytes}`]);
    // Backwards, several, or of another file: the whole.
    for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'rows=1-2'])
      expect((await raw(exportId, range)).rawPayload.length).toBe(bytes);
    const etag = String((await raw(exportId)).headers.etag);
    expect((await raw(exportId, 'bytes=0-9', etag)).rawPayload.length).toBe(10);
    expect((await raw(exportId, 'bytes=0-9', '"another"')).rawPayload.length).toBe(bytes);
  });

  const raw = (exportId: string, range?: string, ifRange?: string) =>
    bench.api.server.inject({
      method: 'GET',
      url: `/api/jobs/${jobId}/exports/${exportId}`,
      headers: {
        authorization: `Bearer ${bench.user.token}`,
        ...(range === undefined ? {} : { range }),
        ...(ifRange === undefined ? {} : { 'if-range': ifRange }),
      },
    });
  async function download(exportId: string, range?: string): Promise<Buffer> {
    const answer = await raw(exportId, range);
    expect(answer.statusCode).toBe(range === undefined ? 200 : 206);
    return answer.rawPayload;
  }

  it('guards cells that a spreadsheet would run', async () => {
    const evil = await bench.submit('SKU,Title\n=1+1,"@SUM(A1)"\n', withSample);
    await bench.ended(evil);
    const { export_id: exportId } = (await bench.call('jobs.export', evil, { query: { format: 'csv' } })).body;
    const answer = await bench.api.server.inject({
      method: 'GET',
      url: `/api/jobs/${evil}/exports/${exportId}`,
      headers: { authorization: `Bearer ${bench.admin.token}` },
    });
    expect(answer.body).toContain(`'=1+1`);
    expect(answer.body).toContain(`'@SUM(A1)`);
  });
});

describe('what people do to a job', () => {
  it('a corrected cell is laid over the original, and the item is processed again', async () => {
    const [, , , , , , , , , teapot] = await bench.items(jobId);
    const { status, body } = await bench.call('jobs.correct', jobId, {
      params: { item_id: teapot.id },
      body: { cells: { Article: 'CUP-0006' } },
      as: bench.user,
    });
    expect([status, body.corrected]).toEqual([200, ['Article']]);
    const job = await bench.ended(jobId);
    expect([job.done_items, job.not_found_items]).toEqual([10, 1]);
    const item = (await bench.call('jobs.item', jobId, { params: { item_id: teapot.id } })).body;
    expect(item).toMatchObject({
      status: 'DONE',
      result: { match: 'sku', sku: 'CUP-0006' },
      original: { Article: '' },
      normalized: { sku: 'CUP-0006' },
    });
    expect(item.record.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['FOUND', 'NOT_FOUND']);
    const unknown = await bench.call('jobs.correct', jobId, {
      params: { item_id: teapot.id },
      body: { cells: { Nope: 'x' } },
    });
    expect(unknown.body.code).toBe('correction_invalid');
    // The receipt of the first run is still confirmed: what came later is not its own.
    expect(await bench.engine.verify(bench.admin.tenantId, jobId)).toMatchObject({ agrees: true });
    expect(await bench.engine.verify(bench.admin.tenantId, job.run_id)).toMatchObject({ agrees: true });
  });

  it('reprocessing starts the named items again, once however often it is asked for, and keeps their record', async () => {
    const items = await bench.items(jobId, { status: 'ERROR' });
    const body = { scope: 'items', itemIds: [items[0].id] };
    const [first, second] = await Promise.all([
      bench.call('jobs.reprocess', jobId, { body }),
      bench.call('jobs.reprocess', jobId, { body }),
    ]);
    expect([first.status, second.status]).toEqual([202, 202]);
    const job = await bench.ended(jobId);
    expect(job).toMatchObject({ queue_state: 'DONE', error_items: 1, processed_items: 13 });
    const item = (await bench.call('jobs.item', jobId, { params: { item_id: items[0].id } })).body;
    expect(item.attempts).toBe(1);
    expect(item.record.length).toBeGreaterThanOrEqual(2);
  });

  it('a deleted job is gone with its items, and so are its pending entries', async () => {
    const gone = await bench.submit('SKU\nKET-1700\n', withSample);
    await bench.ended(gone);
    expect((await bench.call('jobs.remove', gone)).status).toBe(204);
    expect((await bench.call('jobs.show', gone)).body.code).toBe('job_not_found');
    for (const table of [
      'job_items',
      'item_pieces',
      'item_attempts',
      'item_slice_attempts',
      'search_events',
      'item_exports',
    ]) {
      const { rows } = await bench.db.admin.query(`select from ${table} where job_id = $1`, [gone]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });

  it('what was stored while a job was deleted goes with it, and nothing can be stored after that', async () => {
    const gone = await bench.submit('SKU\nKET-1700\n', withSample);
    await bench.ended(gone);
    const { tenantId } = bench.admin;
    const target = { jobId: gone, tenantId, runId: gone, userId: null, jobType: 'csv' };
    const store = (i: number) =>
      withTenant(bench.db.app, { tenantId, role: 'items_worker' }, async (tx) => {
        const at = await holdJob(tx, gone);
        await insertItems(tx, target, { at, rows: [{ i, l: i, c: '{}', n: null, f: null }] });
      });
    await store(7);
    // Its items had been deleted when that row came.
    await withTenant(bench.db.app, { tenantId, role: 'millrace_app' }, (tx) => deleteJob(tx, gone));
    expect((await bench.db.admin.query('select from job_items where job_id = $1', [gone])).rows).toEqual([]);
    expect((await bench.db.admin.query('select from item_pieces where job_id = $1', [gone])).rows).toEqual([]);
    await expect(store(8)).rejects.toMatchObject({ code: 'job_not_found' });
    expect((await bench.db.admin.query('select from job_items where job_id = $1', [gone])).rows).toEqual([]);
  });
});

describe('bad input', () => {
  it('is refused before there is a job, or ends with a reason', async () => {
    const code = async (text: string, fields: Record<string, string>) =>
      (await bench.upload('/api/jobs', text, 'rows.csv', { fields })).body.code;
    expect(await code('a\n1\n', { processor: 'nobody' })).toBe('processor_unknown');
    const stranger = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
    const none = await bench.upload('/api/jobs', 'a\n1\n', 'rows.csv', { as: stranger });
    expect(none.body.code).toBe('processor_options_invalid');
    expect(await code('a\n1\n', { catalog: 'nowhere' })).toBe('catalog_not_found');
    expect(await code('a\n1\n', { catalog: 'sample', options: 'x' })).toBe('processor_options_invalid');
    const empty = await bench.submit('SKU,Title\n', withSample);
    expect(await bench.ended(empty)).toMatchObject({ queue_state: 'FAILED', total_items: 0 });
    const nothing = await bench.call('jobs.export', empty, { query: { format: 'csv' } });
    expect([nothing.status, nothing.body.code, nothing.body.detail]).toEqual([
      409,
      'job_not_read',
      expect.stringMatching(/holds no rows/),
    ]);
  });

  it('an unreadable line is an item with an error, and the rest is processed', async () => {
    const rows = ['SKU,Title', 'KET-1700,Kettle', 'BLN-0900,Blender', 'LED-0806,Bulb', 'TOA-0200,"Toaster'];
    const job = await bench.ended(await bench.submit(rows, { ...withSample, on_doubt: 'proceed' }));
    expect([job.queue_state, job.last_error, job.total_items, job.done_items, job.error_items]).toEqual([
      'DONE',
      null,
      4,
      3,
      1,
    ]);
    expect((await bench.items(job.jobId))[3]).toMatchObject({ status: 'ERROR', error_code: 'parse_error' });
  });

  it('a row of 5 MB is refused alone, with the reason and its beginning, wherever it stands; the rows around it are processed', async () => {
    const long = 'x'.repeat(5_000_000);
    const rows = Array.from({ length: 3_000 }, (_, at) => `A-${at},Lamp`);
    const files: readonly (readonly [string, readonly string[]])[] = [
      ['rows.csv', ['SKU,Title', `A-LONG,${long}`, 'KET-1700,Kettle']],
      ['rows.csv', ['SKU,Title', 'KET-1700,Kettle', ...rows, `A-LONG,${long}`, 'BLN-0900,Blender']],
      ['rows.csv', ['SKU,Title', 'KET-1700,Kettle', `A-LONG,"${'two\nlines'.repeat(500_000)}"`, 'BLN-0900,Blender']],
      [
        'rows.ndjson',
        [{ SKU: 'KET-1700' }, { SKU: 'A-LONG', Title: long }, { SKU: 'BLN-0900' }].map((row) => JSON.stringify(row)),
      ],
    ];
    for (const [name, lines] of files) {
      const fields = { ...withSample, on_doubt: 'proceed' };
      const { body } = await bench.upload('/api/jobs', lines.join('\n'), name, { fields });
      const job = await bench.ended(body.jobId);
      expect(job).toMatchObject({ queue_state: 'DONE', error_items: 1 });
      expect(job.done_items).toBeGreaterThan(0);
      const [refused] = await bench.items(job.jobId, { status: 'ERROR' });
      expect(refused).toMatchObject({ error_code: 'cell_too_large', input: { SKU: 'A-LONG' } });
      expect([refused.last_error, refused.input.Title.length]).toEqual([
        expect.stringMatching(/^The row has [45]\d{6} bytes; 1048576 are the most/),
        2_000,
      ]);
    }
  });

  it('a line without end is no row: its job ends with the reason, the rows before it stay, and whoever wants them processed is told why they are not', async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => `A-${at},${at === 2_500 ? 'x'.repeat(20_000_000) : 'Lamp'}`);
    const job = await bench.ended(await bench.submit(['SKU,Title', ...rows], withSample));
    expect(job).toMatchObject({ queue_state: 'FAILED', processed_items: 0 });
    expect(job.total_items).toBeGreaterThan(0);
    const { body: page } = await bench.call('jobs.items', job.jobId, { query: { pageSize: '1' } });
    const [item] = page.data;
    const asked = [
      ['jobs.reprocess', { body: { statuses: ['PENDING'] } }],
      ['jobs.kickoff', {}],
      ['jobs.correct', { params: { item_id: item.id }, body: { cells: { Title: 'Chair' } } }],
    ] as const;
    for (const [operation, more] of asked) {
      const { status, body } = await bench.call(operation, job.jobId, more);
      expect([operation, status, body.code]).toEqual([operation, 409, 'job_not_read']);
      expect(body.detail).toMatch(/longer than 16777216 bytes/);
    }
  });

  it('a file with a million columns ends with the reason, and no row is stored', async () => {
    const line = Array.from({ length: 1_000_000 }, (_, at) => `c${at}`).join(',');
    const job = await bench.ended(await bench.submit(`${line}\n${line}\n`, withSample));
    expect(job).toMatchObject({ queue_state: 'FAILED', total_items: 0 });
    expect(job.last_error).toMatch(/columns/);
  });

  it('a job whose every item is an error has failed', async () => {
    const job = await bench.ended(await bench.submit(['EAN', '4006381333932'], withSample));
    expect(job).toMatchObject({ queue_state: 'FAILED', error_items: 1 });
    expect(job.last_error).toMatch(/Every one of the 1 items/);
  });

  it('a catalogue that was deleted is told by every item, and another upload of its name is a new version', async () => {
    const made = await bench.upload('/api/catalogs', 'SKU,Title\nA-1,Lamp\n', 'mine.csv', { fields: { name: 'mine' } });
    expect([made.status, made.body.version, made.body.rows]).toEqual([201, 1, 1]);
    const again = await bench.upload('/api/catalogs', 'SKU,Title\nA-1,Lamp\n', 'mine.csv', {
      fields: { name: 'mine' },
    });
    expect(again.body.version).toBe(2);
    const mine = await bench.submit('SKU\nA-1\n', { catalog: 'mine' });
    expect(await bench.ended(mine)).toMatchObject({ done_items: 1, catalog: 'mine v2' });
    expect(
      (await bench.api.call('catalogs.remove', { as: bench.admin, params: { catalog_id: again.body.catalog_id } }))
        .statusCode,
    ).toBe(204);
    await bench.call('jobs.reprocess', mine, { body: { statuses: ['DONE'] } });
    await waitFor(async () => (await bench.items(mine))[0].error_code === 'catalog_gone', {
      what: 'the item to say so',
    });
    expect((await bench.upload('/api/catalogs', 'Colour\nred\n', 'x.csv')).body.code).toBe('catalog_unusable');
  });

  it('a tenant sees nothing of another', async () => {
    const stranger = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
    expect((await bench.call('jobs.show', jobId, { as: stranger })).body.code).toBe('job_not_found');
  });
});

/** Our own quoting, undone. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  for (const line of text
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .slice(0, -1)) {
    const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((match) => match[1] ?? '');
    if (!line.endsWith(',')) cells.pop();
    rows.push(cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)));
  }
  return rows;
}

async function xlsxRows(bytes: Buffer): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { values } of streamXlsxRows(bytes)) rows.push([...values]);
  const width = rows[0]?.length ?? 0;
  return rows.map((row) => Array.from({ length: width }, (_, index) => row[index] ?? null));
}
