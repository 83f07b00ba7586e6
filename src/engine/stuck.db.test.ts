// What holds a lease and does not move: claims in doubt, statements that stall, processes that do not read their answers.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, endOfRun, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { Claimer } from './claimer.ts';
import type { Stage } from './pipeline.ts';
import { rescueLostRuns } from './services/rescuer.ts';
import { lockLease } from './sql/fence.ts';
import { registerWorker } from './sql/workers.ts';
import { stageRunOf } from './stage-run.ts';

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function open(name: string, stage: Stage<Record<string, unknown>>, settings = {}) {
  const backoff = { baseMs: 1, factor: 1, maxMs: 1, jitter: 0 };
  const pipeline = buildPipeline(name, stage, { retry: { transient: { max: 3, backoff } } });
  const engine = await buildEngine(database.appUrl, [pipeline], { settings });
  engines.push(engine);
  return engine;
}

type TestEngine = Awaited<ReturnType<typeof open>>;

const ended = (engine: TestEngine, id: string) => endOfRun(engine, tenantId, id);

/** Statement after statement, none of them long, and no sign of activity: only the server can end it. */
const stallsFirst: Stage<Record<string, unknown>>['work'] = async ({ run, input, commit }) => {
  if (input.stall === true && run.attempt === 1)
    await commit(async (tx) => {
      for (;;) await tx.query('select pg_sleep(0.2)');
    });
  return 'complete';
};

it('a lease from a claim whose answer never came is given back by its living worker, and the run is worked on', async () => {
  const engine = await open('in_doubt', { work: async () => 'complete' });
  await engine.pause('in_doubt', 'tester');
  const { id } = await engine.enqueue({ pipeline: 'in_doubt', tenantId, input: {} });
  await engine.start();
  const { rows } = await database.admin.query<{ worker_id: string }>(
    `select worker_id from engine.workers where ended_at is null and 'in_doubt' = any (pipelines)`,
  );
  // The claim, committed in the worker's name without its knowing.
  await database.admin.query(
    `with q as (delete from engine.ready where run_id = $1 returning queued_at),
          r as (update engine.runs set status = 'working', phase = 'active', attempt = attempt + 1, started_at = now() where id = $1 returning *)
     insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at)
     select r.id, r.attempt, $2, r.tenant_id, r.pipeline, r.lane, 'work', false, q.queued_at from q, r`,
    [id, rows[0]?.worker_id],
  );
  await engine.unpause('in_doubt');
  expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempt: 2 });
  const attempts = await database.admin.query(
    'select outcome from engine.attempts where run_id = $1 order by attempt',
    [id],
  );
  expect(attempts.rows.map((row) => row.outcome)).toEqual(['released', 'complete']);
});

describe('effects that stall', () => {
  it('are cancelled by the server, and no other run waits for them', async () => {
    const engine = await open('stalling', { stallMs: 1_000, work: stallsFirst });
    await engine.start();
    const slow = await engine.enqueue({ pipeline: 'stalling', tenantId, input: { stall: true } });
    await waitFor(async () => (await engine.run(tenantId, slow.id)).phase === 'active');
    const others = await engine.enqueueMany(
      Array.from({ length: 20 }, () => ({ pipeline: 'stalling', tenantId, input: {} })),
    );
    for (const { id } of others) expect(await ended(engine, id)).toMatchObject({ status: 'completed' });
    expect(await ended(engine, slow.id)).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it('in one statement run into a limit, their own or that of their stage, and are tried again', async () => {
    const engine = await open('one_long', {
      stallMs: 1_000,
      async work({ run, commit }) {
        if (run.attempt === 1)
          await commit(async (tx) => {
            await tx.query('select pg_sleep(60)');
          });
        return 'complete';
      },
    });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'one_long', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempt: 2 });
    const { rows } = await database.admin.query(
      'select error_code from engine.attempts where run_id = $1 and attempt = 1',
      [id],
    );
    expect(['statement_cancelled', 'stage_stalled']).toContain(rows[0]?.error_code);
  });

  it('in one statement may do half as much in the whole time once more: a stage that is no longer stopped by its limit is not stalled', async () => {
    const sizes: number[] = [];
    const engine = await open('halving', {
      stallMs: 2_000,
      async work({ commit }) {
        for (let size = 8; ; size /= 2) {
          sizes.push(size);
          // Too long for the limit, then together with the first try too long for the stage.
          const done = await commit(async (tx) => {
            await tx.query('select pg_sleep($1::float8 * 0.35)', [size]);
            return true;
          }).catch((error: { code?: string }) => {
            if (error.code !== 'statement_cancelled') throw error;
            return false;
          });
          if (done) return 'complete';
        }
      },
    });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'halving', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(sizes.slice(0, 2)).toEqual([8, 4]);
  });

  it('again and again in the same statement are stalled in the end', async () => {
    let tries = 0;
    const engine = await open('stubborn', {
      // Far longer than a try, so that only what no longer counts as a sign of activity lets it pass.
      stallMs: 1_000,
      async work({ run, commit, signal }) {
        const begun = performance.now();
        while (run.attempt === 1 && !signal.aborted && performance.now() - begun < 30_000) {
          tries += 1;
          await commit(async () => {
            throw new MillraceError('statement_cancelled', {});
          }).catch(() => {});
        }
        signal.throwIfAborted();
        return 'complete';
      },
    });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'stubborn', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempt: 2 });
    const { rows } = await database.admin.query(
      'select error_code from engine.attempts where run_id = $1 and attempt = 1',
      [id],
    );
    expect(rows).toEqual([{ error_code: 'stage_stalled' }]);
    expect(tries).toBeGreaterThan(20);
  });

  it('are limited on the server as a whole, where it can: a frozen worker does not keep them open', async () => {
    const limits: Record<string, string>[] = [];
    const engine = await open('limited', {
      stallMs: 5_000,
      async work({ commit }) {
        await commit(async (tx) => {
          const { rows } = await tx.query<Record<string, string>>(
            `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle,
                    coalesce(current_setting('transaction_timeout', true), 'not there') as transaction`,
          );
          limits.push(...rows);
        });
        return 'complete';
      },
    });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'limited', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed' });
    const { rows } = await database.admin.query<{ is17: boolean }>(
      `select current_setting('server_version_num')::int >= 170000 as is17`,
    );
    expect(limits).toEqual([{ statement: '4s', idle: '1500ms', transaction: rows[0]?.is17 ? '10s' : 'not there' }]);
  });

  it('as a whole run into the limit of the transaction, however often they say that they live, which is tried again', async () => {
    const { rows: server } = await database.admin.query<{ is17: boolean }>(
      `select current_setting('server_version_num')::int >= 170000 as is17`,
    );
    if (!server[0]?.is17) return;
    const engine = await open('one_long_transaction', {
      stallMs: 1_000,
      async work({ run, commit, progress }) {
        await commit(async (tx) => {
          for (let done = 0; run.attempt === 1; done += 1) {
            await tx.query('select pg_sleep(0.1)');
            progress({ done });
          }
        });
        return 'complete';
      },
    });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'one_long_transaction', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempt: 2 });
    const { rows } = await database.admin.query(
      'select error_kind, error_code from engine.attempts where run_id = $1 and attempt = 1',
      [id],
    );
    expect(rows).toEqual([{ error_kind: 'transient', error_code: 'statement_cancelled' }]);
  });

  it('are stopped when their run is cancelled', async () => {
    const engine = await open('cancelled', { work: stallsFirst });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'cancelled', tenantId, input: { stall: true } });
    await waitFor(
      async () =>
        (
          await database.admin.query(
            `select from pg_stat_activity where query like '%pg_sleep(0.2)%' and pid <> pg_backend_pid()`,
          )
        ).rowCount !== 0,
    );
    expect(await engine.cancel({ tenantId, by: 'tester' }, id)).toBe('requested');
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled', attempt: 1 });
  });

  it('do not keep a worker that stops: the run goes back within its grace', async () => {
    const engine = await open('draining', { work: stallsFirst }, { drainMs: 500 });
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'draining', tenantId, input: { stall: true } });
    await waitFor(
      async () =>
        (
          await database.admin.query(
            `select from pg_stat_activity where query like '%pg_sleep(0.2)%' and pid <> pg_backend_pid()`,
          )
        ).rowCount !== 0,
    );
    await engine.stop();
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting', attempt: 1, failures: {} });
    const leases = await database.admin.query('select from engine.leases where run_id = $1', [id]);
    expect(leases.rowCount).toBe(0);
  });
});

it('a process that is frozen with an unread answer loses its run when its lease is over', async () => {
  const engine = await open('frozen', { work: async () => 'complete' });
  const workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['frozen'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
  const { id } = await engine.enqueue({ pipeline: 'frozen', tenantId, input: {} });
  const [row] = await new Claimer(engine.pools.control, engine.registry).claimById(workerId, id);
  const client = await engine.pools.effects.connect();
  client.on('error', () => {});
  await client.query('begin');
  await lockLease(client, stageRunOf(row as NonNullable<typeof row>, 'work'));
  const { stream } = (client as unknown as { connection: { stream: { pause(): void; destroy(): void } } }).connection;
  const answer = client.query(`select repeat('x', 100000) from generate_series(1, 5000)`).catch(() => 'gone');
  stream.pause();
  await waitFor(
    async () =>
      (
        await database.admin.query(
          `select from pg_stat_activity where wait_event = 'ClientWrite' and datname = current_database()`,
        )
      ).rowCount === 1,
    { what: 'the server to wait for its reader' },
  );
  await database.admin.query(
    `update engine.workers set expires_at = engine.now() - interval '1 second' where worker_id = $1`,
    [workerId],
  );
  await waitFor(async () => (await rescueLostRuns(engine.pools.control, silentLog)) === 1, {
    what: 'the run to be taken back',
  });
  expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting' });
  stream.destroy();
  await answer;
  client.release(true);
});
