// The rows of a file by how they ended: each segment of a receipt leads to exactly its rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../test/support/ads.ts';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';

const db = useDatabase();
const api = useApi(db);
let bench: AdsBench;
let admin: TestUser;
let stranger: TestUser;
let first = '';
let second = '';
let stopped = '';
let counted: Readonly<Record<string, number>> = {};

const header =
  'Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Day,Amount spent (USD),Impressions,Clicks (all)';
const row = (ad: string, day: string, spend: string) => `Spring,1201,Lookalike,2201,${ad},${ad},${day},${spend},100,7`;

beforeAll(async () => {
  bench = await openAdsBench(db.appUrl);
  await bench.engine.start();
  const tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  stranger = await buildUser(db, await buildTenant(db), 'admin');
  const newer = [header, row('3209', '2026-01-05', '99')].join('\n');
  await bench.ingest(tenantId, newer, { filename: 'newer.csv', reported_at: '2026-01-20T00:00:00Z' });
  const one = [
    row('3201', '2026-01-05', '10.50'),
    row('3202', '2026-01-05', '4.25'),
    row('3201', '2026-01-05', '10.50'),
  ];
  first = (
    await bench.ingest(tenantId, [header, ...one].join('\n'), {
      filename: 'one.csv',
      reported_at: '2026-01-07T00:00:00Z',
    })
  ).id;
  const two = [
    row('3201', '2026-01-05', '11.00'),
    row('3202', '2026-01-05', '4.25'),
    row('3209', '2026-01-05', '1'),
    row('3203', '2026-01-05', '7'),
    row('3203', '2026-01-06', 'many'),
  ];
  const run = await bench.ingest(tenantId, [header, ...two].join('\n'), {
    filename: 'two.csv',
    reported_at: '2026-01-09T00:00:00Z',
    force_partial: true,
  });
  stopped = (await bench.ingest(tenantId, [header, ...two].join('\n'), { filename: 'three.csv' })).id;
  second = run.id;
  counted = (run.receipt as { outcomes: Record<string, number> }).outcomes;
});

afterAll(() => bench.close());

interface Page {
  readonly data: {
    row: number;
    line: number;
    outcome: string;
    cells: Record<string, string | null>;
    stored_id: string;
  }[];
  readonly next: string | null;
  readonly kept: boolean;
}

const rowsOf = async (runId: string, query: Record<string, string> = {}): Promise<Page> =>
  (await api.call('runs.rows', { as: admin, params: { run_id: runId }, query })).json();

describe('the rows of a file', () => {
  it('come in file order, each with how it ended; refused rows are not among them', async () => {
    const { data, kept } = await rowsOf(second);
    expect(data.map(({ line, outcome }) => [line, outcome])).toEqual([
      [2, 'updated'],
      [3, 'unchanged'],
      [4, 'stale'],
      [5, 'inserted'],
    ]);
    expect(kept).toBe(true);
    expect(data[0]?.cells).toMatchObject({ metric_date: '2026-01-05', campaign: 'Spring', ad: '3201', spend: '11' });
  });

  it('are as many per outcome as the receipt counts, and lead to the stored number', async () => {
    for (const outcome of ['inserted', 'updated', 'unchanged', 'stale']) {
      const { data } = await rowsOf(second, { outcome });
      expect({ [outcome]: data.length }).toEqual({ [outcome]: counted[outcome] });
      expect(data.every((each) => each.outcome === outcome && each.stored_id.startsWith('2026-01-05.'))).toBe(true);
    }
  });

  it('hold the lines that repeat an earlier one', async () => {
    expect((await rowsOf(first, { outcome: 'superseded' })).data).toMatchObject([{ line: 4, outcome: 'superseded' }]);
    expect((await rowsOf(first, { outcome: 'merged' })).data).toEqual([]);
  });

  it('leave out a row that the database refused and the lines added to it: those are rejects, as the receipt counts them', async () => {
    const parts = [
      'Day,Campaign name,Campaign ID,Device,Amount spent (USD),Impressions',
      '2026-02-01,Parts,5005,Mobile,1,10',
      '2026-02-02,Parts,5005,Mobile,600,10',
      '2026-02-01,Parts,5005,Desktop,2,10',
      '2026-02-02,Parts,5005,Desktop,66,10',
    ];
    await db.admin.query('alter table daily_metric_rows add constraint no_666 check (spend <> 666)');
    const { id, receipt } = await bench.ingest(admin.tenantId, parts.join('\n'), { force_partial: true });
    await db.admin.query('alter table daily_metric_rows drop constraint no_666');
    expect(receipt?.outcomes).toEqual({ inserted: 1, merged: 1, rejected: 2 });
    const { data } = await rowsOf(id);
    expect(data.map(({ line, outcome }) => [line, outcome])).toEqual([
      [2, 'inserted'],
      [4, 'merged'],
    ]);
    const refused = await api.call('rejects.list', { as: admin, params: { run_id: id } });
    expect(refused.json<{ data: { line: number }[] }>().data.map(({ line }) => line)).toEqual([3, 5]);
  });

  it('are paged without repeating or skipping one, over outcomes that alternate', async () => {
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const page: Page = await rowsOf(first, { limit: '1', ...(after === null ? {} : { after }) });
      seen.push(...page.data.map(({ line }) => line));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual([2, 3, 4]);
  });

  it('that the gate held back are there too', async () => {
    const { data } = await rowsOf(stopped, { outcome: 'held_back' });
    expect(data.map(({ line, outcome }) => [line, outcome])).toEqual([2, 3, 4, 5].map((line) => [line, 'held_back']));
    expect((await rowsOf(second, { outcome: 'held_back' })).data).toEqual([]);
  });

  it('of another tenant do not exist', async () => {
    const answer = await api.call('runs.rows', { as: stranger, params: { run_id: second } });
    expect(answer.statusCode).toBe(404);
  });
});
