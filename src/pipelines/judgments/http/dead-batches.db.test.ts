// A failed batch waits for a person: it stands among the dead letters wherever they are counted or listed, and leaves all of them at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../../test/support/judgments.ts';
import { field, filePart, form, multipartType } from '../../../../test/support/multipart.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { readTrouble } from '../../../engine/reads/read-queue.ts';
import { readQueueSigns } from '../../../engine/reads/read-vital-signs.ts';
import { readMetric } from '../../../outbound/alerts/metrics.ts';
import { silentLog } from '../../../platform/log.ts';
import { readIngestFigures } from '../sql/read-ingest-figures.ts';
import { readQueueDepths } from '../sql/read-report-facts.ts';
import { batchHandlers, judgmentsIntake } from './batch-handlers.ts';

const db = useDatabase();
let bench: JudgmentsBench;
let admin: TestUser;
let support: TestUser;
let user: TestUser;

beforeAll(async () => {
  bench = await openJudgmentsBench(db.appUrl);
  await bench.engine.start();
  const tenantId = await buildTenant(db);
  [admin, support, user] = [
    await buildUser(db, tenantId, 'admin'),
    await buildUser(db, tenantId, 'support'),
    await buildUser(db, tenantId, 'user'),
  ];
});
afterAll(() => bench.close());

const api = useApi(db, () => ({
  engine: bench.engine,
  handlers: batchHandlers({ store: bench.store }),
  pipelines: { judgments: { title: 'Judgments', intake: judgmentsIntake(bench.engine, silentLog) } },
}));

const good = 'A-1,Ann,Bob,10,2024-01-01,Kings,,,';
const bad = ',Ann,Bob,10,2024-01-01,Kings,,,';
const tenant = () => admin.tenantId;

async function fail(batch: string): Promise<string> {
  return (await bench.ingest(tenant(), judgmentsFile(bad), { source_batch_id: batch })).id;
}

/** What each place that knows dead letters says of this tenant; the places of the whole installation say the difference to before. */
async function counted() {
  const { control } = bench.engine.pools;
  const listed = async (as: TestUser) =>
    (await api.call('dead-letters.list', { as })).json().data.map((run: { run_id: string }) => run.run_id);
  const alerted = (await readMetric(control, 'dead_letters', null, {})).find((each) => each.tenantId === tenant());
  const views = await db.admin.query<{ engine: string[]; ingest: string[] }>(
    `select array(select id from engine.dead_letters where tenant_id = $1 order by id desc) as engine,
            array(select id from ingest.dead_letters where tenant_id = $1 order by id desc) as ingest`,
    [tenant()],
  );
  const [trouble] = (await readTrouble(control)).filter(({ pipeline }) => pipeline === 'judgments');
  return {
    listed: await listed(admin),
    listedForSupport: await listed(support),
    ...views.rows[0],
    counts: {
      alert: alerted?.value ?? 0,
      reporter: (await readQueueDepths(control, tenant())).dead_letters,
      metrics: (await readIngestFigures(control, tenant())).dead_letters,
      prometheus: trouble?.dead_letters,
      doctor: Number((await readQueueSigns(control)).dead_letters),
    },
  };
}

function agreed(ids: readonly string[]) {
  const count = ids.length;
  const letters = [...ids].sort().reverse();
  return {
    listed: letters,
    listedForSupport: letters,
    engine: letters,
    ingest: letters,
    counts: { alert: count, reporter: count, metrics: count, prometheus: count, doctor: count },
  };
}

const show = async (as: TestUser, runId: string) =>
  (await api.call('runs.show', { as, params: { run_id: runId } })).json();
const act = (
  as: TestUser,
  operation: 'dead-letters.acknowledge' | 'dead-letters.requeue',
  runId: string,
  body: object,
) => api.call(operation, { as, params: { run_id: runId }, body });

describe('a failed batch', () => {
  it('stands among the dead letters everywhere, is seen by support, and is no dead letter for a user to settle', async () => {
    const first = await fail('everywhere');
    expect(await counted()).toEqual(agreed([first]));
    expect((await show(support, first)).actions).toEqual(['requeue', 'acknowledge']);
    expect((await show(admin, first)).actions).toEqual(['retry', 'acknowledge', 'verify']);
    expect((await show(user, first)).actions).toEqual(['retry', 'verify']);
    expect((await act(user, 'dead-letters.acknowledge', first, { reason: 'x' })).statusCode).toBe(403);
    expect((await act(admin, 'dead-letters.acknowledge', first, {})).statusCode).toBe(400);
  });

  it('leaves when it is acknowledged, which changes nothing of the run and is in the audit log once', async () => {
    const [waiting] = (await counted()).listed as string[];
    const seen = await fail('seen');
    const before = await bench.engine.run(tenant(), seen);
    for (let time = 0; time < 2; time++)
      expect((await act(support, 'dead-letters.acknowledge', seen, { reason: 'SUP-7' })).json()).toMatchObject({
        run_id: seen,
        status: 'failed',
      });
    expect(await counted()).toEqual(agreed([waiting as string]));
    expect(await bench.engine.run(tenant(), seen)).toEqual(before);
    const shown = await show(admin, seen);
    expect(shown).toMatchObject({ acknowledged: { by: support.email, reason: 'SUP-7' }, actions: ['retry', 'verify'] });
    const { rows } = await db.admin.query(
      `select actor, data from audit_log where action = 'dead-letters.acknowledge' and outcome = 'done' and target = $1`,
      [seen],
    );
    expect(rows).toEqual([{ actor: support.email, data: { reason: 'SUP-7' } }]);
  });

  it('leaves when it is superseded: what it was to bring came by another file', async () => {
    const [waiting] = (await counted()).listed as string[];
    const old = await fail('replaced');
    const upload = (...parts: Buffer[]) =>
      api.call('batches.create', {
        as: admin,
        body: form(field('source_batch_id', 'replaced'), ...parts, filePart('new.csv', judgmentsFile(good))),
        headers: { 'content-type': multipartType },
      });
    expect((await upload()).json().code).toBe('batch_failed_before');
    const { run_id: next } = (await upload(field('supersede', 'true'))).json();
    expect(await counted()).toEqual(agreed([waiting as string]));
    await bench.ended(tenant(), next);
    expect(await counted()).toEqual(agreed([waiting as string]));
    expect((await show(admin, old)).actions).not.toContain('retry');
    expect((await act(admin, 'dead-letters.acknowledge', old, { reason: 'x' })).json().code).toBe('not_a_dead_letter');
  });

  it('leaves when support requeues it, for a ticket, and comes back as its successor when that fails too', async () => {
    const [waiting] = (await counted()).listed as string[];
    const old = await fail('again');
    const answer = await act(support, 'dead-letters.requeue', old, { ticket: 'SUP-8' });
    expect(answer.statusCode, answer.body).toBe(202);
    const { run_id: next } = answer.json();
    await bench.ended(tenant(), next);
    await waitFor(async () => (await counted()).listed.includes(next));
    expect(await counted()).toEqual(agreed([waiting as string, next]));
    expect((await act(support, 'dead-letters.requeue', old, { ticket: 'SUP-8' })).json().code).toBe(
      'run_already_retried',
    );
  });
});

describe('runs that are no dead letters', () => {
  it('cannot be acknowledged, nor seen by support', async () => {
    const done = await bench.ingest(tenant(), judgmentsFile(good), { source_batch_id: 'fine' });
    expect((await act(admin, 'dead-letters.acknowledge', done.id, { reason: 'x' })).json().code).toBe(
      'not_a_dead_letter',
    );
    expect((await act(support, 'dead-letters.acknowledge', done.id, { reason: 'x' })).json().code).toBe(
      'not_a_dead_letter',
    );
    expect((await show(support, done.id)).code).toBe('run_not_found');
  });
});
