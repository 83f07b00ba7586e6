// What one insert of rows holds at most, and what a file may bring into it.
import { describe, expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';
import { withTenant } from '../../platform/database.ts';
import { insertItems } from './sql/insert-items.ts';

const rows = Array.from({ length: 400 }, (_, at) => `S-${at},Lamp ${at}`);

/** Rows of each insert, first to last. */
async function inserts(bench: ReturnType<typeof useItems>, jobId: string): Promise<{ rows: number; bytes: number }[]> {
  const { rows: found } = await bench.db.admin.query(
    `select count(*)::int as rows, sum(octet_length(i.input_json::text))::int as bytes
     from item_pieces p join job_items i on i.job_id = p.job_id and i.row_index >= p.from_row and i.row_index < p.to_row
     where p.job_id = $1 group by p.from_row order by p.from_row`,
    [jobId],
  );
  return found;
}

const bench = useItems({ settings: { ingestMinRows: 10, ingestMaxRows: 25 } });

describe('inserts', () => {
  it('never hold more than the most, however many are read at once', async () => {
    const job = await bench.ended(await bench.submit(['SKU,Title', ...rows], { catalog: 'sample' }));
    expect(job).toMatchObject({ queue_state: 'DONE', total_items: 400 });
    const made = await inserts(bench, job.jobId);
    expect(Math.max(...made.map((each) => each.rows))).toBeLessThanOrEqual(25);
    expect(made.reduce((sum, each) => sum + each.rows, 0)).toBe(400);
  });

  it('hold copies among their rows, which are skipped with the row that came first', async () => {
    const copies = rows.flatMap((row, at) => (at % 3 === 0 ? [row, row] : [row]));
    const job = await bench.ended(await bench.submit(['SKU,Title', ...copies], { catalog: 'sample' }));
    expect(job).toMatchObject({ total_items: 534, skipped_items: 134 });
    expect(Math.max(...(await inserts(bench, job.jobId)).map((each) => each.rows))).toBeLessThanOrEqual(25);
  });
});

it('a row that only looks like a copy, by its fingerprint, is processed like any other', async () => {
  const job = await bench.ended(await bench.submit(['SKU,Title', 'A,Lamp'], { catalog: 'sample' }));
  const tenantId = bench.admin.tenantId;
  const target = { jobId: job.jobId, tenantId, runId: job.run_id, userId: null, jobType: 'csv' };
  const stored = await withTenant(bench.db.app, { tenantId, role: 'items_worker' }, (tx) =>
    insertItems(tx, target, {
      at: 1,
      rows: [
        { i: 1, l: 3, c: '{"SKU": "B", "Title": "Lamp"}', n: null, f: 7, t: 0 },
        { i: 2, l: 4, c: '{"SKU": "A", "Title": "Lamp"}', n: null, f: 7, t: 0 },
      ],
    }),
  );
  expect(stored).toEqual({ total: 2, errors: 0, skipped: 1 });
});

describe('inserts of wide rows', () => {
  const bench = useItems({ settings: { ingestMaxBatchBytes: 4_096 } });

  it('hold no more bytes than they may, but for the row that goes over', async () => {
    const wide = rows.map((row) => `${row} ${'x'.repeat(600)}`);
    const job = await bench.ended(await bench.submit(['SKU,Title', ...wide], { catalog: 'sample' }));
    expect(job).toMatchObject({ queue_state: 'DONE', total_items: 400 });
    for (const { bytes } of await inserts(bench, job.jobId)) expect(bytes).toBeLessThan(4_096 + 800);
  });
});

describe('cells', () => {
  const bench = useItems();
  const texts = [
    'plain',
    'a "quoted" one',
    'back\\slash',
    'tab\there',
    'two\nlines',
    'bell\u0007',
    'Zürich 東京 🎬',
    '',
    ' ',
  ];

  it('are stored as they stand in the file, quotes, control characters and letters of every length included', async () => {
    const lines = texts.map((text, at) => `${at},"${text.replaceAll('"', '""')}",end`);
    const jobId = await bench.submit(['No,Te"xt,SKU', ...lines].join('\n'), { catalog: 'sample', on_doubt: 'proceed' });
    await bench.ended(jobId);
    const items = await bench.items(jobId);
    expect(items.map(({ input }) => input)).toEqual(
      texts.map((text, at) => ({ No: `${at}`, 'Te"xt': text, SKU: 'end' })),
    );
  });
});
