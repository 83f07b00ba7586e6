import type { Run } from '../../app/api.ts';

/** How long a run has worked: until its end, or until now. undefined before it starts. */
export function workedMs(run: Pick<Run, 'started_at' | 'finished_at'>, nowMs: number): number | undefined {
  if (run.started_at === null) return undefined;
  const end = run.finished_at === null ? nowMs : Date.parse(run.finished_at);
  return Math.max(0, end - Date.parse(run.started_at));
}
