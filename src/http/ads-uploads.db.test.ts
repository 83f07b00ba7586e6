// Handing in ads exports over HTTP: answers, how the file was read and mapped, refused rows corrected and run again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../test/support/ads.ts';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { replayConsumer } from '../engine/replay.ts';
import { auditConsumer } from '../pipelines/ads/audit-consumer.ts';
import { adsHandlers, adsRejectTools, adsUploadDoor } from './routes/ads/ads-handlers.ts';
import { createUploadHandlers } from './uploads/create-upload.ts';
import { defaultUploadLimits } from './uploads/upload-limits.ts';

const db = useDatabase();
let bench: AdsBench;
let admin: TestUser;
beforeAll(async () => {
  bench = await openAdsBench(db.appUrl);
  bench.engine.consume(replayConsumer);
  bench.engine.consume(auditConsumer);
  await bench.engine.start();
  admin = await buildUser(db, await buildTenant(db), 'admin');
});
const api = useApi(db, () => ({
  engine: bench.engine,
  rejectTools: { ads: adsRejectTools(bench.engine, bench.store) },
  handlers: {
    ...createUploadHandlers({
      store: bench.store,
      limits: defaultUploadLimits,
      doors: { ads: adsUploadDoor(bench.engine) },
    }),
    ...adsHandlers({ store: bench.store }),
  },
}));
afterAll(() => bench.close());

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const good = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Spring,1001,1.5,100,5`);

async function upload(
  text: string,
  fields: Record<string, string> = {},
  filename = 'export.csv',
  headers: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ platform: 'meta', source: 'manual', ...fields })) form.set(name, value);
  form.set('file', new Blob([text]), filename);
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  return api.server.inject({
    method: 'POST',
    url: '/v1/uploads',
    headers: {
      authorization: `Bearer ${admin.token}`,
      'content-type': request.headers.get('content-type') ?? '',
      ...headers,
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
}

const ended = (runId: string) => bench.ended(admin.tenantId, runId);
const asUpload = (uploadId: string) => ({ as: admin, params: { upload_id: uploadId } });
const asRun = (runId: string) => ({ as: admin, params: { run_id: runId } });

describe('POST /v1/uploads', () => {
  it('answers with the pending upload, and the same bytes again name the earlier one', async () => {
    const first = await upload([header, ...good].join('\n'), { workspace_id: admin.tenantId });
    expect([first.statusCode, first.json()]).toEqual([202, { upload_id: expect.any(String), status: 'pending' }]);
    // Two at once may be stored in either order, and the older of them then finds nothing newer to store.
    await ended(first.json().upload_id);
    const shown = await api.call('uploads.show', asUpload(first.json().upload_id));
    expect(shown.json()).toMatchObject({ status: 'completed', row_count: 20, filename: 'export.csv' });
    const again = await upload([header, ...good].join('\n'));
    expect(again.json()).toMatchObject({ status: 'pending', same_bytes_as: first.json().upload_id });
    expect(await ended(again.json().upload_id)).toMatchObject({ status: 'completed', created_by: admin.userId });
    const audited = await waitFor(async () => {
      const { rows } = await db.admin.query(
        `select target, data from audit_log where tenant_id = $1 and action = 'ads.ingested'`,
        [admin.tenantId],
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
    const answer = await api.call('uploads.create', { as: admin, body: { platform: 'meta', source: 'api', rows } });
    expect(answer.statusCode).toBe(202);
    expect(await ended(answer.json().upload_id)).toMatchObject({
      status: 'completed',
      receipt: { read: 1, totals: { spend: { file: '2.5' } } },
    });
    const manual = await api.call('uploads.create', { as: admin, body: { platform: 'meta', source: 'manual', rows } });
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
    expect(run.receipt).toMatchObject({ totals: { spend: { file: '1237.06', declared: '1237.06' } } });
  });

  it('a header nobody knows is offered for mapping; once mapped, a retry and the next file need nothing more', async () => {
    const text = `Datum,Kampagne,Kosten\n${good.map((_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Frühling,2.5`).join('\n')}\n`;
    const { upload_id: id } = (await upload(text)).json();
    expect(await ended(id)).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const mapping = (await api.call('uploads.mapping', asUpload(id))).json();
    expect(mapping).toMatchObject({
      origin: 'proposed',
      version: 0,
      columns: [{ header: 'Datum', field: null }, {}, {}],
    });
    expect(mapping.missing).toHaveLength(2);
    const columns = ['metric_date', 'campaign_name', 'spend'].map((field, index) => ({ index, field }));
    const saved = await api.call('uploads.map', { ...asUpload(id), body: { name: 'German', columns } });
    expect(saved.json()).toMatchObject({ origin: 'saved', version: 1, missing: [], name: 'German' });
    const { id: retry } = await bench.engine.retry({ tenantId: admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'completed', receipt: { read: 20 } });
    const { upload_id: next } = (await upload(text.replaceAll('2.5', '3'))).json();
    expect(await ended(next)).toMatchObject({ status: 'completed', receipt: { outcomes: { updated: 20 } } });
    expect((await api.call('mappings.list', { as: admin })).json().data).toMatchObject([
      { name: 'German', version: 1 },
    ]);
  });

  it('an override is tried at once and takes effect when the run is retried', async () => {
    const ambiguous = `${header}\n${['01/02/2024', '03/04/2024'].map((day) => `${day},Spring,1001,1.5,100,5`).join('\n')}\n`;
    const { upload_id: id } = (await upload(ambiguous)).json();
    expect(await ended(id)).toMatchObject({ status: 'failed', error_code: 'nothing_promoted' });
    const answer = await api.call('uploads.override', { ...asUpload(id), body: { date_order: 'dmy' } });
    expect(answer.json()).toMatchObject({ date_order: { value: 'dmy', overridden: true } });
    const { id: retry } = await bench.engine.retry({ tenantId: admin.tenantId, by: 'test' }, id);
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
  it('can be said when it is handed in, and is shown as said', async () => {
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
    for (const wrong of ['{', '{"colour":"red"}', '{"delimiter":";;"}'])
      expect((await upload(text, { reading: wrong })).json().code).toBe('upload_fields_invalid');
  });

  it('goes with the mapping that is saved of it: the next file of the kind is read so without being asked', async () => {
    // Nobody expects this delimiter: read by itself the file has one column.
    const lines = (month: string) => days((day) => `${day}/${month}/2024!Kept!3.5`);
    const text = (month: string) => `Tag!Aktion!Betrag\n${lines(month).join('\n')}\n`;
    const { upload_id: id } = (await upload(text('03'))).json();
    expect(await ended(id)).toMatchObject({ status: 'failed' });
    const said = await api.call('uploads.override', {
      ...asUpload(id),
      body: { delimiter: '!', date_order: 'dmy', put_back: [99] },
    });
    expect(said.json()).toMatchObject({ header: ['Tag', 'Aktion', 'Betrag'], delimiter: { overridden: true } });
    const { id: retry } = await bench.engine.retry({ tenantId: admin.tenantId, by: 'test' }, id);
    expect(await ended(retry)).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const columns = ['metric_date', 'campaign_name', 'spend'].map((field, index) => ({ index, field }));
    const saved = await api.call('uploads.map', { ...asUpload(retry), body: { name: 'Odd', columns } });
    expect([saved.statusCode, saved.json().missing]).toEqual([200, []]);
    const { upload_id: next } = (await upload(text('04'))).json();
    expect(await ended(next)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 12 } } });
    const first = await db.admin.query('select min(metric_date) as day from daily_metrics where run_id = $1', [next]);
    expect(first.rows).toEqual([{ day: '2024-04-01' }]);
    const { data } = (await api.call('mappings.list', { as: admin })).json();
    const odd = data.find((each: { name: string }) => each.name === 'Odd');
    expect(odd.reading).toEqual({ delimiter: '!', dateOrders: { '*': 'dmy' } });
  });

  it('about a column name holds in files with other columns, too', async () => {
    const text = `Tag;Aktion;Betrag;Anzeigen\n${days((day) => `2024-07-${day};Taught;4.5;7`).join('\n')}\n`;
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

describe('refused rows', () => {
  it('are clustered with a suggested fix, corrected by cluster and replayed; the original stays as it was', async () => {
    const bad = ['2024-01-31,Spring,1001,"7,5",100,5', '2024-01-29,Spring,1001,seven,100,5'];
    const { upload_id: id } = (await upload([header, ...good, ...bad].join('\n'))).json();
    expect(await ended(id)).toMatchObject({ status: 'completed', receipt: { read: 22, outcomes: { rejected: 2 } } });
    const clusters = (await api.call('rejects.clusters', asRun(id))).json().data;
    const commas = clusters.find((each: { fix: unknown }) => each.fix !== null);
    expect(commas).toMatchObject({
      count: 1,
      open: 1,
      fix: { kind: 'number_style', label: 'looks like a decimal comma' },
    });
    const fix = { kind: commas.fix.kind, column: commas.column, params: commas.fix.params };
    const applied = await api.call('rejects.correct-cluster', { ...asRun(id), body: { cluster: commas.cluster, fix } });
    expect(applied.json()).toMatchObject({ matched: 1, valid: 1, still_faulty: 0 });
    const [, spend] = (await api.call('rejects.list', asRun(id))).json().data;
    const corrected = await api.call('rejects.correct', {
      as: admin,
      params: { run_id: id, reject_id: spend.id },
      body: { cells: { 'Amount spent (USD)': '7.25' } },
    });
    expect(corrected.json()).toMatchObject({ valid: true, faults: [] });
    const replay = await api.call('rejects.replay', asRun(id));
    expect([replay.statusCode, replay.json()]).toEqual([202, expect.objectContaining({ rows: 2 })]);
    expect(await ended(replay.json().run_id)).toMatchObject({
      status: 'completed',
      receipt: { read: 2, outcomes: { inserted: 2 } },
    });
    const stored = await db.admin.query(
      'select metric_date, spend, line from daily_metrics where run_id = $1 order by 1',
      [replay.json().run_id],
    );
    expect(stored.rows).toEqual([
      { metric_date: '2024-01-29', spend: '7.25', line: 23 },
      { metric_date: '2024-01-31', spend: '7.5', line: 22 },
    ]);
    const settled = await waitFor(async () => {
      const { data } = (await api.call('rejects.list', asRun(id))).json();
      return data.every((each: { status: string }) => each.status === 'resolved') && data;
    });
    expect(settled[0]).toMatchObject({ raw: { 'Amount spent (USD)': '7,5' }, replayed_by: replay.json().run_id });
    expect((await api.call('rejects.replay', asRun(id))).json().code).toBe('nothing_to_replay');
  });

  it('are mended in the style of their file: a decimal point among decimal commas becomes a comma and is read so', async () => {
    const lines = ['Jour;Campagne;Montant dépensé (EUR);Impressions;Clics (tous)'];
    for (let day = 1; day <= 24; day++)
      lines.push(`2024-05-${String(day).padStart(2, '0')};Virgule;${day === 7 ? '12.50' : '1.234,5'};100;5`);
    const { upload_id: id } = (await upload(lines.join('\n'))).json();
    expect(await ended(id)).toMatchObject({ status: 'completed', receipt: { outcomes: { rejected: 1 } } });
    const [cluster] = (await api.call('rejects.clusters', asRun(id))).json().data;
    expect(cluster.fix).toMatchObject({ kind: 'number_style', label: 'looks like a decimal point' });
    const { kind, column, params } = cluster.fix;
    const body = { cluster: cluster.cluster, fix: { kind, column, params } };
    const applied = await api.call('rejects.correct-cluster', { ...asRun(id), body });
    expect(applied.json()).toMatchObject({ valid: 1, still_faulty: 0, sample: [{ before: '12.50', after: '12,5' }] });
    const replay = await api.call('rejects.replay', asRun(id));
    await ended(replay.json().run_id);
    const stored = await db.admin.query('select spend from daily_metrics where run_id = $1', [replay.json().run_id]);
    expect(stored.rows).toEqual([{ spend: '12.5' }]);
  });

  it('of a run that is nobody’s, another tenant’s or another pipeline’s cannot come back, as a file or as rows', async () => {
    const stranger = await buildUser(db, await buildTenant(db), 'admin');
    const { upload_id: foreign } = (await upload([header, ...good].join('\n'))).json();
    await ended(foreign);
    const ours = admin;
    const nobody = '01900000-0000-7000-8000-000000000000';
    admin = stranger;
    try {
      const answers = [
        await upload([header, ...good].join('\n'), { retry_of: nobody }),
        await upload([header, ...good].join('\n'), { retry_of: foreign }),
        await api.call('uploads.create', {
          as: stranger,
          body: { platform: 'meta', source: 'api', retry_of: foreign, rows: [{ Day: '2024-01-01' }] },
        }),
      ];
      const words = answers.map((answer) => [
        answer.statusCode,
        answer.json().code,
        answer.json().detail.replace(/[0-9a-f-]{36}/, 'RUN'),
      ]);
      expect(words).toEqual(Array.from({ length: 3 }, () => [404, 'run_not_found', 'There is no run RUN.']));
      expect((await api.call('runs.list', { as: stranger })).json().data).toEqual([]);
    } finally {
      admin = ours;
    }
    await db.admin.query(`select set_config('session_replication_role', 'replica', false)`);
    await db.admin.query(`update engine.runs set pipeline = 'judgments' where id = $1`, [foreign]);
    await db.admin.query(`select set_config('session_replication_role', 'origin', false)`);
    const other = await upload([header, ...good].join('\n'), { retry_of: foreign });
    expect([other.statusCode, other.json().detail]).toEqual([422, expect.stringContaining('is one of judgments')]);
  });

  it('that come back and are refused again can be downloaded and come back once more, with the same columns and cells', async () => {
    const bad = ['2024-02-30,"=Spring",1001,1.5,100,5', '2024-02-11,"=Spring",1001,seven,100,5'];
    const { upload_id: id } = (await upload([header, ...good, ...bad].join('\n'))).json();
    await ended(id);
    const first = (await api.call('rejects.download', asRun(id))).body;
    const again = (await upload(first, { retry_of: id }, 'rejects.csv')).json();
    await ended(again.upload_id);
    const second = (await api.call('rejects.download', asRun(again.upload_id))).body;
    const withoutLines = (csv: string) => csv.replace(/,2[23],|,[23],/g, ',LINE,');
    expect(withoutLines(second)).toBe(withoutLines(first));
    // Only the later of the two is mended and sent: it is that one whose row is settled.
    const mended = second.split('\r\n').filter((line) => !line.includes('2024-02-30'));
    const last = (
      await upload(mended.join('\r\n').replace('seven', '7'), { retry_of: again.upload_id }, 'rejects.csv')
    ).json();
    expect(await ended(last.upload_id)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 1 } } });
    const settled = await waitFor(async () => {
      const { data } = (await api.call('rejects.list', asRun(again.upload_id))).json();
      return data.some((each: { status: string }) => each.status === 'resolved') && data;
    });
    expect(settled).toMatchObject([{ status: 'open' }, { status: 'resolved', replayed_by: last.upload_id }]);
    const { rows } = await db.admin.query(`select name from campaigns where workspace_id = $1`, [admin.tenantId]);
    expect(rows).toContainEqual({ name: '=Spring' });
  });

  it('that come back are of the client and as old as the file they are from: they overwrite nothing that was reported since', async () => {
    const client_id = '01890000-0000-7000-8000-00000000c11e';
    const row = (spend: string) => `2024-08-31,Aged,4004,${spend},100,5`;
    const first = { client_id, reported_at: '2024-09-01T00:00:00Z' };
    const { upload_id: id } = (await upload([header, ...good, row('seven')].join('\n'), first)).json();
    expect(await ended(id)).toMatchObject({ receipt: { outcomes: { rejected: 1 } } });
    const newer = { client_id, reported_at: '2024-10-01T00:00:00Z' };
    await ended((await upload([header, row('9')].join('\n'), newer)).json().upload_id);
    const rejects = (await api.call('rejects.download', asRun(id))).body.replace('seven', '7');
    const mended = { retry_of: id, reported_at: '2024-11-01T00:00:00Z' };
    const back = await ended((await upload(rejects, mended, 'mended.csv')).json().upload_id);
    expect(back).toMatchObject({ status: 'failed', error_code: 'nothing_newer', receipt: { outcomes: { stale: 1 } } });
    expect(back.input).toMatchObject({ client_id, reported_at: first.reported_at });
    const stored = await db.admin.query(
      `select client_id, spend from daily_metrics where workspace_id = $1 and campaign_external_id = '4004'`,
      [admin.tenantId],
    );
    expect(stored.rows).toEqual([{ client_id, spend: '9' }]);
  });

  it('can be downloaded, corrected and uploaded again: linked both ways, and the originals stay as they were', async () => {
    const bad = ['2024-01-30,"=Spring",1001,seven,100,5', '2024-01-31,Spring,1001,eight,100,5'];
    const { upload_id: id } = (await upload([header, ...good, ...bad].join('\n'))).json();
    await ended(id);
    const csv = (await api.call('rejects.download', asRun(id))).body;
    expect(csv).toContain('seven');
    // The row that is mended comes back; the other is left out of the file.
    const mended = csv
      .split('\r\n')
      .filter((line) => !line.includes('eight'))
      .join('\r\n')
      .replace(',seven,', ',9,');
    const again = (await upload(mended, { retry_of: id }, 'rejects.csv')).json();
    expect(await ended(again.upload_id)).toMatchObject({
      status: 'completed',
      receipt: { read: 1, outcomes: { inserted: 1 } },
    });
    const listed = async () => (await api.call('rejects.list', asRun(id))).json().data;
    const settled = await waitFor(async () => {
      const data = await listed();
      return data.some((each: { status: string }) => each.status === 'resolved') && data;
    });
    expect(settled).toMatchObject([
      { status: 'resolved', replayed_by: again.upload_id, value: 'seven', raw: { 'Amount spent (USD)': 'seven' } },
      { status: 'open', replayed_by: null },
    ]);
    // A file that fails gives its rows back.
    const failing = (await upload(csv, { retry_of: id }, 'rejects.csv')).json();
    expect(await ended(failing.upload_id)).toMatchObject({ status: 'failed' });
    const reopened = await waitFor(async () => {
      const data = await listed();
      return data[1].status === 'open' && data;
    });
    expect(reopened).toMatchObject([{ status: 'resolved' }, { status: 'open', replayed_by: null }]);
  });
});
