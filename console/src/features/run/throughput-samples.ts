// Speed over time. The server keeps only the latest progress of a run, so the samples are gathered here while the page is open;
// they outlive the page's views, not the tab.
import type { RunDetail } from '../../app/api.ts';

export interface Sample {
  readonly atMs: number;
  readonly done: number;
  readonly perSecond: number;
  readonly unit: string;
}

const maxSamples = 900;
const samplesByRun = new Map<string, readonly Sample[]>();

export function gatherSample(run: Pick<RunDetail, 'run_id' | 'progress'>): readonly Sample[] {
  const before = samplesByRun.get(run.run_id) ?? [];
  if (!run.progress) return before;
  const after = addSample(before, run.progress);
  if (after !== before) samplesByRun.set(run.run_id, after);
  return after;
}

/**
 * The rate is the server's own when it gives one, else counted from the sample before. A stage that counts in another unit
 * starts a new curve.
 */
export function addSample(before: readonly Sample[], progress: NonNullable<RunDetail['progress']>): readonly Sample[] {
  const atMs = Date.parse(progress.at);
  const { unit } = progress;
  if (before.at(-1)?.unit !== unit) return [{ atMs, done: progress.done, perSecond: progress.per_second ?? 0, unit }];
  const last = before.at(-1);
  if (last && atMs <= last.atMs) return before;
  const counted = last && progress.done >= last.done ? ((progress.done - last.done) / (atMs - last.atMs)) * 1000 : 0;
  return [...before, { atMs, done: progress.done, perSecond: progress.per_second ?? counted, unit }].slice(-maxSamples);
}
