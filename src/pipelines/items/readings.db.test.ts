// Reading and mapping of a job's file, over HTTP under its run.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { buildUser } from '../../../test/support/api.ts';
import { endOfRun } from '../../../test/support/engine.ts';
import { useItems } from '../../../test/support/items.ts';
import { unstorableFiles } from '../../../test/support/unstorable-files.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { findOpenQuestion } from '../../engine/sql/questions.ts';
import { defineProcessor, found, notFound } from './processors/processor.ts';

/** Finds what has a SKU, and says by which fields it was asked. */
const bySku = defineProcessor({
  name: 'by-sku',
  version: 1,
  title: 'By SKU',
  options: z.strictObject({}),
  output: z.object({ sku: z.string(), brand: z.string() }),
  columns: [{ name: 'sku', title: 'SKU', type: 'text' }],
  strategies: ['exact'],
  async process({ fields }) {
    return fields.sku === undefined
      ? notFound({ isFinal: true })
      : found({ sku: fields.sku, brand: fields.brand ?? '' });
  },
});
const bench = useItems({ processors: [bySku] });
const fields = { processor: 'by-sku', on_doubt: 'proceed' };

const ask = async (operation: 'runs.reading' | 'runs.mapping', runId: string, as: { token: string } = bench.admin) =>
  bench.call(operation, runId, { params: { run_id: runId }, as });
const put = async (operation: 'runs.override' | 'runs.map', runId: string, body: unknown) =>
  bench.call(operation, runId, { params: { run_id: runId }, body });
const endOf = (runId: string) => endOfRun(bench.engine, bench.admin.tenantId, runId);
const statuses = async (jobId: string) => (await bench.items(jobId)).map(({ status }) => status);

it('shows how the file of a job was read and which of its columns is which field, and why', async () => {
  const jobId = await bench.submit(['Price list', '', 'SKU;Titel;Marke', 'A-1;Kettle;Acme', 'A-2;Pot;Acme'], fields);
  await bench.ended(jobId);
  const { status, body: reading } = await ask('runs.reading', jobId);
  expect(status).toBe(200);
  expect(reading).toMatchObject({ upload_id: jobId, delimiter: { value: ';' }, header: ['SKU', 'Titel', 'Marke'] });
  expect(reading.furniture.map(({ line }: { line: number }) => line)).toContain(1);
  expect(reading.sample.map(({ cells }: { cells: string[] }) => cells[0])).toEqual(['A-1', 'A-2']);
  const { body: mapping } = await ask('runs.mapping', jobId);
  expect(mapping).toMatchObject({ pipeline: 'items', version: 0, origin: 'proposed', missing: [] });
  expect(mapping.columns.map(({ field }: { field: string | null }) => field)).toEqual(['sku', null, 'brand']);
  expect(mapping.fields.map(({ name }: { name: string }) => name)).toEqual(['sku', 'gtin', 'brand', 'title', 'price']);
});

it('maps a column by hand: rows that are processed again have the field, and so have later files with the same header', async () => {
  const file = ['Ref.Nr.;Text', 'B-1;Kettle', 'B-2;Pot'];
  const jobId = await bench.submit(file, fields);
  await bench.ended(jobId);
  expect(await statuses(jobId)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  const { status, body } = await put('runs.map', jobId, {
    columns: [{ index: 0, field: 'sku' }],
    constants: { brand: 'Acme' },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ version: 1, origin: 'saved', constants: { brand: 'Acme' } });
  expect((await ask('runs.mapping', jobId)).body).toMatchObject({ version: 1, columns: [{ field: 'sku' }, {}] });
  await bench.call('jobs.reprocess', jobId, { body: { statuses: ['NOT_FOUND'] } });
  await bench.ended(jobId);
  expect((await bench.items(jobId)).map(({ result }) => result)).toEqual([
    { sku: 'B-1', brand: 'Acme' },
    { sku: 'B-2', brand: 'Acme' },
  ]);
  const later = await bench.submit(['Ref.Nr.;Text', 'B-7;Pan'], fields);
  await bench.ended(later);
  expect((await bench.items(later)).map(({ result }) => result)).toEqual([{ sku: 'B-7', brand: 'Acme' }]);
  const tried = await bench.upload('/api/jobs/try', 'Ref.Nr.;Text\nB-8;Pan', 'rows.csv', { fields });
  expect(tried.body.rows[0]).toMatchObject({ normalized: { sku: 'B-8', brand: 'Acme' } });
});

it('keeps the mapping of a job for the cells that somebody corrects', async () => {
  await bench.submit(['Code X;Text', 'C-0;Kettle'], fields).then(async (jobId) => {
    await bench.ended(jobId);
    await put('runs.map', jobId, { columns: [{ index: 0, field: 'sku' }] });
  });
  const jobId = await bench.submit(['Code X;Text', ';Kettle'], fields);
  await bench.ended(jobId);
  const [item] = await bench.items(jobId);
  expect(item.status).toBe('NOT_FOUND');
  await bench.call('jobs.correct', jobId, { params: { item_id: item.id }, body: { cells: { 'Code X': 'C-1' } } });
  await bench.call('jobs.reprocess', jobId, { body: { itemIds: [item.id] } });
  await bench.ended(jobId);
  expect((await bench.items(jobId))[0].result).toEqual({ sku: 'C-1', brand: '' });
});

it('reads a file otherwise while it has no rows, when its run is retried', async () => {
  const jobId = await bench.submit(['SKU;Title', 'D-1;Kettle'], fields);
  await bench.ended(jobId);
  const refused = await put('runs.override', jobId, { header_lines: [] });
  expect([refused.status, refused.body.code]).toEqual([409, 'rows_stored_already']);

  const empty = await bench.submit(['SKU;Title;Brand'], fields);
  expect(await bench.ended(empty)).toMatchObject({ queue_state: 'FAILED', total_items: 0 });
  const { status, body } = await put('runs.override', empty, { header_lines: [] });
  expect([status, body.header_lines.overridden]).toEqual([200, true]);
  const retry = await bench.call('runs.retry', empty, { params: { run_id: empty }, body: {} });
  expect(retry.status).toBe(202);
  const retried = await endOf(retry.body.run_id);
  expect([retried.phase, retried.receipt?.read]).toEqual(['done', 1]);
  expect((await bench.items(empty)).map(({ input }) => Object.values(input))).toEqual([['SKU', 'Title', 'Brand']]);
  expect((await ask('runs.reading', empty)).body).toMatchObject({ header_lines: { value: [], overridden: true } });
});

it('fails a retry for the same reason while the file still has no rows', async () => {
  const empty = await bench.submit(['SKU;Title'], fields);
  await bench.ended(empty);
  const retry = await bench.call('runs.retry', empty, { params: { run_id: empty }, body: {} });
  expect(await endOf(retry.body.run_id)).toMatchObject({ phase: 'failed', error_code: 'empty_file' });
});

it('uses a mapping that is saved while the run asks how to read its file', async () => {
  const rows = ['Aa,Ca,Ea', 'Age,<18,18-24', ...Array.from({ length: 9 }, (_, at) => `North ${at},${at},${at * 7}`)];
  const jobId = await bench.submit(['Groups,Health,Culture', ...rows], { processor: 'by-sku' });
  const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, bench.admin.tenantId, jobId), {
    what: 'the question',
  });
  expect((await put('runs.map', jobId, { columns: [{ index: 0, field: 'sku' }] })).status).toBe(200);
  await bench.call('questions.answer', jobId, {
    params: { question_id: question.question_id },
    body: { choice: 'as_decided' },
  });
  await bench.ended(jobId);
  expect((await bench.items(jobId)).map(({ result }) => result?.sku)).toContain('North 7');
});

it('keeps one entry in the audit log for each change, and none for a look', async () => {
  const jobId = await bench.submit(['Nr E;Text', 'E-1;Kettle'], fields);
  await bench.ended(jobId);
  await ask('runs.reading', jobId);
  await ask('runs.mapping', jobId);
  await put('runs.map', jobId, { columns: [{ index: 0, field: 'sku' }] });
  const { rows } = await bench.db.admin.query<{ action: string }>(
    `select action from public.audit_log where target = $1 and action like 'runs.%'`,
    [jobId],
  );
  expect(rows.map(({ action }) => action)).toEqual(['runs.map']);
});

it('shows neither to somebody else', async () => {
  const jobId = await bench.submit(['SKU;Title', 'F-1;Kettle'], fields, bench.user);
  await bench.ended(jobId);
  const other = await buildUser(bench.db, bench.admin.tenantId, 'user');
  expect((await ask('runs.reading', jobId, bench.user)).status).toBe(200);
  expect((await ask('runs.reading', jobId, other)).body.code).toBe('run_not_found');
  expect((await ask('runs.mapping', jobId, other)).body.code).toBe('run_not_found');
});

it.each(
  unstorableFiles(
    ['sku', 'title'],
    Array.from({ length: 12 }, (_, i) => [`S-${i}`, `Kettle ${i}`]),
  ),
)('replaces what the database cannot hold in $where, and stores the rows', async ({ text, filename }) => {
  const { status, body } = await bench.upload('/api/jobs', text, filename, { fields });
  expect(status).toBe(202);
  await bench.ended(body.jobId);
  expect((await statuses(body.jobId)).filter((each) => each === 'DONE')).toHaveLength(12);
});

it('counts on the receipt what is in doubt and nobody was asked about, and says it in words, also of what stands behind the sample', async () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => `S-${from + i};Kettle;Acme`);
  const file = ['SKU;Titel;Marke', ...rows(0, 1_200), '', 'SKU;Land;Stadt', 'X-1;DE;Aa', 'X-2;DE;Bb', 'X-3;DE;Cc'];
  const jobId = await bench.submit(file, fields);
  await bench.ended(jobId);
  const { receipt } = (await bench.call('runs.show', jobId, { params: { run_id: jobId } })).body;
  expect(receipt.doubts).toEqual({ header_does_not_fit: 1 });
  expect(receipt.in_doubt).toMatchObject([
    { code: 'header_does_not_fit', message: expect.stringContaining('SKU, Land, Stadt'), lines: [1_203] },
  ]);
});

it('stores its rows and processes none of them before somebody has answered for what stands behind the sample', async () => {
  const rows = Array.from({ length: 1_200 }, (_, i) => `H-${i};Kettle;Acme`);
  const file = ['SKU;Titel;Marke', ...rows, '', 'SKU;Land;Stadt', 'X-1;DE;Aa', 'X-2;DE;Bb', 'X-3;DE;Cc'];
  const jobId = await bench.submit(file, { processor: 'by-sku' });
  const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, bench.admin.tenantId, jobId), {
    what: 'the question',
  });
  expect(question.details).toMatchObject({ doubts: [{ code: 'header_does_not_fit', lines: [1_203] }] });
  const held = await statuses(jobId);
  expect([held.length, [...new Set(held)]]).toEqual([held.length, ['PENDING']]);
  const answer = { params: { question_id: question.question_id }, body: { choice: 'as_decided' } };
  expect((await bench.call('questions.answer', jobId, answer)).status).toBe(200);
  await bench.ended(jobId);
  expect([...new Set(await statuses(jobId))]).toEqual(['DONE']);
});

it.each([
  [
    'totals_among_rows',
    ['SKU;Price', 'T-1;10,5', 'T-2;21,25', 'Summe Nord;31,75', 'T-3;44', 'T-4;57', 'Summe Süd;101'],
    ['T-1', 'T-2', 'T-3', 'T-4'],
  ],
  [
    'groups_named_once',
    ['Brand;SKU', 'Acme;C-1', ';C-2', ';C-3', 'Bolt;C-4', ';C-5'],
    ['Acme', 'Acme', 'Acme', 'Bolt', 'Bolt'],
  ],
])(
  'asks about rows that belong together before one of them is stored, and reads them as answered: %s',
  async (code, file, first) => {
    const jobId = await bench.submit(file, { processor: 'by-sku' });
    const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, bench.admin.tenantId, jobId), {
      what: 'the question',
    });
    expect(question.details).toMatchObject({ doubts: [{ code }] });
    expect(await bench.items(jobId)).toEqual([]);
    const answer = { params: { question_id: question.question_id }, body: { choice: 'other_1' } };
    expect((await bench.call('questions.answer', jobId, answer)).status).toBe(200);
    await bench.ended(jobId);
    expect((await bench.items(jobId)).map(({ input }) => Object.values(input)[0])).toEqual(first);
  },
);

it('holds a job whose cells are parted by two signs before a row is stored', async () => {
  const rows = Array.from({ length: 5 }, (_, i) => `D-${i};Kettle,Acme,${i}`);
  const jobId = await bench.submit(['SKU;Title,Brand,Price', ...rows], { processor: 'by-sku' });
  const question = await waitFor(() => findOpenQuestion(bench.engine.pools.control, bench.admin.tenantId, jobId), {
    what: 'the question',
  });
  expect(question.details).toMatchObject({ doubts: [{ code: 'delimiters_mixed' }] });
  expect(await bench.items(jobId)).toEqual([]);
});
