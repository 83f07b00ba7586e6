// Uploading ads exports over HTTP: answers, how the file was read and mapped, what a person says about it.
import { describe, expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asUpload } = adsApi;

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const good = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Spring,1001,1.5,100,5`);

describe('POST /v1/uploads', () => {
  it('answers with the pending upload, and the same bytes again name the earlier one', async () => {
    const first = await upload([header, ...good].join('\n'), { workspace_id: adsApi.admin.tenantId });
    expect([first.statusCode, first.json()]).toEqual([202, { upload_id: expect.any(String), status: 'pending' }]);
    // Two at once may be stored in either order, and the older of them then finds nothing newer to store.
    await ended(first.json().upload_id);
    const shown = await api.call('uploads.show', asUpload(first.json().upload_id));
    expect(shown.json()).toMatchObject({ status: 'completed', row_count: 20, filename: 'export.csv' });
    const again = await upload([header, ...good].join('\n'));
    expect(again.json()).toMatchObject({ status: 'pending', same_bytes_as: first.json().upload_id });
    expect(await ended(again.json().upload_id)).toMatchObject({ status: 'completed', created_by: adsApi.admin.userId });
    const audited = await waitFor(async () => {
      const { rows } = await db.admin.query(
        `select target, data from audit_log where tenant_id = $1 and action = 'ads.ingested'`,
        [adsApi.admin.tenantId],
      );
      return rows.length === 2 && rows;
    });
    expect(audited[0]).toMatchObject({
      target: first.json().upload_id,
      data: { status: 'completed', metrics: { total_rows: 20 } },
    });
  });

  it('the same file under the same Idempotency-Key is one run, also when the first answer was never kept', async () => {
    const text = [header, ...good].join('\n').replaceAll('Spring', 'Once');
    const send = (bytes = text) => upload(bytes, {}, 'export.csv', { 'idempotency-key': 'upload-once' });
    const first = (await send()).json();
    // As a process leaves it that died between the run and the answer, a minute later.
    await db.admin.query(
      `update idempotency_keys set status = null, answer = null, finished_at = null, locked_until = engine.now() - interval '1 s'
       where key = 'upload-once'`,
    );
    const again = await send();
    expect([again.statusCode, again.json()]).toEqual([202, first]);
    const { rows } = await db.admin.query(
      `select count(*)::int as kept from engine.blobs b join engine.blobs o using (sha256, tenant_id)
       join engine.runs r on r.blob_id = o.blob_id where r.id = $1 and b.deleted_at is null`,
      [first.upload_id],
    );
    expect(rows).toEqual([{ kept: 1 }]);
    await db.admin.query(`delete from idempotency_keys where key = 'upload-once'`);
    const other = await send(text.replaceAll('Once', 'Else'));
    expect(other.json().upload_id).not.toBe(first.upload_id);
  });

  it('takes rows as JSON from an API or a webhook', async () => {
    const rows = [
      {
        Day: '2024-03-01',
        'Campaign name': 'J',
        'Campaign ID': '120210000010000001',
        'Amount spent (USD)': 2.5,
        Impressions: 10,
        'Clicks (all)': 1,
      },
    ];
    const answer = await api.call('uploads.create', {
      as: adsApi.admin,
      body: { platform: 'meta', source: 'api', rows },
    });
    expect(answer.statusCode).toBe(202);
    expect(await ended(answer.json().upload_id)).toMatchObject({
      status: 'completed',
      receipt: { read: 1, totals: { spend: { file: '2.5' } } },
    });
    const manual = await api.call('uploads.create', {
      as: adsApi.admin,
      body: { platform: 'meta', source: 'manual', rows },
    });
    expect([manual.statusCode, manual.json().code]).toEqual([422, 'source_needs_rows']);
  });

  it.each([
    ['no platform', header, { platform: '' }, 'export.csv', 422, 'upload_fields_invalid'],
    ['an unknown platform', header, { platform: 'myspace' }, 'export.csv', 422, 'upload_fields_invalid'],
    ['a workspace that is not a UUID', header, { workspace_id: 'x' }, 'export.csv', 422, 'upload_fields_invalid'],
    [
      'another workspace',
      header,
      { workspace_id: '01890000-0000-7000-8000-000000000000' },
      'export.csv',
      403,
      'workspace_mismatch',
    ],
    ['an empty file', '', {}, 'export.csv', 422, 'file_empty'],
    ['a PDF named .csv', '%PDF-1.7 …', {}, 'export.csv', 415, 'content_mismatch'],
    ['a PDF', '%PDF-1.7 …', {}, 'export.pdf', 415, 'format_unsupported'],
    ['a binary file named .csv', '\u0000\u0001\u0002\u0003'.repeat(50), {}, 'export.csv', 415, 'content_mismatch'],
  ])('refuses %s and keeps nothing', async (_, text, fields, filename, status, code) => {
    const before = await db.admin.query('select count(*) from engine.blobs where deleted_at is null');
    const answer = await upload(text, fields, filename);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    const after = await db.admin.query('select count(*) from engine.blobs where deleted_at is null');
    expect(after.rows).toEqual(before.rows);
  });
});

describe('reading and mapping of an upload', () => {
  it('shows what was decided and why, what was set aside, and the first rows', async () => {
    const text = `Campaign report\n"January 1, 2024"\nDay;Campaign;Coût;Impr.;Clics;Code de devise\n01/02/2024;Été;1 234,56;10;1;EUR\n13/02/2024;Été;2,50;10;1;EUR\nTotal: Campaigns;;1 237,06;20;2;EUR\n`;
    const { upload_id: id } = (await upload(text, { platform: 'google' })).json();
    const run = await ended(id);
    const refused = await db.admin.query('select line, code, value, message from engine.rejects where run_id = $1', [
      id,
    ]);
    expect(refused.rows).toEqual([]);
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    const reading = (await api.call('uploads.reading', asUpload(id))).json();
    expect(reading).toMatchObject({
      format: { value: 'csv' },
      delimiter: { value: ';' },
      decimal: { value: ',' },
      date_order: { value: 'dmy', confidence: 'certain' },
      header_line: { value: 3 },
      sample: [{ line: 4 }, { line: 5 }],
    });
    expect(reading.furniture.map((each: { kind: string }) => each.kind)).toContain('total');
    expect((await api.call('runs.reading', adsApi.asRun(id))).json()).toEqual(reading);
    expect(run.receipt).toMatchObject({ totals: { spend: { file: '1237.06', declared: '1237.06' } } });
  });

  it('a header nobody knows is offered for mapping; once mapped, a retry and the next file need nothing more', async () => {
    const text = `Päivä,Kampanja,Kulut\n${good.map((_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Frühling,2.5`).join('\n')}\n`;
    const { upload_id: id } = (await upload(text)).json();
    expect(await ended(id)).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const mapping = (await api.call('uploads.mapping', asUpload(id))).json();
    expect((await api.call('runs.mapping', adsApi.asRun(id))).json()).toEqual(mapping);
    expect(mapping).toMatchObject({
      origin: 'proposed',
      version: 0,
      columns: [{ header: 'Päivä', field: null }, {}, {}],
    });
    expect(mapping.missing).toHaveLength(2);
    const columns = ['metric_date', 'campaign_name', 'spend'].map((field, index) => ({ index, field }));
    const saved = await api.call('uploads.map', { ...asUpload(id), body: { name: 'Finnish', columns } });
    expect(saved.json()).toMatchObject({ origin: 'saved', version: 1, missing: [], name: 'Finnish' });
    const { id: retry } = await adsApi.bench.engine.retry({ tenantId: adsApi.admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'completed', receipt: { read: 20 } });
    const { upload_id: next } = (await upload(text.replaceAll('2.5', '3'))).json();
    expect(await ended(next)).toMatchObject({ status: 'completed', receipt: { outcomes: { updated: 20 } } });
    expect((await api.call('mappings.list', { as: adsApi.admin })).json().data).toMatchObject([
      { name: 'Finnish', version: 1 },
    ]);
  });

  it('what a file has no column for can be said for every row: it is stored, shown, kept for the next file, and recounted', async () => {
    const text = (spend: string) =>
      `Tagesdatum,Ausgabe\n${good.map((_, i) => `2024-05-${String(i + 1).padStart(2, '0')},${spend}`).join('\n')}\n`;
    const { upload_id: id } = (await upload(text('2.5'))).json();
    expect(await ended(id)).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const columns = ['metric_date', 'spend'].map((field, index) => ({ index, field }));
    const constants = { currency: 'sek', campaign_name: 'Whole account' };
    const saved = await api.call('uploads.map', { ...asUpload(id), body: { columns, constants } });
    expect(saved.json().constants).toEqual({ currency: 'SEK', campaign_name: 'Whole account' });
    const { id: retry } = await adsApi.bench.engine.retry({ tenantId: adsApi.admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 20 } } });
    const stored = await db.admin.query(
      `select distinct m.currency, c.name from daily_metrics m
       join campaigns c on c.workspace_id = m.workspace_id and c.external_id = m.campaign_external_id where m.run_id = $1`,
      [retry],
    );
    expect(stored.rows).toEqual([{ currency: 'SEK', name: 'Whole account' }]);
    const verified = await api.call('runs.verify', { as: adsApi.admin, params: { run_id: retry } });
    expect(verified.json()).toMatchObject({ matches: true, differences: [] });

    // Said of the columns only, they stay; an empty list takes them back.
    const again = await api.call('runs.map', { ...adsApi.asRun(retry), body: { columns } });
    expect(again.json()).toMatchObject({ version: 2, constants: { currency: 'SEK', campaign_name: 'Whole account' } });
    const { upload_id: next } = (await upload(text('3'))).json();
    expect(await ended(next)).toMatchObject({ status: 'completed', receipt: { outcomes: { updated: 20 } } });
    const without = await api.call('uploads.map', { ...asUpload(next), body: { columns, constants: {} } });
    expect(without.json()).toMatchObject({ version: 3, constants: {} });

    for (const wrong of [{ spend: '1' }, { nonsense: 'x' }, { currency: 'Euro' }, { metric_date: '2024-05-01' }]) {
      const refused = await api.call('uploads.map', { ...asUpload(next), body: { columns, constants: wrong } });
      expect([refused.statusCode, refused.json().code]).toEqual([422, 'mapping_invalid']);
    }
  });

  it('an override is tried at once and takes effect when the run is retried', async () => {
    const ambiguous = `${header}\n${['01/02/2024', '03/04/2024'].map((day) => `${day},Spring,1001,1.5,100,5`).join('\n')}\n`;
    const { upload_id: id } = (await upload(ambiguous)).json();
    expect(await ended(id)).toMatchObject({ status: 'failed', error_code: 'nothing_promoted' });
    const answer = await api.call('uploads.override', { ...asUpload(id), body: { date_order: 'dmy' } });
    expect(answer.json()).toMatchObject({ date_order: { value: 'dmy', overridden: true } });
    const { id: retry } = await adsApi.bench.engine.retry({ tenantId: adsApi.admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'completed' });
    const kept = await db.admin.query('select overrides from upload_readings where upload_id = $1', [retry]);
    expect(kept.rows).toEqual([{ overrides: { dateOrders: { '*': 'dmy' } } }]);
    const days = await db.admin.query('select metric_date from daily_metrics where run_id = $1 order by 1', [retry]);
    expect(days.rows.map((row) => row.metric_date)).toEqual(['2024-02-01', '2024-04-03']);
  });
});

const days = (order: (day: string) => string) =>
  Array.from({ length: 12 }, (_, i) => order(String(i + 1).padStart(2, '0')));

describe('what a person says about a file', () => {
  it('can be said when it is uploaded, and is shown as said', async () => {
    const text = `${header}\n${days((day) => `${day}/03/2024,Said,2002,1.5,n.d.,5`).join('\n')}\n`;
    const reading = JSON.stringify({ date_order: 'mdy', empty_markers: ['N.D.'] });
    const { upload_id: id } = (await upload(text, { reading })).json();
    expect(await ended(id)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 12 } } });
    const shown = (await api.call('uploads.reading', asUpload(id))).json();
    expect(shown).toMatchObject({
      date_order: { value: 'mdy', overridden: true },
      date_orders: { Day: { value: 'mdy', overridden: true } },
      empty_markers: { value: ['N.D.'], overridden: true },
      escape: { value: 'double' },
      thousands: { value: ',' },
      header_lines: { value: [1] },
    });
    const stored = await db.admin.query(
      'select metric_date, impressions from daily_metrics where run_id = $1 order by 1 limit 2',
      [id],
    );
    expect(stored.rows).toEqual([
      { metric_date: '2024-01-03', impressions: null },
      { metric_date: '2024-02-03', impressions: null },
    ]);
    for (const wrong of ['{', '{"colour":"red"}', '{"delimiter":""}', '{"delimiter":"a line of text"}'])
      expect((await upload(text, { reading: wrong })).json().code).toBe('upload_fields_invalid');
  });

  it('goes with the mapping that is saved of it: the next file of the kind is read so without being asked', async () => {
    // Nobody expects this delimiter: read by itself the file has one column.
    const lines = (month: string) => days((day) => `${day}/${month}/2024!Kept!3.5`);
    const text = (month: string) => `Päivämäärä!Aktion!Betrag\n${lines(month).join('\n')}\n`;
    const { upload_id: id } = (await upload(text('03'))).json();
    expect(await ended(id)).toMatchObject({ status: 'failed' });
    const said = await api.call('uploads.override', {
      ...asUpload(id),
      body: { delimiter: '!', date_order: 'dmy', put_back: [99] },
    });
    expect(said.json()).toMatchObject({ header: ['Päivämäärä', 'Aktion', 'Betrag'], delimiter: { overridden: true } });
    const { id: retry } = await adsApi.bench.engine.retry({ tenantId: adsApi.admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const columns = ['metric_date', 'campaign_name', 'spend'].map((field, index) => ({ index, field }));
    const saved = await api.call('uploads.map', { ...asUpload(retry), body: { name: 'Odd', columns } });
    expect([saved.statusCode, saved.json().missing]).toEqual([200, []]);
    const { upload_id: next } = (await upload(text('04'))).json();
    expect(await ended(next)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 12 } } });
    const first = await db.admin.query('select min(metric_date) as day from daily_metrics where run_id = $1', [next]);
    expect(first.rows).toEqual([{ day: '2024-04-01' }]);
    const { data } = (await api.call('mappings.list', { as: adsApi.admin })).json();
    const odd = data.find((each: { name: string }) => each.name === 'Odd');
    expect(odd.reading).toEqual({ delimiter: '!', dateOrders: { '*': 'dmy' } });
  });

  it('about a column name holds in files with other columns, too', async () => {
    const text = `Päivämäärä;Aktion;Betrag;Anzeigen\n${days((day) => `2024-07-${day};Taught;4.5;7`).join('\n')}\n`;
    const { upload_id: id } = (await upload(text)).json();
    expect(await ended(id)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 12 } } });
    const mapping = (await api.call('uploads.mapping', asUpload(id))).json();
    expect(mapping.columns).toMatchObject([
      { field: 'metric_date', confidence: 'exact', reason: 'mapped so in "Odd"' },
      { field: 'campaign_name' },
      { field: 'spend' },
      { header: 'Anzeigen', field: null },
    ]);
  });
});
