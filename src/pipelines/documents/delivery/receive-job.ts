// What an ingest worker does with a job that arrives, over HTTP or from a queue, for the first time, again or late: the same claim by id. What the
// ledger says of the run decides, never what the message says.
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { type PayloadDeps, runOfPayload } from './job-payload.ts';

/**
 * taken    this worker has claimed it
 * busy     all slots are taken; nothing was done
 * elsewhere  another claim holds it, or it waits for its retry, a person or a pause: it goes on without this delivery
 * ended    it has its end; nothing is to be done
 */
export interface Received {
  readonly fate: 'taken' | 'busy' | 'elsewhere' | 'ended';
  readonly run: RunRow;
}

export async function receiveJob(deps: PayloadDeps, given: unknown): Promise<Received> {
  const run = await runOfPayload(deps, given);
  if (run.finished_at !== null) return { fate: 'ended', run };
  if (run.phase === 'active') return { fate: 'elsewhere', run };
  const answer = await deps.engine.deliver(run.id);
  if (answer !== 'none') return { fate: answer, run };
  // Between the look and the claim it may have ended.
  const now = (await deps.engine.findRun(run.id)) ?? run;
  return { fate: now.finished_at === null ? 'elsewhere' : 'ended', run: now };
}
