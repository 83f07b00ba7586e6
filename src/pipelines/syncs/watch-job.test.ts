// Following a job: how often Airbyte is asked, what is shown meanwhile, what is outlasted and what is not.
import { describe, expect, it } from 'vitest';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { silentLog } from '../../platform/log.ts';
import type { AirbyteJob, JobState } from './airbyte/answers.ts';
import type { AirbyteClient } from './airbyte/client.ts';
import { watchJob } from './watch-job.ts';

const pace = { firstMs: 5, maxMs: 40, factor: 2, patienceMs: 60 };

/** A job that answers as the list says, then as its last word; and a stage that notes what it is told. */
function scene(answers: readonly (JobState | Error)[]) {
  const asked: number[] = [];
  const cancelled: string[] = [];
  const progress: unknown[] = [];
  const abort = new AbortController();
  const client = {
    getJob: async (jobId: string): Promise<AirbyteJob> => {
      asked.push(performance.now());
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return { jobId, status: answer ?? 'running', rowsSynced: 100 * asked.length } as AirbyteJob;
    },
    cancelJob: async (jobId: string) => void cancelled.push(jobId),
  } as unknown as AirbyteClient;
  const context = {
    run: { id: 'run-1' },
    signal: abort.signal,
    log: silentLog,
    progress: (told: unknown) => void progress.push(told),
  } as unknown as StageContext<unknown>;
  const gaps = () => asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  return { abort, cancelled, progress, gaps, watch: () => watchJob(context, client, '9007199254740993', pace) };
}

const unreachable = new MillraceError('airbyte_unreachable', { detail: 'cut off' });

describe('a job that is followed', () => {
  it('is asked about at growing intervals, up to the longest', async () => {
    const { watch, gaps } = scene(['pending', 'running', 'running', 'running', 'running', 'succeeded']);
    expect((await watch()).status).toBe('succeeded');
    const least = [5, 10, 20, 40, 40];
    for (const [index, gap] of gaps().entries()) expect(gap).toBeGreaterThanOrEqual((least[index] ?? 0) - 1);
  });

  it('shows Airbyte’s own figures as the progress of the run', async () => {
    const { watch, progress } = scene(['running', 'incomplete', 'succeeded']);
    await watch();
    expect(progress).toEqual([
      { done: 100, unit: 'records', note: 'running' },
      { done: 200, unit: 'records', note: 'incomplete' },
      { done: 300, unit: 'records', note: 'succeeded' },
    ]);
  });

  it('outlasts a short trouble of the API, and gives up a long one without giving up the job', async () => {
    expect((await scene(['running', unreachable, unreachable, 'succeeded']).watch()).status).toBe('succeeded');
    const { watch, cancelled } = scene(['running', unreachable]);
    await expect(watch()).rejects.toMatchObject({ code: 'airbyte_unreachable' });
    expect(cancelled).toEqual([]);
  });

  it('that Airbyte no longer knows has failed', async () => {
    const gone = new MillraceError('airbyte_not_found', { detail: 'no such job' });
    await expect(scene(['running', gone]).watch()).rejects.toMatchObject({ code: 'airbyte_sync_failed' });
  });

  it('is cancelled at Airbyte when its run is cancelled, and left alone when only its worker goes', async () => {
    const called = scene(['running']);
    const ended = called.watch();
    called.abort.abort(new MillraceError('run_cancelled', { run: 'run-1', by: 'ada' }));
    await expect(ended).rejects.toMatchObject({ code: 'run_cancelled' });
    expect(called.cancelled).toEqual(['9007199254740993']);
    const drained = scene(['running']);
    const left = drained.watch();
    drained.abort.abort(new MillraceError('lease_lost', { run: 'run-1', attempt: 1 }));
    await expect(left).rejects.toMatchObject({ code: 'lease_lost' });
    expect(drained.cancelled).toEqual([]);
  });
});
