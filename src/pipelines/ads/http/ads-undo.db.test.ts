// Undoing an upload over HTTP: what goes, what comes back, what stays, and that receipts of the others still hold.
import { describe, expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asUpload, asRun } = adsApi;

const header = 'Day,Campaign,Campaign ID,Currency code,Cost,Impr.,Clicks';
const line = (day: string, campaign: string, spend: string) => `${day},C ${campaign},${campaign},EUR,${spend},1000,50`;
let reported = 0;
const ingest = async (...lines: string[]) => {
  reported += 1;
  const fields = { platform: 'google', reported_at: new Date(Date.UTC(2026, 5, 1, reported)).toISOString() };
  const run = await ended((await upload([header, ...lines].join('\n'), fields)).json().upload_id);
  expect(run.status).toBe('completed');
  return run;
};
const spends = async (campaign: string) =>
  (
    await db.admin.query<{ spend: string }>(
      `select spend from daily_metrics where workspace_id = $1 and campaign_external_id = $2 order by metric_date`,
      [adsApi.admin.tenantId, campaign],
    )
  ).rows.map(({ spend }) => spend);
const campaigns = async (id: string) =>
  (
    await db.admin.query(`select from campaigns where workspace_id = $1 and external_id = $2`, [
      adsApi.admin.tenantId,
      id,
    ])
  ).rows.length;
const ask = async (runId: string, body: object = {}) => api.call('runs.undo', { ...asRun(runId), body });
const undo = async (runId: string) => ended((await ask(runId)).json().run_id);
const verify = async (runId: string) => (await api.call('runs.verify', asRun(runId))).json();
const actionsOf = async (runId: string) => (await api.call('runs.show', asRun(runId))).json().actions;

describe('undoing an upload', () => {
  it('removes its numbers, gives those it had replaced their values back, and says beforehand how many', async () => {
    const first = await ingest(line('2026-05-01', '1', '10'), line('2026-05-02', '1', '11'));
    const second = await ingest(
      line('2026-05-02', '1', '99'),
      line('2026-05-03', '1', '12'),
      line('2026-05-03', '2', '7'),
    );
    expect(await actionsOf(second.id)).toContain('undo');
    const dry = await ask(second.id, { dry_run: true });
    expect(dry.json()).toEqual({
      run_id: null,
      undoes: second.id,
      dry_run: true,
      counts: { removed: 2, restored: 1 },
    });
    expect(await spends('1')).toEqual(['10', '99', '12']);
    const run = await undo(second.id);
    expect(run).toMatchObject({ status: 'completed', receipt: { read: 3, outcomes: { removed: 2, restored: 1 } } });
    expect(await spends('1')).toEqual(['10', '11']);
    expect([await campaigns('1'), await campaigns('2')]).toEqual([1, 0]);
    expect(await verify(first.id)).toMatchObject({ matches: true });
    expect(await verify(run.id)).toMatchObject({ matches: true });
    const { rows } = await db.admin.query(
      `select data -> 'affected_dates' as days from engine.events where run_id = $1 and type = 'IngestionCompleteEvent'`,
      [run.id],
    );
    expect(rows).toEqual([{ days: ['2026-05-02', '2026-05-03'] }]);
  });

  it('is done once: a second click finds the same run, later it is refused, and an undo is not undone', async () => {
    const run = await ingest(line('2026-05-01', '3', '1'));
    const answers = (await Promise.all([ask(run.id), ask(run.id)])).map((answer) => answer.json());
    // The second may come when all is done already.
    const ids = answers.flatMap(({ run_id: id, code }) => (code === 'run_undone' ? [] : [id]));
    expect(new Set(ids).size).toBe(1);
    const undone = await ended(ids[0]);
    const runs = await db.admin.query(`select from engine.runs where input ->> 'undo_of' = $1`, [run.id]);
    expect(runs.rows).toHaveLength(1);
    const shown = (await api.call('runs.show', asRun(run.id))).json();
    expect([shown.undone_as, shown.actions]).toEqual([undone.id, []]);
    const again = await ask(run.id);
    expect([again.statusCode, again.json().code]).toEqual([409, 'run_undone']);
    expect((await verify(run.id)).code).toBe('run_undone');
    const nested = await ask(undone.id);
    expect([nested.statusCode, nested.json().code]).toEqual([409, 'undo_unsupported']);
    const { rows } = await db.admin.query(
      `select data from audit_log where tenant_id = $1 and action = 'runs.undo' and target = $2`,
      [adsApi.admin.tenantId, run.id],
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  it('leaves what another upload has restated, and brings no undone value back', async () => {
    const first = await ingest(line('2026-05-01', '4', '10'));
    const second = await ingest(line('2026-05-01', '4', '20'));
    const third = await ingest(line('2026-05-01', '4', '30'));
    expect(await undo(second.id)).toMatchObject({ status: 'completed', receipt: { read: 0 } });
    expect(await spends('4')).toEqual(['30']);
    await undo(third.id);
    expect(await spends('4')).toEqual(['10']);
    expect(await verify(first.id)).toMatchObject({ matches: true });
    await undo(first.id);
    expect(await spends('4')).toEqual([]);
  });

  it('is taken back by reading the file again', async () => {
    const run = await ingest(line('2026-05-01', '5', '10'));
    await undo(run.id);
    const again = await api.call('uploads.reread', { ...asUpload(run.id), body: {} });
    expect(await ended(again.json().upload_id)).toMatchObject({ status: 'completed' });
    expect(await spends('5')).toEqual(['10']);
  });
});
