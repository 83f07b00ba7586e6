// Verifying: the receipt counted again from file and tables, and what it says when a row was lost since.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../../test/support/ads.ts';
import { setClockOffset, tamper, useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { cleanStaging } from '../../engine/services/staging-cleaner.ts';
import { silentLog } from '../../platform/log.ts';
import { adsStaging } from './cleanup.ts';

const database = useDatabase();
let bench: AdsBench;
beforeAll(async () => {
  bench = await openAdsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const header = 'Day,Campaign name,Campaign ID,Device,Cost,Impr.,Clicks,Currency code';
const row = (day: number, device: string, cost: string) =>
  `2024-01-${String(day).padStart(2, '0')},Brand,77,${device},${cost},10,1,EUR`;
const first = [
  header,
  ...Array.from({ length: 20 }, (_, i) => row(i + 1, 'Mobile', '1')),
  row(1, 'Desktop', '2'),
  row(2, 'Mobile', '1'),
  row(3, 'Mobile', 'x'),
].join('\n');

describe('verify', () => {
  it('agrees with the receipts of a first load, a restatement and a late file', async () => {
    const tenantId = newTenant();
    const given = (reported_at: string) => ({ platform: 'google' as const, reported_at });
    const loads = [
      await bench.ingest(tenantId, first, given('2024-02-02T00:00:00Z')),
      await bench.ingest(
        tenantId,
        [header, row(1, 'Mobile', '9'), row(4, 'Mobile', '1'), row(28, 'Mobile', '1')].join('\n'),
        given('2024-02-03T00:00:00Z'),
      ),
      await bench.ingest(
        tenantId,
        [header, row(1, 'Mobile', '5'), row(29, 'Mobile', '1')].join('\n'),
        given('2024-02-01T00:00:00Z'),
      ),
    ];
    expect(loads.map(({ receipt }) => receipt?.outcomes)).toEqual([
      { inserted: 20, merged: 1, superseded: 1, rejected: 1 },
      { inserted: 1, updated: 1, unchanged: 1 },
      { inserted: 1, stale: 1 },
    ]);
    for (const { id } of loads) {
      const { differences } = await bench.engine.verify(tenantId, id);
      expect(differences).toEqual([]);
    }
  });

  it('goes by what was stored when the upload was promoted, whatever has been confirmed or restated since', async () => {
    const tenantId = newTenant();
    const given = (day: number) => ({
      platform: 'google' as const,
      reported_at: `2024-02-${day}T00:00:00Z`,
      reported_at_given: true,
    });
    const load = (day: number, ...rows: string[]) => bench.ingest(tenantId, [header, ...rows].join('\n'), given(day));
    const [mobile, desktop] = [row(1, 'Mobile', '1.50'), row(1, 'Desktop', '2.50')];
    const loads = [
      await load(10, mobile, desktop, row(2, 'Mobile', '1')),
      await load(11, mobile, desktop, row(2, 'Mobile', '1')),
      await load(12, mobile, desktop, row(2, 'Mobile', '1')),
      await load(11, mobile, desktop, row(2, 'Mobile', '7')),
      await load(13, mobile, row(2, 'Mobile', '9')),
      await load(14, mobile, desktop, row(2, 'Mobile', '1')),
    ];
    expect(loads.map(({ receipt }) => receipt?.outcomes)).toEqual([
      { inserted: 2, merged: 1 },
      { unchanged: 2, merged: 1 },
      { unchanged: 2, merged: 1 },
      { unchanged: 1, merged: 1, stale: 1 },
      { updated: 2 },
      { updated: 2, merged: 1 },
    ]);
    for (const { id } of loads) expect((await bench.engine.verify(tenantId, id)).differences).toEqual([]);
  });

  it('finds a number counted as unchanged that another upload has brought since', async () => {
    const tenantId = newTenant();
    const load = () => bench.ingest(tenantId, [header, row(1, 'Mobile', '1')].join('\n'), { platform: 'google' });
    await load();
    const { id } = await load();
    await database.admin.query('delete from daily_metrics where workspace_id = $1', [tenantId]);
    await load();
    const { differences } = await bench.engine.verify(tenantId, id);
    expect(differences.slice(0, 2).sort()).toEqual(['lost: receipt 0, recount 1', 'unchanged: receipt 1, recount 0']);
  });

  it('finds a stored row that is gone', async () => {
    const tenantId = newTenant();
    const { id } = await bench.ingest(tenantId, first, { platform: 'google' });
    await database.admin.query(`delete from daily_metrics where run_id = $1 and metric_date = '2024-01-05'`, [id]);
    const { agrees, differences } = await bench.engine.verify(tenantId, id);
    expect([agrees, differences]).toEqual([
      false,
      [
        'inserted: receipt 20, recount 19',
        'lost: receipt 0, recount 1',
        'spend inserted: receipt 20, recount 19',
        'spend lost: receipt 0, recount 1',
        'impressions inserted: receipt 200, recount 190',
        'impressions lost: receipt 0, recount 10',
        'clicks inserted: receipt 20, recount 19',
        'clicks lost: receipt 0, recount 1',
      ],
    ]);
  });

  it('counts every byte of the file again; the database takes no receipt that leaves some out', async () => {
    const tenantId = newTenant();
    const text = `Campaign report\n\n${first}\n`;
    const { id, receipt } = await bench.ingest(tenantId, text, { platform: 'google' });
    const bytes = { all: Buffer.byteLength(text), title: 16, blank: 1, header: header.length + 1 };
    expect(receipt?.content).toEqual({ bytes: { ...bytes, row: bytes.all - 17 - bytes.header } });
    const forge = (path: string, value: number) =>
      database.admin.query(
        `update engine.runs set receipt = jsonb_set(receipt, $2::text[], to_jsonb($3::int)) where id = $1`,
        [id, path, value],
      );
    await expect(forge('{content,bytes,title}', 15)).rejects.toMatchObject({ code: '23514' });
    // Adds up, and is not the file.
    await expect(
      database.admin.query(
        `update engine.runs set receipt = receipt || '{"content": {"bytes": {"all": 5, "row": 5}}}' where id = $1`,
        [id],
      ),
    ).rejects.toMatchObject({ code: '23514' });
    // Says nothing at all of the file.
    await expect(
      database.admin.query(`update engine.runs set receipt = receipt - 'content' where id = $1`, [id]),
    ).rejects.toMatchObject({
      code: '23514',
      message: expect.stringContaining('does not say what its file consists of'),
    });
    expect((await bench.engine.verify(tenantId, id)).differences).toEqual([]);
    await tamper(
      database.admin,
      `update engine.runs set receipt = jsonb_set(jsonb_set(receipt, '{content,bytes,title}', '15'), '{content,bytes,blank}', '2')
       where id = $1`,
      [id],
    );
    expect((await bench.engine.verify(tenantId, id)).differences).toEqual([
      'bytes of blank: receipt 2, recount 1',
      'bytes of title: receipt 15, recount 16',
    ]);
  });

  it('finds a stored number that says something else than the file', async () => {
    const tenantId = newTenant();
    const { id, receipt } = await bench.ingest(tenantId, first, { platform: 'google' });
    // The row of the first of January holds two devices: 1 and 2.
    expect(receipt?.totals).toMatchObject({
      spend: { file: '23', outcomes: { inserted: '20', merged: '2', superseded: '1' } },
    });
    await database.admin.query(
      `alter table daily_metric_rows disable trigger user;
       update daily_metrics set spend = 3.5 where run_id = '${id}' and metric_date = '2024-01-01';
       alter table daily_metric_rows enable trigger user`,
    );
    const { differences } = await bench.engine.verify(tenantId, id);
    expect(differences).toEqual(['spend inserted: receipt 20, recount 20.5']);
  });

  it('recounts an upload that the gate held back, its money included: folded, repeated and refused lines too', async () => {
    const tenantId = newTenant();
    const lines = [
      row(1, 'Mobile', '1.10'),
      row(1, 'Desktop', '2.20'),
      row(1, 'Mobile', '1.10'),
      row(2, 'Mobile', 'x'),
      row(3, 'Mobile', '4'),
    ];
    const file = [header, ...lines, 'Total: Account,,,,8.40,50,5,'].join('\n');
    const { id, status, receipt } = await bench.ingest(tenantId, file, { platform: 'google' });
    expect(status).toBe('failed');
    expect(receipt).toMatchObject({
      read: 5,
      outcomes: { held_back: 4, rejected: 1 },
      totals: {
        spend: { file: '8.4', outcomes: { held_back: '8.4', rejected: '0' }, declared: '8.4', declared_agrees: true },
      },
    });
    expect(Object.keys(receipt?.totals ?? {}).sort()).toEqual(['clicks', 'impressions', 'spend']);
    expect((await bench.engine.verify(tenantId, id)).differences).toEqual([]);
  });

  it('sees that the receipt of an upload held back says other money than the file', async () => {
    const tenantId = newTenant();
    const file = [header, row(1, 'Mobile', '1'), row(2, 'Mobile', 'x')].join('\n');
    const { id } = await bench.ingest(tenantId, file, { platform: 'google' });
    await tamper(
      database.admin,
      `update engine.runs set receipt = jsonb_set(receipt, '{totals,spend,outcomes,held_back}', '"2"') where id = $1`,
      [id],
    );
    expect((await bench.engine.verify(tenantId, id)).differences).toEqual(['spend held_back: receipt 2, recount 1']);
  });
});

describe('the cleanup worker', () => {
  it('removes staging of uploads that ended a week ago, keeps younger and live ones, and verify still works', async () => {
    const tenantId = newTenant();
    const old = await bench.ingest(tenantId, first, { platform: 'google' });
    const staged = async (runId: string) =>
      (await database.admin.query('select count(*)::int as n from staging_rows where upload_id = $1', [runId])).rows[0]
        .n;
    await cleanStaging(adsStaging, { pool: database.engine, log: silentLog });
    expect(await staged(old.id)).toBeGreaterThan(0);
    await setClockOffset(database.admin, '8 days');
    const young = await bench.ingest(tenantId, first, { platform: 'google' });
    const { runs } = await cleanStaging(adsStaging, { pool: database.engine, log: silentLog });
    await setClockOffset(database.admin, '0');
    expect(runs).toBeGreaterThanOrEqual(1);
    expect([await staged(old.id), (await staged(young.id)) > 0]).toEqual([0, true]);
    expect((await bench.engine.verify(tenantId, old.id)).agrees).toBe(true);
  });
});
