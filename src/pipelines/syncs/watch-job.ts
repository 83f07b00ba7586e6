// Follows a job at Airbyte to its end: asks at growing intervals, shows its figures as progress, outlasts short troubles of the
// API, and cancels the job when the run is cancelled. Drained or taken over, it just stops asking: the job goes on.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { waitAtMost } from '../../platform/wait.ts';
import { type AirbyteJob, hasEnded } from './airbyte/answers.ts';
import type { AirbyteClient } from './airbyte/client.ts';
import type { PollPace } from './syncs-deps.ts';

export async function watchJob(
  context: StageContext<unknown>,
  client: AirbyteClient,
  airbyteJobId: string,
  pace: PollPace,
): Promise<AirbyteJob> {
  let pauseMs = pace.firstMs;
  let troubleSince: number | undefined;
  for (;;) {
    if (context.signal.aborted) await stopWatching(context, client, airbyteJobId);
    let waitMs = pauseMs;
    try {
      const job = await client.getJob(airbyteJobId);
      troubleSince = undefined;
      context.progress({ done: job.rowsSynced ?? 0, unit: 'records', note: job.status });
      if (hasEnded(job.status)) return job;
    } catch (error) {
      troubleSince ??= performance.now();
      waitMs = outlast(error, airbyteJobId, performance.now() - troubleSince, pauseMs, pace);
    }
    await waitAtMost(waitMs, context.signal);
    pauseMs = Math.min(pauseMs * pace.factor, pace.maxMs);
  }
}

/** How long to wait before asking again, or the error when it does not pass. */
function outlast(error: unknown, airbyteJobId: string, troubleMs: number, pauseMs: number, pace: PollPace): number {
  if (!(error instanceof MillraceError)) throw error;
  if (error.code === 'airbyte_not_found')
    throw new MillraceError('airbyte_sync_failed', { airbyte_job: airbyteJobId, state: 'vanished' }, { cause: error });
  const passes = error.kind === 'transient' || error.kind === 'rate_limited';
  if (!passes || troubleMs > pace.patienceMs) throw error;
  return Math.min(Math.max(pauseMs, error.retryAfterMs ?? 0), pace.maxMs);
}

/** Throws why the stage was asked to stop, after cancelling the job if that is why. */
export async function stopWatching(
  context: StageContext<unknown>,
  client: AirbyteClient,
  airbyteJobId: string,
): Promise<never> {
  const reason: unknown = context.signal.reason;
  if (reason instanceof MillraceError && reason.code === 'run_cancelled') {
    await client.cancelJob(airbyteJobId).catch((error: unknown) => {
      const code = error instanceof MillraceError ? error.code : 'unknown';
      context.log.warn(
        { run: context.run.id, airbyte_job_id: airbyteJobId, code },
        'sync could not be cancelled at Airbyte',
      );
    });
  }
  throw reason;
}
