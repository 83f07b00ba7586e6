// An installation of the first version is migrated in place and loses nothing.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyPipeline } from '../../src/engine/pipeline.ts';
import { replayConsumer } from '../../src/engine/replay.ts';
import { adsPipeline } from '../../src/pipelines/ads/ads.pipeline.ts';
import { replayRejects } from '../../src/pipelines/ads/replay.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { judgmentsPipeline } from '../../src/pipelines/judgments/judgments.pipeline.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { audit } from '../chaos/auditor.ts';
import { noCounts } from '../chaos/suites/suite.ts';
import { applyEvents, tallyPipeline } from '../chaos/tally.ts';
import { numbersOf } from '../support/ads.ts';
import { createEmptyDatabase, setClockOffset } from '../support/database.ts';
import { buildEngine } from '../support/engine.ts';
import { casesOf } from '../support/judgments.ts';
import { waitFor } from '../support/wait-for.ts';
import { type OldInstallation, rebuildInstallation } from './installation.ts';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let old: OldInstallation;
let admin: pg.Pool;
let engine: Awaited<ReturnType<typeof buildEngine>>;
let store: DiskBlobStore;

beforeAll(async () => {
  database = await createEmptyDatabase();
  old = await rebuildInstallation(database.url, database.login);
  admin = new pg.Pool({ connectionString: database.url, max: 2 });
  store = new DiskBlobStore({ root: old.store });
  await migrate({ url: database.url, appLogin: database.login, roles: kitRoles });
  const small = { batchBytes: 1_500, flushRows: 20 };
  const pipelines = [
    adsPipeline({ store, ...small, promotionRows: 20 }),
    judgmentsPipeline({ store, ...small, loadRows: 20 }),
    tallyPipeline(),
  ];
  engine = await buildEngine(database.appUrl, pipelines as readonly AnyPipeline[]);
  engine.consume({ name: 'chaos', apply: applyEvents });
  engine.consume(replayConsumer);
});

afterAll(async () => {
  await engine.close();
  await store.close();
  await admin.end();
  await database.close();
  old.remove();
});

const rowsOf = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  (await admin.query<T>(text, values)).rows;

const countOf = async (from: string) => (await rowsOf<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n;

function ended({ tenantId, runId }: { tenantId: string; runId: string }) {
  return waitFor(
    async () => {
      const run = await engine.run(tenantId, runId);
      return run.finished_at === null ? undefined : run;
    },
    { what: `run ${runId} to end` },
  );
}

describe('an installation of the first version, migrated in place', () => {
  it('still has every run, lease, event, reject, checkpoint and schedule', async () => {
    for (const table of ['runs', 'leases', 'events', 'event_inbox', 'rejects', 'checkpoints', 'schedules', 'attempts'])
      expect([table, await countOf(`engine.${table}`)]).toEqual([table, old.tables[`engine.${table}`]?.length]);
    // What it holds is worth the test.
    const phases = await rowsOf<{ phase: string }>('select distinct phase from engine.runs');
    expect(phases.map(({ phase }) => phase).sort()).toEqual(['active', 'done', 'failed', 'waiting']);
    expect(old.tables['engine.leases']?.length).toBeGreaterThan(5);
    expect(old.tables['engine.event_inbox']?.length).toBeGreaterThan(10);
  });

  it('leaves the runs of a worker that lives alone until its lease is over, and takes the others back', async () => {
    const living = await rowsOf<{ worker_id: string; expires_at: Date }>(
      'select worker_id, expires_at from engine.workers where ended_at is null order by expires_at desc limit 1',
    );
    await engine.start();
    await waitFor(
      async () =>
        (await countOf(`engine.leases l join engine.workers w using (worker_id) where w.ended_at is not null`)) === 0 &&
        (await countOf(`engine.attempts where outcome = 'lost' and worker_id = '${living[0]?.worker_id}'`)) !== 0,
      { what: 'the living worker to expire' },
    );
    const early = await rowsOf(
      `select run_id from engine.attempts where outcome = 'lost' and worker_id = $1 and ended_at < $2`,
      [living[0]?.worker_id, living[0]?.expires_at],
    );
    expect(early).toEqual([]);
  });

  it('ends every run that was under way or waited, when it is no longer paused and held', async () => {
    expect(await rowsOf(`select from engine.runs where pipeline = 'tally' and phase = 'waiting'`)).not.toEqual([]);
    await engine.unpause('tally');
    // What was planned for later is due now.
    await setClockOffset(admin, `${old.secondsBack + 30} seconds`);
    const { tenantId, runId } = old.runs.held;
    expect(await engine.run(tenantId, runId)).toMatchObject({ held_by: 'maker' });
    await engine.resume({ tenantId, by: 'tester' }, runId);
    await waitFor(async () => (await countOf(`engine.runs where phase in ('waiting', 'active')`)) === 0, {
      what: 'every run to end',
    });
    for (const name of ['held', 'planned', 'keyed'] as const)
      expect(await ended(old.runs[name])).toMatchObject({ phase: 'done' });
  });

  it('has each part of each run once, each event applied once and in order: the auditor finds nothing', async () => {
    await waitFor(
      async () =>
        (await countOf('engine.event_inbox')) === 0 &&
        (await countOf(
          `engine.event_positions p where p.position > (select position from engine.consumers where consumer = 'chaos')`,
        )) === 0,
      { what: 'the events to be consumed' },
    );
    const { counts, findings, ended: runs } = await audit(old.ledger, database.url);
    // The auditor's ledger knows nothing of the one that a person cancelled.
    expect(findings.filter((finding) => !/^wrong: is failed \(run_cancelled\)/.test(finding))).toEqual([]);
    expect(counts).toMatchObject({ ...noCounts, wrong: counts.wrong });
    expect(runs).toBeGreaterThan(50);
    const disorder = await rowsOf(
      `select from (
         select v.event_id, lag(v.event_id) over (partition by v.run_id order by p.position) as before
         from engine.events v join engine.event_positions p using (event_id)
       ) x where before > event_id`,
    );
    expect(disorder).toEqual([]);
  });

  it('goes on with uploads from their checkpoints: tables and receipts are those of an undisturbed one', async () => {
    const whole = await numbersOf(admin, old.runs.adsWaiting.tenantId);
    // A reading that began before bytes were counted ends as it began: without them.
    const { content, ...receipt } = (await ended(old.runs.adsWaiting)).receipt as { content?: unknown };
    expect(content).toBeDefined();
    expect(whole.daily_metrics?.length).toBeGreaterThan(100);
    for (const name of ['adsParsing', 'adsPromoting'] as const) {
      const run = await ended(old.runs[name]);
      expect([name, run.status, run.receipt]).toEqual([name, 'completed', receipt]);
      expect([name, await numbersOf(admin, run.tenant_id)]).toEqual([name, whole]);
    }
    const { tenant_id: tenantId, receipt: imported } = await ended(old.runs.judgmentsLoading);
    expect(imported).toEqual((await ended(old.runs.judgmentsDone)).receipt);
    expect(await casesOf(admin, tenantId)).toEqual(await casesOf(admin, old.runs.judgmentsDone.tenantId));
  });

  it('verifies receipts that the old version wrote, and those that the new one ended', async () => {
    for (const name of ['adsDone', 'adsParsing', 'adsPromoting', 'judgmentsDone', 'judgmentsLoading'] as const) {
      const { tenantId, runId } = old.runs[name];
      expect([name, (await engine.verify(tenantId, runId)).differences]).toEqual([name, []]);
    }
    expect(await engine.run(old.runs.adsGated.tenantId, old.runs.adsGated.runId)).toMatchObject({ phase: 'failed' });
  });

  it('replays rows that were refused and corrected before', async () => {
    const { tenantId, runId } = old.runs.adsDone;
    const replay = await replayRejects(engine, store, { tenantId, runId });
    expect(replay.rows).toBe(2);
    expect(await ended({ tenantId, runId: replay.runId })).toMatchObject({ phase: 'done', receipt: { read: 2 } });
    await waitFor(
      async () => (await countOf(`engine.rejects where run_id = '${runId}' and status = 'resolved'`)) === 2,
      {
        what: 'the replayed rejects to be settled',
      },
    );
  });

  it('fires a schedule that came due once, and keeps the one of next year', async () => {
    const { tenantId } = old.runs.held;
    const fired = await rowsOf('select source_id, phase from engine.runs where source_id is not null');
    expect(fired).toEqual([{ source_id: 'schedule:due', phase: 'done' }]);
    expect((await engine.listSchedules(tenantId)).map(({ name }) => name)).toEqual(['due', 'later']);
  });

  it('keeps the meaning of keys for ever', async () => {
    const { tenantId, runId } = old.runs.keyed;
    const again = await engine.enqueue({
      ...{ pipeline: 'tally', tenantId, uniqueKey: 'once' },
      input: { parts: 1, amount: 1, trouble: 'none', stepMs: 0 },
    });
    expect(again).toEqual({ id: runId, created: false });
  });
});
