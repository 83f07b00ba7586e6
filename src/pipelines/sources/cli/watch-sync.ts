// Follows a sync to its end: its counts as they grow, then its receipt, its question or its error.
import { formatCount, say } from '../../../cli/output.ts';
import { describeQuestion, describeReceipt, describeStatus, type RunDetail } from '../../../cli/runs/print-run.ts';
import type { Client } from '../../../contract/api/client.ts';
import type { Source } from './find-source.ts';

const LOOK_EVERY_MS = 500;
const counted = ['new', 'changed', 'unchanged', 'refused', 'vanished', 'settling'] as const;

export async function watchSync(call: Client, sourceId: string, runId: string, isQuiet: boolean): Promise<RunDetail> {
  let told = '';
  for (;;) {
    const run = await call('runs.show', { params: { run_id: runId } });
    if (run.finished_at !== null || run.question !== null) return run;
    const source = await call('sources.show', { params: { source_id: sourceId } });
    const now = describeCounts(source.syncs.find(({ sync_id: id }) => id === runId)?.counts ?? null);
    if (!isQuiet && now !== '' && now !== told) say(now);
    told = now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** How it ended, for people. */
export function describeEnd(run: RunDetail): string {
  if (run.question !== null) return describeQuestion(run.question);
  if (run.error !== null) {
    const { message, code, next } = run.error;
    return `${describeStatus(run)}  ${message} (${code})${next === null ? '' : `\n  ${next}`}`;
  }
  return `${describeStatus(run)}  ${run.receipt === null ? '' : describeReceipt(run.receipt)}`;
}

/** "1,240 seen: 1,200 new, 40 refused". */
function describeCounts(counts: Source['syncs'][number]['counts']): string {
  if (counts === null) return '';
  const parts = counted.filter((name) => counts[name] > 0).map((name) => `${formatCount(counts[name])} ${name}`);
  return `${formatCount(counts.seen)} seen${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
