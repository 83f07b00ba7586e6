// A stage that shows no sign of activity is stopped, or left behind when it does not listen.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, endOfRun, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Stage } from './pipeline.ts';

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function open(name: string, stage: Stage<Record<string, unknown>>) {
  const backoff = { baseMs: 1, factor: 1, maxMs: 1, jitter: 0 };
  const pipeline = buildPipeline(name, stage, { retry: { transient: { max: 3, backoff } } });
  const engine = await buildEngine(database.appUrl, [pipeline]);
  engines.push(engine);
  const { id } = await engine.enqueue({ pipeline: name, tenantId, input: {} });
  const ended = () => endOfRun(engine, tenantId, id);
  return { engine, id, ended };
}

const attempts = async (id: string) =>
  (
    await database.admin.query('select outcome, error_code from engine.attempts where run_id = $1 order by attempt', [
      id,
    ])
  ).rows;

describe('a stage without a sign of activity', () => {
  it('is told to stop after its "stallMs", and tried again', async () => {
    const { engine, id, ended } = await open('sleepy', {
      stallMs: 200,
      async work({ run, signal }) {
        if (run.attempt > 1) return 'complete';
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    await engine.start();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await attempts(id)).toEqual([
      { outcome: expect.any(String), error_code: 'stage_stalled' },
      { outcome: 'complete', error_code: null },
    ]);
  });

  it('that does not listen is left behind: the run goes on without it, and what it writes later is fenced off', async () => {
    let late: Promise<unknown> | undefined;
    let wake = () => {};
    const { engine, ended } = await open('deaf', {
      stallMs: 200,
      async work({ run, commit }) {
        if (run.attempt > 1) return 'complete';
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        late = commit(async () => {});
        await late;
        return 'complete';
      },
    });
    await engine.start();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 2 });
    wake();
    await waitFor(() => late !== undefined);
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('is left alone while it says how far it is', async () => {
    const { engine, ended } = await open('slow_but_alive', {
      stallMs: 1_500,
      async work({ progress, commit }) {
        for (let done = 0; done < 8; done += 1) {
          progress({ done, total: 8 });
          await commit(async (tx) => {
            await tx.query('select pg_sleep(0.4)');
          });
        }
        return 'complete';
      },
    });
    await engine.start();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 1 });
  });
});
