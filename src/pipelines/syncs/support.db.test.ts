// What support and operators ask of syncs: the specification's queries across tenants, the stale view, the figures and the audit log.
import { describe, expect, it } from 'vitest';
import { buildConnector, buildSyncTenant } from '../../../test/support/syncs.ts';
import { useSyncs } from '../../../test/support/use-syncs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { withTransaction } from '../../platform/database.ts';
import { leastUuidv7, uuidv7 } from '../../platform/ids.ts';
import { recentFigures } from './figures.ts';
import { asSyncsSupport, countDeadLettersByError, listStuckJobs, SUPPORT_ROLE } from './sql/support-queries.ts';

const failing = new Set<string>();
const syncs = useSyncs({ outcome: ({ connectionId }) => (failing.has(connectionId) ? 'failed' : 'succeeded') });
const { db, dispatcher } = syncs;
const HOUR_MS = 3_600_000;

interface Made {
  readonly tenantId: string;
  readonly status: string;
  readonly phase: string;
  readonly hours: number;
  readonly errorCode?: string;
  readonly pipeline?: string;
}

async function addRun({ tenantId, status, phase, hours, errorCode, pipeline = 'syncs' }: Made): Promise<string> {
  const id = uuidv7();
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, error_code, started_at, finished_at)
     values ($1, $2, $3, $4, $5, 'x', '{"connector_id": "c"}', $6, engine.now() - $7 * interval '1 hour',
             case when $5 in ('dead', 'done') then engine.now() end)`,
    [id, tenantId, pipeline, status, phase, errorCode ?? null, hours],
  );
  return id;
}

/** The lease of a run that a worker holds, and whether that worker is heard of. */
async function lease(runId: string, tenantId: string, isAlive: boolean): Promise<void> {
  const worker = uuidv7();
  const times = isAlive ? `engine.now() + interval '1 hour'` : `engine.now() - interval '1 minute'`;
  await db.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, pipelines, concurrency, version, expires_at)
     values ($1, 'w', 1, 'h', '{syncs}', 1, 'x', ${times})`,
    [worker],
  );
  await db.admin.query(
    `insert into engine.leases (run_id, part, tenant_id, pipeline, lane, stage, attempt, worker_id, capped, queued_at)
     values ($1, '', $2, 'syncs', 'x', 'sync', 1, $3, false, engine.now())`,
    [runId, tenantId, worker],
  );
}

describe('support, across tenants', () => {
  it('finds stuck syncs and the errors of dead letters of every tenant, sees which are stale, and nothing but syncs', async () => {
    await syncs.service.engine.stop();
    const [one, two] = [await buildSyncTenant(db), await buildSyncTenant(db)];
    const stuck = await addRun({ tenantId: one, status: 'running', phase: 'active', hours: 5 });
    const long = await addRun({ tenantId: two, status: 'running', phase: 'active', hours: 3 });
    const young = await addRun({ tenantId: two, status: 'running', phase: 'active', hours: 1 });
    await lease(stuck, one, false);
    await lease(long, two, true);
    await lease(young, two, false);
    for (const tenantId of [one, two, two])
      await addRun({ tenantId, status: 'dead_letter', phase: 'dead', hours: 1, errorCode: 'airbyte_unauthorized' });
    await addRun({ tenantId: one, status: 'dead_letter', phase: 'dead', hours: 1, errorCode: 'airbyte_not_found' });
    await addRun({ tenantId: one, status: 'processing', phase: 'active', hours: 9, pipeline: 'judgments' });
    const seen = await asSyncsSupport(db.app, async (tx) => ({
      stuck: (await listStuckJobs(tx)).map((job) => [job.job_id, job.tenant_id, job.is_stale]),
      letters: await countDeadLettersByError(tx),
      stale: (await tx.query('select job_id from v_stale_jobs')).rows.map((row) => row.job_id),
      pipelines: (await tx.query('select distinct pipeline from engine.runs')).rows,
    }));
    expect(seen).toEqual({
      stuck: [
        [stuck, one, true],
        [long, two, false],
      ],
      letters: [
        { error_code: 'airbyte_unauthorized', count: 3 },
        { error_code: 'airbyte_not_found', count: 1 },
      ],
      stale: [stuck],
      pipelines: [{ pipeline: 'syncs' }],
    });
    await expect(
      withTransaction(db.app, async (tx) => {
        await tx.query(`select set_config('role', $1, true)`, [SUPPORT_ROLE]);
        await tx.query('update engine.runs set error_text = null');
      }),
    ).rejects.toMatchObject({ code: '42501' });
    await db.admin.query('truncate engine.runs, engine.leases, engine.workers');
    await syncs.service.engine.start();
  });
});

describe('the figures', () => {
  it('count the time of attempts, not the waits between them, and the share of executions that ended in a retry', async () => {
    const tenantId = await buildSyncTenant(db);
    const id = leastUuidv7(Date.now() - HOUR_MS);
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, attempt, started_at, finished_at)
       values ($1, $2, 'syncs', 'success', 'done', 'x', '{"connector_id": "c"}', '{"read": 0}', 2, engine.now() - interval '1 hour', engine.now())`,
      [id, tenantId],
    );
    await db.admin.query(
      `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, error_code, error_kind, queued_at, started_at, ended_at)
       values ($1, 1, $2, 'sync', gen_random_uuid(), 'retried', 'airbyte_unavailable', 'transient', engine.now(), engine.now() - interval '1 hour', engine.now() - interval '59 minutes'),
              ($1, 2, $2, 'sync', gen_random_uuid(), 'complete', null, null, engine.now(), engine.now() - interval '2 minutes', engine.now())`,
      [id, tenantId],
    );
    const figures = await recentFigures(db.engine, tenantId);
    expect(figures.average_seconds).toBeCloseTo(180, 0);
    expect(figures).toMatchObject({ executions: 2, retries: [{ error_code: 'airbyte_unavailable', count: 1 }] });
  });
});

describe('the audit log', () => {
  it('holds the six events of the job model, each once, with its key fields', async () => {
    const connect = () => buildConnector(syncs.service, syncs.airbyte, syncs.tenantId);
    const [well, badly, refused] = [await connect(), await connect(), await connect()];
    failing.add(badly.connection_id);
    (syncs.airbyte.world.connections.get(refused.connection_id) as { status: string }).status = 'deprecated';
    const jobs: string[] = [];
    for (const connector of [well, badly, refused])
      jobs.push((await dispatcher().dispatch({ connectorId: connector.connector_id })).job.job_id);
    const wanted = [
      ['job.queued', 'job.started', 'job.completed'],
      ['job.queued', 'job.started', 'job.failed', 'job.retry'],
      ['job.queued', 'job.dead_lettered'],
    ];
    const entries = async (jobId: string) => {
      const { rows } = await db.admin.query<{ action: string; outcome: string; data: Record<string, unknown> }>(
        `select action, outcome, data from audit_log where target = $1 and tenant_id = $2`,
        [jobId, syncs.tenantId],
      );
      return rows;
    };
    for (const [index, jobId] of jobs.entries()) {
      const actions = wanted[index] as string[];
      await waitFor(async () => (await entries(jobId)).length === actions.length, { what: `entries of ${actions}` });
      expect((await entries(jobId)).map(({ action }) => action).sort()).toEqual(actions.toSorted());
    }
    const [completed] = (await entries(jobs[0] as string)).filter(({ action }) => action === 'job.completed');
    expect(completed).toMatchObject({ outcome: 'done', data: { job_id: jobs[0], records_synced: expect.any(Number) } });
    const [retry] = (await entries(jobs[1] as string)).filter(({ action }) => action === 'job.retry');
    expect(retry?.data).toMatchObject({ job_id: jobs[1], retry_count: 1, delay_seconds: expect.any(Number) });
    const [dead] = (await entries(jobs[2] as string)).filter(({ action }) => action === 'job.dead_lettered');
    expect(dead).toMatchObject({ outcome: 'failed', data: { error_code: 'airbyte_not_found', retry_count: 0 } });
  });
});
