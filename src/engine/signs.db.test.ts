// Whether work moves on: what counts as standing still, and who tells it.
import { beforeEach, describe, expect, it } from 'vitest';
import { evaluate } from '../../test/support/alerts.ts';
import { useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { uuidv7 } from '../platform/ids.ts';
import { checkWork } from '../roles/check-work.ts';
import { readConsumerSigns, readOutboxSigns, readSigns, readTableSigns, readXminAge } from './reads/read-signs.ts';

const db = useDatabase();
const tenantId = newTenant();
const alive = uuidv7();
const api = useApi(db, () => ({ workChecks: { work: checkWork(db.engine, 15) } }));

beforeEach(async () => {
  await db.admin.query(`
    truncate engine.runs, engine.leases, engine.ready, engine.workers, engine.progress, engine.pauses cascade;
    insert into engine.pipelines (pipeline, version, initial_status, lost_limit, lost_action)
    values ('standing', 1, 'queued', 5, 'requeue') on conflict do nothing`);
  await addWorker(alive, "engine.now() + interval '1 hour'");
});

async function addWorker(workerId: string, expiresAt: string, extra = 'null'): Promise<void> {
  await db.admin.query(
    `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at, last_end_at)
     values ($1, 'w', 1, 'h', 'test', '{standing}', 1, ${expiresAt}, ${extra})`,
    [workerId],
  );
}

async function addLease(workerId: string, since: string): Promise<string> {
  const runId = uuidv7();
  await db.admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, attempt, started_at)
     values ($1, $2, 'standing', 'working', 'active', 'x', '{}', $1::uuid::text, 1, engine.now() - $3::interval)`,
    [runId, tenantId, since],
  );
  await db.admin.query(
    `insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, claimed_at)
     values ($1, 1, $2, $3, 'standing', 'x', 'work', false, engine.now(), engine.now() - $4::interval)`,
    [runId, workerId, tenantId, since],
  );
  return runId;
}

const addReady = (since: string) =>
  db.admin.query(
    `insert into engine.ready (pipeline, lane, priority, run_id, queued_at) values ('standing', $1, 0, $2, engine.now() - $3::interval)`,
    [tenantId, uuidv7(), since],
  );

const minutes = async () => {
  const { no_end_s: seconds } = await readSigns(db.engine);
  return seconds === null ? null : Math.round(seconds / 60);
};

describe('work stands still', () => {
  it('for no time while there is none, and from when it was queued or claimed', async () => {
    expect(await readSigns(db.engine)).toMatchObject({ active: 0, has_due: false, no_end_s: null });
    await addReady('20 minutes');
    expect(await minutes()).toBe(20);
    await addLease(alive, '30 minutes');
    expect(await minutes()).toBe(30);
  });

  it('since the last end of any worker, also of one that has stopped, or since a run last moved', async () => {
    const runId = await addLease(alive, '50 minutes');
    await addWorker(uuidv7(), 'engine.now()', "engine.now() - interval '40 minutes'");
    expect(await minutes()).toBe(40);
    await db.admin.query(
      `insert into engine.progress (run_id, tenant_id, attempt, stage, done, updated_at) values ($1, $2, 1, 'work', 1, engine.now() - interval '10 minutes')`,
      [runId, tenantId],
    );
    expect(await minutes()).toBe(10);
  });

  it('not when a person has paused it', async () => {
    await addReady('20 minutes');
    await db.admin.query(`insert into engine.pauses (pipeline, lane, paused_by) values ('standing', '', 'ann')`);
    expect(await readSigns(db.engine)).toMatchObject({ has_due: false, no_end_s: null });
  });
});

it('a lease has no owner when its worker has ended, gone silent or is unknown', async () => {
  await addLease(alive, '1 minute');
  const [silent, ended] = [uuidv7(), uuidv7()];
  await addWorker(silent, "engine.now() - interval '1 minute'");
  await addWorker(ended, "engine.now() + interval '1 minute'");
  await db.admin.query(
    `update engine.workers set ended_at = engine.now(), end_reason = 'stopped' where worker_id = $1`,
    [ended],
  );
  for (const workerId of [silent, ended, uuidv7()]) await addLease(workerId, '1 minute');
  expect(await readSigns(db.engine)).toMatchObject({ active: 4, ownerless: 3 });
});

it('/ready says degraded with 200, and the tenants with work get an alert that is resolved when runs end again', async () => {
  const degraded = async () => {
    const answer = await api.server.inject('/ready');
    return [answer.statusCode, answer.json<{ status: string }>().status];
  };
  await addLease(alive, '20 minutes');
  const answer = await api.server.inject('/ready');
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    status: 'degraded',
    checks: { work: { ok: false, detail: 'there is work, and no run has ended or moved for 20 minutes' } },
  });
  await evaluate(db);
  const open = async () =>
    (
      await db.admin.query<{ message: string }>(
        `select message from engine.alerts where tenant_id = $1 and rule = 'no_run_ends' and resolved_at is null`,
        [tenantId],
      )
    ).rows.map(({ message }) => message);
  expect(await open()).toEqual(['Millrace has work, and no run has ended or moved for 20 minutes']);
  await db.admin.query('update engine.workers set last_end_at = engine.now()');
  await evaluate(db);
  expect(await open()).toEqual([]);
  await waitFor(async () => (await degraded()).join() === '200,ready', { what: '/ready to ask again' });
});

it('a worker whose ends cannot be written says so with its heartbeat, and again when they could', async () => {
  const engine = await buildEngine(db.appUrl, [buildPipeline('standing_ends', async () => ({ on: 'complete' }))], {
    settings: { heartbeatMs: 100 },
  });
  const hold = await db.admin.connect();
  try {
    await engine.start({ worker: true });
    // Everything that ends must take its row out of the leases.
    await hold.query('begin; lock table engine.attempts in exclusive mode');
    const { id } = await engine.enqueue({ pipeline: 'standing_ends', tenantId, input: {} });
    await waitFor(async () => (await readSigns(db.engine)).ends_waiting === 1, { what: 'the waiting end to be told' });
    expect((await readSigns(db.engine)).oldest_end_s).toBeGreaterThan(0);
    expect(engine.vitals.signs().endsWaiting).toBe(1);
    await hold.query('rollback');
    await waitFor(async () => (await engine.run(tenantId, id)).finished_at !== null, { what: 'the run to end' });
    const told = await waitFor(
      async () => {
        const { rows } = await db.admin.query(
          'select 1 from engine.workers where last_end_at is not null and ends_waiting = 0',
        );
        return rows.length > 0 || undefined;
      },
      { what: 'the end to be told' },
    );
    expect(told).toBe(true);
  } finally {
    hold.release(true);
    await engine.close();
  }
});

it('lag of outbox and consumers, dead rows and the age of the oldest snapshot can be read by the engine', async () => {
  await db.admin.query(`
    truncate engine.event_inbox;
    insert into engine.consumers (consumer, position) values ('late', 0);
    with told as (insert into engine.events (tenant_id, type, key, data, created_at)
                  select gen_random_uuid(), 'test', n::text, '{}', engine.now() - interval '1 minute' from generate_series(1, 3) n returning event_id),
         waiting as (insert into engine.event_inbox select max(event_id) from told)
    insert into engine.event_positions (event_id) select event_id from told order by event_id limit 2`);
  expect(await readOutboxSigns(db.engine)).toMatchObject({ waiting: 1, oldest_s: expect.closeTo(60, -1) });
  expect(await readConsumerSigns(db.engine)).toContainEqual({
    consumer: 'late',
    behind: 2,
    behind_s: expect.closeTo(60, -1),
  });
  expect((await readTableSigns(db.engine)).map(({ table }) => table)).toContain('ready');
  const reader = await db.admin.connect();
  try {
    await reader.query('begin isolation level repeatable read; select 1');
    await db.admin.query('create table churn (n int); insert into churn values (1)');
    expect(await readXminAge(db.engine)).toBeGreaterThan(0);
  } finally {
    reader.release(true);
  }
});
