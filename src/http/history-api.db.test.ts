// What the API and the specifications' views say of an ended run does not change when it leaves the ledger for its history.
import { expect, it } from 'vitest';
import { useAdsApi } from '../../test/support/use-ads-api.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { moveToHistory, newMoverState } from '../engine/services/history.ts';
import { leastUuidv7 } from '../platform/ids.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asRun } = adsApi;

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const good = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, '0')},Spring,1001,1.5,100,5`);
const bad = '2024-01-31,Spring,1001,"7,5",100,5';

/** Without when it was asked, where the feed of events stood then, and the controller's decisions, which are written a moment after the end. */
const withoutMoments = (body: string) =>
  body.replace(/"(?:verified_at|last_position)":"[^"]*"/g, '').replace(/"decisions":\[.*?\],"samples"/, '"samples"');

/** Ended runs of the other pipelines, as a pipeline leaves them. */
async function addEndedRuns(tenantId: string): Promise<{ batch: string; letter: string }> {
  await db.admin.query(
    `insert into engine.pipelines (pipeline, version, initial_status, lost_limit, lost_action, failed_are_dead_letters)
     values ('judgments', 1, 'pending', 3, 'requeue', true) on conflict do nothing`,
  );
  const [batch, job, letter] = [1, 2, 3].map((n) => leastUuidv7(Date.UTC(2024, 4, n)));
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, unique_key, lane, input, receipt, attempt, error_code, created_at, started_at, finished_at)
     values ($2, $1, 'judgments', 'failed', 'failed', 'may', 'x', '{"file_hash": "abc"}', null, 1, 'nothing_imported', engine.now(), engine.now(), engine.now()),
            ($3, $1, 'syncs', 'success', 'done', null, 'x', '{"connector_id": "c", "external_account_id": "a"}', '{"read": 0}', 1, null, engine.now(), engine.now(), engine.now()),
            ($4, $1, 'syncs', 'dead_letter', 'dead', null, 'x', '{"connector_id": "c", "external_account_id": "a"}', null, 1, 'internal', engine.now(), engine.now(), engine.now())`,
    [tenantId, batch, job, letter],
  );
  await db.admin.query(
    `insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
     select tenant_id, id, pipeline, status, phase, finished_at from engine.runs where id = any ($1)`,
    [[batch, letter]],
  );
  await db.admin.query(
    `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at)
     values ($2, 1, $1, 'import', gen_random_uuid(), 'fail', engine.now(), engine.now())`,
    [tenantId, batch],
  );
  return { batch: batch ?? '', letter: letter ?? '' };
}

it('lists, search, a run, its events, attempts, rejects, rows and file, verify, dead letters and the views answer as before', async () => {
  const { upload_id: id } = (await upload([header, ...good, bad].join('\n'))).json();
  await ended(id);
  const { tenantId } = adsApi.admin;
  await addEndedRuns(tenantId);
  const isPositioned = `select not exists (select from engine.event_inbox) as done`;
  await waitFor(async () => (await db.admin.query(isPositioned)).rows[0].done || undefined, { what: 'the pump' });
  const as = adsApi.admin;
  const one = asRun(id);
  const answers = async () => {
    const given = {
      list: await api.call('runs.list', { as }),
      pages: await api.call('runs.list', { as, query: { limit: '2' } }),
      ofPipeline: await api.call('runs.list', { as, query: { pipeline: 'ads' } }),
      failed: await api.call('runs.list', { as, query: { phase: 'failed' } }),
      search: await api.call('runs.list', { as, query: { q: 'csv' } }),
      ingestionRuns: await api.call('ingestion-runs.list', { as }),
      show: await api.call('runs.show', one),
      events: await api.call('runs.events', one),
      attempts: await api.call('runs.attempts', one),
      rows: await api.call('runs.rows', one),
      rejects: await api.call('rejects.list', one),
      clusters: await api.call('rejects.clusters', one),
      csv: await api.call('rejects.download', one),
      upload: await api.call('uploads.show', { as, params: { upload_id: id } }),
      uploads: await api.call('uploads.list', { as }),
      reading: await api.call('uploads.reading', { as, params: { upload_id: id } }),
      verify: await api.call('runs.verify', one),
      letters: await api.call('dead-letters.list', { as }),
    };
    const views: Record<string, unknown> = {};
    for (const [view, key] of [
      ['public.data_uploads', 'id'],
      ['ingest.import_runs', 'id'],
      ['ingest.dead_letters', 'id'],
      ['public.ingestion_jobs', 'job_id'],
      ['engine.dead_letters', 'id'],
    ] as const)
      views[view] = (await db.admin.query(`select * from ${view} order by ${key}`)).rows;
    return {
      ...Object.fromEntries(
        Object.entries(given).map(([name, { statusCode, body }]) => [name, { statusCode, body: withoutMoments(body) }]),
      ),
      views,
    };
  };
  const before = await answers();
  for (const [name, answer] of Object.entries(before).filter(([each]) => each !== 'views'))
    expect(answer, name).toMatchObject({ statusCode: 200 });
  for (const [view, rows] of Object.entries(before.views as Record<string, unknown[]>))
    expect(rows.length, view).toBeGreaterThan(0);
  await db.admin.query('truncate engine.consumers');
  await waitFor(async () => !(await moveToHistory(db.engine, 0, newMoverState())) || undefined, { what: 'the mover' });
  const { rows } = await db.admin.query('select from engine.runs where tenant_id = $1', [tenantId]);
  expect(rows).toHaveLength(0);
  expect(await answers()).toEqual(before);
  const files = await db.admin.query(`select deleted_at from engine.blobs where tenant_id = $1`, [tenantId]);
  expect(files.rows).toEqual([{ deleted_at: null }]);
});
