// Refused rows of an ads export over HTTP: clustered, corrected and run again, or downloaded, fixed and uploaded again.
import { describe, expect, it } from 'vitest';
import { buildTenant, buildUser } from '../../../../test/support/api.ts';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asRun } = adsApi;

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const good = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Spring,1001,1.5,100,5`);

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
      as: adsApi.admin,
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

  it('that nobody corrected run again as they are, if a program asks; the original says what became of them', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `2024-08-${String(i + 1).padStart(2, '0')},Again,8008,1.5,100,5`);
    const odd = ['2024-08-20,Again,8008,666,100,5', '2024-08-21,Again,8008,never,100,5'];
    await db.admin.query('alter table daily_metric_rows add constraint no_666 check (spend <> 666)');
    const { upload_id: id } = (
      await upload(`${header}\n${[...rows, ...odd].join('\n')}\n`, { force_partial: 'true' })
    ).json();
    expect(await ended(id)).toMatchObject({ status: 'partial', receipt: { outcomes: { inserted: 12, rejected: 2 } } });
    await db.admin.query('alter table daily_metric_rows drop constraint no_666');
    const actions = async () => (await api.call('runs.show', asRun(id))).json().actions;
    expect(await actions()).toEqual(['verify', 'undo']);
    expect((await api.call('rejects.replay', asRun(id))).json().code).toBe('nothing_to_replay');

    const again = await api.call('rejects.replay', { ...asRun(id), body: { uncorrected: true } });
    expect([again.statusCode, again.json().rows]).toEqual([202, 2]);
    const replay = again.json().run_id;
    expect(await ended(replay)).toMatchObject({ receipt: { read: 2, outcomes: { inserted: 1, rejected: 1 } } });
    const stored = await db.admin.query('select spend, line from daily_metrics where run_id = $1', [replay]);
    expect(stored.rows).toEqual([{ spend: '666', line: 14 }]);
    // Refused again, a row is a reject of the run that refused it, and of that alone.
    const taken = { run_id: replay, status: 'partial', phase: 'done', rows: 2, refused: 1 };
    expect((await api.call('runs.show', asRun(id))).json().replays).toEqual([taken]);
    expect(await actions()).toEqual(['verify', 'undo']);
    expect((await api.call('rejects.list', asRun(replay))).json().data).toMatchObject([{ line: 15, status: 'open' }]);
    const none = await api.call('rejects.replay', { ...asRun(id), body: { uncorrected: true } });
    expect(none.json().code).toBe('nothing_to_replay');
  });

  it('are fixed in the style of their file: a decimal point among decimal commas becomes a comma and is read so', async () => {
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
    const ours = adsApi.admin;
    const nobody = '01900000-0000-7000-8000-000000000000';
    adsApi.admin = stranger;
    try {
      const answers = [
        await upload([header, ...good].join('\n'), { corrects: nobody }),
        await upload([header, ...good].join('\n'), { corrects: foreign }),
        await api.call('uploads.create', {
          as: stranger,
          body: { platform: 'meta', source: 'api', corrects: foreign, rows: [{ Day: '2024-01-01' }] },
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
      adsApi.admin = ours;
    }
    await db.admin.query(`select set_config('session_replication_role', 'replica', false)`);
    await db.admin.query(`update engine.runs set pipeline = 'judgments' where id = $1`, [foreign]);
    await db.admin.query(`select set_config('session_replication_role', 'origin', false)`);
    const other = await upload([header, ...good].join('\n'), { corrects: foreign });
    expect([other.statusCode, other.json().detail]).toEqual([422, expect.stringContaining('is one of judgments')]);
  });

  it('that come back and are refused again can be downloaded and come back once more, with the same columns and cells', async () => {
    const bad = ['2024-02-30,"=Spring",1001,1.5,100,5', '2024-02-11,"=Spring",1001,seven,100,5'];
    const { upload_id: id } = (await upload([header, ...good, ...bad].join('\n'))).json();
    await ended(id);
    const first = (await api.call('rejects.download', asRun(id))).body;
    const again = (await upload(first, { corrects: id }, 'rejects.csv')).json();
    await ended(again.upload_id);
    const second = (await api.call('rejects.download', asRun(again.upload_id))).body;
    const withoutLines = (csv: string) => csv.replace(/,2[23],|,[23],/g, ',LINE,');
    expect(withoutLines(second)).toBe(withoutLines(first));
    // Only the later of the two is fixed and sent: it is that one whose row is settled.
    const fixed = second.split('\r\n').filter((line) => !line.includes('2024-02-30'));
    const last = (
      await upload(fixed.join('\r\n').replace('seven', '7'), { corrects: again.upload_id }, 'rejects.csv')
    ).json();
    expect(await ended(last.upload_id)).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 1 } } });
    const settled = await waitFor(async () => {
      const { data } = (await api.call('rejects.list', asRun(again.upload_id))).json();
      return data.some((each: { status: string }) => each.status === 'resolved') && data;
    });
    expect(settled).toMatchObject([{ status: 'open' }, { status: 'resolved', replayed_by: last.upload_id }]);
    const { rows } = await db.admin.query(`select name from campaigns where workspace_id = $1`, [
      adsApi.admin.tenantId,
    ]);
    expect(rows).toContainEqual({ name: '=Spring' });
  });

  it('that come back are of the client and as old as the file they are from: they overwrite nothing that was reported since', async () => {
    const client_id = '01890000-0000-7000-8000-00000000c11e';
    await db.admin.query(`insert into clients (client_id, tenant_id, name) values ($1, $2, 'Aged & Co')`, [
      client_id,
      adsApi.admin.tenantId,
    ]);
    const row = (spend: string) => `2024-08-31,Aged,4004,${spend},100,5`;
    const first = { client_id, reported_at: '2024-09-01T00:00:00Z' };
    const { upload_id: id } = (await upload([header, ...good, row('seven')].join('\n'), first)).json();
    expect(await ended(id)).toMatchObject({ receipt: { outcomes: { rejected: 1 } } });
    const newer = { client_id, reported_at: '2024-10-01T00:00:00Z' };
    await ended((await upload([header, row('9')].join('\n'), newer)).json().upload_id);
    const rejects = (await api.call('rejects.download', asRun(id))).body.replace('seven', '7');
    const fixed = { corrects: id, reported_at: '2024-11-01T00:00:00Z' };
    const back = await ended((await upload(rejects, fixed, 'fixed.csv')).json().upload_id);
    expect(back).toMatchObject({ status: 'failed', error_code: 'nothing_newer', receipt: { outcomes: { stale: 1 } } });
    expect(back.input).toMatchObject({ client_id, reported_at: first.reported_at });
    const stored = await db.admin.query(
      `select client_id, spend from daily_metrics where workspace_id = $1 and campaign_external_id = '4004'`,
      [adsApi.admin.tenantId],
    );
    expect(stored.rows).toEqual([{ client_id, spend: '9' }]);
  });

  it('can be downloaded, corrected and uploaded again: linked both ways, and the originals stay as they were', async () => {
    const bad = ['2024-01-30,"=Spring",1001,seven,100,5', '2024-01-31,Spring,1001,eight,100,5'];
    const { upload_id: id } = (await upload([header, ...good, ...bad].join('\n'))).json();
    await ended(id);
    const csv = (await api.call('rejects.download', asRun(id))).body;
    expect(csv).toContain('seven');
    // The row that is fixed comes back; the other is left out of the file.
    const fixed = csv
      .split('\r\n')
      .filter((line) => !line.includes('eight'))
      .join('\r\n')
      .replace(',seven,', ',9,');
    const again = (await upload(fixed, { corrects: id }, 'rejects.csv')).json();
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
    const failing = (await upload(csv, { corrects: id }, 'rejects.csv')).json();
    expect(await ended(failing.upload_id)).toMatchObject({ status: 'failed' });
    const reopened = await waitFor(async () => {
      const data = await listed();
      return data[1].status === 'open' && data;
    });
    expect(reopened).toMatchObject([{ status: 'resolved' }, { status: 'open', replayed_by: null }]);
  });
});
