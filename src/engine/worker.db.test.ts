import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, endOfRun, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { SLICE } from './begin-in-slices.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
const engines: TestEngine[] = [];

async function engineWith(
  ...args: Parameters<typeof buildEngine> extends [string, ...infer Rest] ? Rest : never
): Promise<TestEngine> {
  const engine = await buildEngine(database.appUrl, ...args);
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function ended(engine: TestEngine, tenantId: string, runId: string) {
  return endOfRun(engine, tenantId, runId);
}

describe('a worker', () => {
  it('works a run to its end and keeps its attempt, its receipt and one terminal event', async () => {
    const tenantId = newTenant();
    const engine = await engineWith([
      buildPipeline('plain', async () => ({ on: 'complete', receipt: { read: 2, outcomes: { inserted: 2 } } })),
    ]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    const run = await ended(engine, tenantId, id);
    expect(run).toMatchObject({
      status: 'completed',
      phase: 'done',
      attempt: 1,
      receipt: { read: 2, outcomes: { inserted: 2 } },
    });
    const attempts = await database.admin.query('select outcome, stage from engine.attempts where run_id = $1', [id]);
    expect(attempts.rows).toEqual([{ outcome: 'complete', stage: 'work' }]);
    const events = await database.admin.query('select type from engine.events where run_id = $1', [id]);
    expect(events.rows).toEqual([{ type: 'run.done' }]);
    // Nobody can recount what this pipeline did.
    await expect(engine.verify(tenantId, id)).rejects.toMatchObject({ code: 'verify_unsupported' });
  });

  it('parses the input of a run once for an attempt, however often its stage reads it', async () => {
    const tenantId = newTenant();
    let parsed = 0;
    const input = z.record(z.string(), z.unknown()).transform((given) => {
      parsed += 1;
      return given;
    });
    const reading = buildPipeline(
      'reading',
      async (context) => {
        parsed = 0;
        const first = context.input;
        return first === context.input && { ...context }.input === first ? 'complete' : 'fail';
      },
      { input: input as never },
    );
    const engine = await engineWith([reading]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'reading', tenantId, input: { file: 'a.csv' } });
    expect([(await ended(engine, tenantId, id)).phase, parsed]).toEqual(['done', 1]);
  });

  it('with one slot serves lanes in turn, also when it was woken from an empty queue', async () => {
    const tenants = [newTenant(), newTenant()].sort();
    const order: string[] = [];
    const pipeline = buildPipeline('slow', async ({ run }) => {
      order.push(run.tenantId);
      return 'complete';
    });
    const engine = await engineWith([pipeline], { settings: { concurrency: 1, maxClaim: 1 } });
    await engine.start();
    const first = await engine.enqueue({ pipeline: 'slow', tenantId: tenants[0] ?? '', input: {} });
    await ended(engine, tenants[0] ?? '', first.id);
    const requests = [0, 0, 0, 0, 0, 1].map((n) => ({ pipeline: 'slow', tenantId: tenants[n] ?? '', input: {} }));
    const last = (await engine.enqueueMany(requests)).at(-1);
    await ended(engine, tenants[1] ?? '', last?.id ?? '');
    expect(order.indexOf(tenants[1] ?? '')).toBeLessThanOrEqual(3);
  });

  it('lets its process do other things between the runs of a large claim, however short they are', async () => {
    const tenantId = newTenant();
    let all = 0;
    let sinceTurn = 0;
    let most = 0;
    const engine = await engineWith([
      buildPipeline('instant', async () => {
        all += 1;
        sinceTurn += 1;
        most = Math.max(most, sinceTurn);
        return 'complete';
      }),
    ]);
    await engine.enqueueMany(Array.from({ length: 6_000 }, () => ({ pipeline: 'instant', tenantId, input: {} })));
    let turn = setImmediate(function next() {
      sinceTurn = 0;
      turn = setImmediate(next);
    });
    await engine.start();
    // Some twice, where the machine is so slow that a lease ran out.
    await waitFor(() => all >= 6_000, { what: 'all runs to be worked on' });
    clearImmediate(turn);
    // One slice before and one behind the turn that is counted here.
    expect(most).toBeLessThanOrEqual(2 * SLICE);
  });

  it('fails a run whose receipt does not add up instead of calling it done', async () => {
    const tenantId = newTenant();
    const engine = await engineWith([
      buildPipeline('unbalanced', async () => ({ on: 'complete', receipt: { read: 3, outcomes: { inserted: 2 } } })),
    ]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'unbalanced', tenantId, input: {} });
    const run = await ended(engine, tenantId, id);
    expect(run).toMatchObject({ phase: 'failed', error_code: 'receipt_unbalanced' });
    expect(run.error_text).toContain('read 3, accounted for 2');
  });

  it('fails a run whose receipt does not account for every byte of its file', async () => {
    const tenantId = newTenant();
    const content = { bytes: { all: 100, header: 20, row: 79 } };
    const engine = await engineWith([
      buildPipeline('uncounted', async () => ({
        on: 'complete',
        receipt: { read: 1, outcomes: { inserted: 1 }, content },
      })),
    ]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'uncounted', tenantId, input: {} });
    const run = await ended(engine, tenantId, id);
    expect(run).toMatchObject({ phase: 'failed', error_code: 'receipt_unbalanced' });
    expect(run.error_text).toContain('read 1, accounted for 1, 99 of 100 bytes of the file');
  });

  it('retries a transient failure as the policy says and remembers the counts', async () => {
    const tenantId = newTenant();
    let calls = 0;
    const work = async () => {
      calls += 1;
      if (calls < 3) throw new MillraceError('database_lost');
      return 'complete';
    };
    const retry = { transient: { max: 3, backoff: { baseMs: 20, factor: 1, maxMs: 20, jitter: 0 } } };
    const engine = await engineWith([buildPipeline('flaky', work, { retry })]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'flaky', tenantId, input: {} });
    const run = await ended(engine, tenantId, id);
    expect(run).toMatchObject({ status: 'completed', attempt: 3, failures: { 'transient:work': 2 }, error_code: null });
  });

  it('waits on a full disk for as long as it is full, which costs no attempt of its policy', async () => {
    const tenantId = newTenant();
    let isFull = true;
    const work = async () => {
      if (isFull) throw new MillraceError('disk_full');
      return 'complete';
    };
    const engine = await engineWith([buildPipeline('hoarder', work)]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'hoarder', tenantId, input: {} });
    const waits = () =>
      waitFor(async () => {
        const run = await engine.run(tenantId, id);
        return run.phase === 'waiting' && run.wait_reason !== null ? run : undefined;
      });
    // More often than a failure is retried.
    for (let look = 1; look <= 6; look += 1) {
      const { wait_reason: why, attempt } = await waits();
      expect([attempt, why]).toEqual([
        look,
        expect.objectContaining({ kind: 'retry', code: 'disk_full', delay_ms: 15_000 }),
      ]);
      if (look === 6) break;
      await engine.resume({ tenantId, by: 'test' }, id);
      await waitFor(async () => (await engine.run(tenantId, id)).attempt > look);
    }
    isFull = false;
    await engine.resume({ tenantId, by: 'test' }, id);
    expect(await ended(engine, tenantId, id)).toMatchObject({ status: 'completed' });
  });

  it('keeps the end of an attempt that the full disk of the database has no room for', async () => {
    const tenantId = newTenant();
    const engine = await engineWith([buildPipeline('finished', async () => 'complete')]);
    await engine.start();
    await database.admin.query(`
      create function public.is_full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger is_full before update on engine.runs for each row when (new.status = 'completed') execute function public.is_full()`);
    const { id } = await engine.enqueue({ pipeline: 'finished', tenantId, input: {} });
    await waitFor(async () => (await engine.run(tenantId, id)).phase === 'active', { what: 'the run to be worked on' });
    await database.admin.query('drop function public.is_full cascade');
    expect(await ended(engine, tenantId, id)).toMatchObject({ status: 'completed', attempt: 1, error_code: null });
  });

  it('makes a dead letter of a run whose retries are used up, where the machine has such a state', async () => {
    const tenantId = newTenant();
    const retry = { transient: { max: 1, backoff: { baseMs: 5, factor: 1, maxMs: 5, jitter: 0 } } };
    const work = async (): Promise<string> => {
      throw new MillraceError('database_lost');
    };
    const engine = await engineWith([buildPipeline('hopeless', work, { retry })]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'hopeless', tenantId, input: {} });
    expect(await ended(engine, tenantId, id)).toMatchObject({
      status: 'dead_letter',
      phase: 'dead',
      attempt: 2,
      error_code: 'database_lost',
    });
  });

  it('never retries a bug and keeps its words out of the ledger', async () => {
    const tenantId = newTenant();
    const work = async (): Promise<string> => {
      throw new TypeError('secret detail');
    };
    const engine = await engineWith([buildPipeline('buggy', work)]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'buggy', tenantId, input: {} });
    const run = await ended(engine, tenantId, id);
    expect(run).toMatchObject({ phase: 'failed', error_code: 'stage_failed', attempt: 1 });
    expect(run.error_text).not.toContain('secret');
  });

  it('commits effects and checkpoint together and resumes from the checkpoint', async () => {
    const tenantId = newTenant();
    const seen: unknown[] = [];
    let calls = 0;
    const engine = await engineWith([
      buildPipeline('stepwise', async (context) => {
        seen.push(await context.checkpoint());
        calls += 1;
        if (calls === 1) {
          await context.commit(async () => {}, { checkpoint: { at: 7 } });
          throw new MillraceError('transaction_conflict');
        }
        return 'complete';
      }),
    ]);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'stepwise', tenantId, input: {} });
    await ended(engine, tenantId, id);
    expect(seen).toEqual([undefined, { at: 7 }]);
  });

  it('takes over the runs of a worker that went silent and finishes them once', async () => {
    const tenantId = newTenant();
    const attempts: number[] = [];
    const work: Parameters<typeof buildPipeline>[1] = async (context) => {
      attempts.push(context.run.attempt);
      if (context.run.attempt > 1) return 'complete';
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
      await context.commit(async () => {});
      return 'complete';
    };
    const silent = await engineWith([buildPipeline('silent', work)], {
      settings: { heartbeatMs: 60_000, leaseMs: 500, drainMs: 100 },
    });
    await silent.start({ worker: true });
    const { id } = await silent.enqueue({ pipeline: 'silent', tenantId, input: {} });
    await waitFor(() => attempts.length === 1, { what: 'the silent worker to begin' });
    const rescuer = await engineWith([buildPipeline('silent', work)]);
    await rescuer.start();
    const run = await ended(rescuer, tenantId, id);
    // Whether the loss is charged depends on how long it had been at work: see losses.db.test.ts.
    expect(run).toMatchObject({ status: 'completed', attempt: 2 });
    expect(attempts).toEqual([1, 2]);
    const events = await database.admin.query('select type from engine.events where run_id = $1 order by event_id', [
      id,
    ]);
    expect(events.rows.map((row) => row.type)).toEqual(['run.taken_over', 'run.done']);
  });
});
