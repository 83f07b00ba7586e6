// What happens next with a run, in one sentence for a person.

import type { Machine } from '../../contract/states/machine.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { WhyWaiting } from '../../engine/why.ts';
import { viewError } from './run-view.ts';
import { stagesOf } from './stage-reports.ts';

const afterWaiting: Partial<Record<WhyWaiting['reason'], string>> = {
  held: 'It stays where it is until somebody resumes it.',
  question: 'It stores nothing until somebody answers; if nobody does in time, it fails.',
  paused: 'It starts when the pipeline is resumed.',
  delivery: 'It starts when it is delivered, or when its delivery is overdue.',
  no_worker: 'It starts when a worker is alive again; nothing is lost.',
  cap: 'It starts when one of the runs before it ends.',
  alone: 'It starts when a worker has nothing else to do.',
};

/** `number` is that of the attempt under way among those of its stage. */
export function whatNext(
  run: ShownRun,
  why: WhyWaiting | null,
  machine: Machine | undefined,
  number: number | undefined,
): string | null {
  switch (run.phase) {
    case 'waiting':
      return why === null ? 'It starts in a moment.' : (afterWaiting[why.reason] ?? nextStart(run, why));
    case 'active':
      return activeNext(run, machine, number);
    case 'done':
      return null;
    case 'failed':
      if (run.retried_as !== null) return `It was retried as ${run.retried_as}.`;
      return viewError(run.error_code, run.error_text)?.next ?? 'Nothing by itself; it can be retried.';
    case 'dead':
      if (run.requeued_as !== null) return `It was requeued as ${run.requeued_as}.`;
      return 'Nothing by itself; an admin or support can requeue it.';
  }
}

function nextStart(run: ShownRun, why: WhyWaiting): string {
  const when = why.until === undefined ? 'as soon as a worker takes it' : `at ${why.until.toISOString()}`;
  return `Stage "${run.stage ?? run.status}" starts ${when}.`;
}

function activeNext(run: ShownRun, machine: Machine | undefined, number: number | undefined): string {
  const stages = stagesOf(machine);
  const following = stages[stages.indexOf(run.stage ?? '') + 1];
  const now = `Stage "${run.stage}" is running${number === undefined ? '' : `, attempt ${number}`}`;
  return following === undefined ? `${now}; then the run is done.` : `${now}; then "${following}".`;
}
