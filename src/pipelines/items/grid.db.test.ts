// What the filters of the grid find: statuses against a model, and texts as they stand in its cells.
import { beforeAll, describe, expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';
import { itemStatuses } from '../../contract/pipelines/items/item-statuses.ts';
import { uuidv7 } from '../../platform/ids.ts';

const bench = useItems();

describe('the filter by status', () => {
  let job: string;

  /** 400 rows of every status in no order that a page knows; rows 300 to 340 are in a slice that is at work, rows behind were never claimed. */
  beforeAll(async () => {
    job = uuidv7();
    const { tenantId } = bench.admin;
    await bench.db.admin.query(
      `insert into item_jobs (job_id, tenant_id, file_name, job_type, processor, processor_version, latest_run_id, ingested_at, total_items, next_row)
       values ($1, $2, 'rows.csv', 'csv', 'catalog', 1, $1, engine.now(), 400, 340)`,
      [job, tenantId],
    );
    await bench.db.admin.query(
      `insert into job_items (tenant_id, job_id, job_type, row_index, input_json, status, next_attempt_at, locked_by, locked_at, lock_expires_at)
       select $2, $1, 'csv', n, jsonb_build_object('n', n::text), s.status,
              case when s.status = 'PENDING' and n < 300 then engine.now() end,
              case when s.status = 'PROCESSING' then 'worker' end, case when s.status = 'PROCESSING' then engine.now() end,
              case when s.status = 'PROCESSING' then engine.now() end
       from generate_series(0, 399) n
       cross join lateral (select case when n >= 300 then 'PENDING' when n % 97 = 5 then 'SKIPPED' else ($3::text[])[n * 31 % 5 + 1] end as status) s`,
      [job, tenantId, ['DONE', 'ERROR', 'NOT_FOUND', 'PENDING', 'PROCESSING']],
    );
    await bench.db.admin.query(
      `insert into item_slices (tenant_id, job_id, from_row, to_row, locked_by, lock_expires_at)
       values ($2, $1, 300, 340, 'other', engine.now() + interval '1 hour')`,
      [job, tenantId],
    );
  });

  it('gives of any statuses every item once, in the order of the file, page by page', async () => {
    const all = (await bench.items(job, { pageSize: '500' })).map(({ row_index, status }) => ({ row_index, status }));
    expect(all).toHaveLength(400);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(itemStatuses));
    expect(all.slice(300).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 40 }, () => 'PROCESSING'),
      ...Array.from({ length: 60 }, () => 'PENDING'),
    ]);
    for (let choice = 1; choice < 2 ** itemStatuses.length; choice += 1) {
      const wanted = itemStatuses.filter((_, bit) => (choice & (2 ** bit)) !== 0);
      // Pages that hold less than a status has, and pages that do not.
      const pageSize = wanted.length < 3 ? '33' : '150';
      const found = await bench.items(job, { statuses: wanted.join(), pageSize });
      expect([wanted, found.map(({ row_index, status }) => ({ row_index, status }))]).toEqual([
        wanted,
        all.filter(({ status }) => wanted.includes(status)),
      ]);
    }
  });

  it('begins where the cursor or the row says, also within a status', async () => {
    const { body } = await bench.call('jobs.items', job, {
      query: { statuses: 'ERROR,SKIPPED', afterRow: '150', pageSize: '500' },
    });
    const rows = body.data.map(({ row_index: row }: { row_index: number }) => row);
    expect(Math.min(...rows)).toBeGreaterThan(150);
    expect(rows).toEqual([...rows].sort((one, other) => one - other));
  });

  it('looks again at the items that are named, and refuses names that are none', async () => {
    const items = await bench.items(job, { pageSize: '500' });
    const ids = [items[350].id, items[7].id, items[310].id];
    const ask = (query: Record<string, string>) => bench.call('jobs.items', job, { query });
    const { body } = await ask({ ids: ids.join(), pageSize: '1' });
    expect([body.data.map(({ row_index: row }: { row_index: number }) => row), body.next]).toEqual([
      [7, 310, 350],
      null,
    ]);
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual([
      items[7].status,
      'PROCESSING',
      'PENDING',
    ]);
    expect((await ask({ ids: 'one' })).body.code).toBe('request_invalid');
    expect((await ask({ ids: Array(501).fill('1').join() })).body.code).toBe('request_invalid');
    const other = await bench.submit('SKU\nKET-1700\n', { catalog: 'sample' });
    expect((await bench.call('jobs.items', other, { query: { ids: ids.join() } })).body.data).toEqual([]);
  });
});

describe('the filter by text', () => {
  const cells = ['a 19" screen', 'C:\\temp', 'two\nlines', 'GRÜNE Öfen', '100 % of_it', 'plain remark'] as const;
  let job: string;
  beforeAll(async () => {
    const lines = cells.map((text, at) => `${at},"${text.replaceAll('"', '""')}"`);
    job = await bench.submit(['No,Remark', ...lines].join('\n'), { catalog: 'sample' });
    await bench.ended(job);
  });
  const rows = async (text: string, column?: string) =>
    (await bench.items(job, { text, ...(column === undefined ? {} : { column }) })).map(({ row_index: row }) => row);

  it.each([
    ['19" SCREEN', [0]],
    ['c:\\TEMP', [1]],
    ['two\nlines', [2]],
    ['grüne öfen', [3]],
    ['ÖFEN', [3]],
    ['% of_', [4]],
    ['%of', []],
  ])('finds %j as it stands in a cell, whatever its case, in any column and in one', async (text, found) => {
    expect(await rows(text)).toEqual(found);
    expect(await rows(text, 'Remark')).toEqual(found);
  });

  it('takes the name of a column for no text, and finds the reason, which stands in the grid', async () => {
    expect(await rows('remark')).toEqual([5]);
    expect(await rows('neither sku nor gtin')).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('finds a corrected cell by what it is now, not by what it was', async () => {
    const [, , , , , last] = await bench.items(job);
    await bench.call('jobs.correct', job, { params: { item_id: last.id }, body: { cells: { Remark: 'corrected' } } });
    await bench.ended(job);
    expect([await rows('corrected'), await rows('plain')]).toEqual([[5], []]);
    expect([await rows('corrected', 'Remark'), await rows('plain', 'Remark')]).toEqual([[5], []]);
  });
});
