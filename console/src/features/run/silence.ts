import type { RunDetail } from '../../app/api.ts';

const patienceMs = 12_000;

/** How long an active run has shown no progress, once that is long enough to be worth saying. */
export function silenceOf(
  run: Pick<RunDetail, 'phase' | 'progress' | 'updated_at' | 'attempts'>,
  nowMs: number,
): number | undefined {
  if (run.phase !== 'active') return undefined;
  const started = run.attempts.filter((attempt) => attempt.finished_at === null).map((attempt) => attempt.started_at);
  const signs = [run.updated_at, ...started, ...(run.progress ? [run.progress.at] : [])].map((at) => Date.parse(at));
  const silentMs = nowMs - Math.max(...signs);
  return silentMs >= patienceMs ? silentMs : undefined;
}
