import type { Log } from '../platform/log.ts';
import { endByRelease } from './failure.ts';
import type { Ending } from './finisher.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';
import type { StageRun } from './stage-context.ts';
import { stageRunOf } from './stage-run.ts';

// A run this version cannot work on is offered again after this pause.
const PASS_ON_MS = 5_000;

/** This version has no code for the run's stage: it goes back for a worker that has. */
export function passOn(row: ClaimedRow, log: Log): Ending {
  const run = stageRunOf(row, '');
  log.warn(
    { run: run.id, pipeline: run.pipeline, status: run.status, code: 'stage_missing' },
    'a newer version must work on this run',
  );
  const waitReason = JSON.stringify({ kind: 'later', code: 'stage_missing' });
  return { run, end: { ...endByRelease(run), waitReason, delayMs: PASS_ON_MS }, events: [], via: [] };
}

/** The run goes back as it was, for a worker that has room. */
export function releaseOf(run: StageRun): Ending {
  return { run, end: endByRelease(run), events: [], via: [] };
}
