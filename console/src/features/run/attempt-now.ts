// Which attempt of its stage a run is at, or waits for, out of how many it may have: "2 of 6".
import type { RunDetail } from '../../app/api.ts';

/** Undefined once the run has ended. */
export function attemptNow({
  phase,
  stage,
  stages,
}: Pick<RunDetail, 'phase' | 'stage' | 'stages'>): string | undefined {
  const report = stages.find((each) => each.stage === stage);
  if (report === undefined || (phase !== 'waiting' && phase !== 'active')) return undefined;
  const number = report.attempts + (phase === 'waiting' ? 1 : 0);
  return report.attempts_allowed === null ? String(number) : `${number} of ${report.attempts_allowed}`;
}
