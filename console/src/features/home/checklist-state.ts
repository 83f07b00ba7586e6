// The first steps. The checklist ticks each when the ledger shows that it happened; nobody ticks one by hand.
import type { Run } from '../../app/api.ts';

export interface Step {
  readonly key: string;
  readonly label: string;
  readonly done: boolean;
}

export interface Facts {
  readonly runs: readonly Pick<Run, 'phase' | 'retry_of' | 'source'>[];
  /** Rejects of the newest run that has any. */
  readonly rejects: Run['rejects'] | undefined;
  /** undefined when this person may not see them. */
  readonly users: number | undefined;
  readonly keys: number | undefined;
  /** Steps that kits add. */
  readonly more: readonly Step[] | undefined;
  readonly sinks: number | undefined;
}

export function checklist({ runs, rejects, users, keys, more = [], sinks }: Facts): Step[] {
  const replayed = runs.some((run) => run.phase === 'done' && (run.source === 'replay' || run.retry_of !== null));
  const fixed = replayed || (rejects !== undefined && rejects.open !== null && rejects.open < rejects.total);
  const steps: Step[] = [
    { key: 'drop', label: 'Drop a file or try a sample', done: runs.length > 0 },
    { key: 'done', label: 'Follow a run to its receipt', done: runs.some((run) => run.phase === 'done') },
    { key: 'fix', label: 'Fix a refused row', done: fixed },
    { key: 'replay', label: 'Replay the fixed rows', done: replayed },
  ];
  if (users !== undefined) steps.push({ key: 'invite', label: 'Invite a colleague', done: users > 1 });
  if (keys !== undefined) steps.push({ key: 'key', label: 'Create an API key for a program', done: keys > 0 });
  steps.push(...more);
  if (sinks !== undefined) steps.push({ key: 'alert', label: 'Choose who gets alerts', done: sinks > 0 });
  return steps;
}
