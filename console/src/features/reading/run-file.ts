// The file of a run: uploads are known by their run, batches of judgments by the id they were handed in under.
import type { RunDetail } from '../../app/api.ts';

export type RunFile = Pick<RunDetail, 'run_id' | 'pipeline' | 'input'>;

/** The batch a run of judgments belongs to; undefined for every other run. */
export function batchOf(run: RunFile): string | undefined {
  const id = run.input.source_batch_id;
  return run.pipeline === 'judgments' && typeof id === 'string' ? id : undefined;
}
