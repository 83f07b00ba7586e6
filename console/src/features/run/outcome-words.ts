// How an attempt ended, in words.
import type { GanttBar } from './gantt-layout.ts';

const goodEnds: ReadonlySet<string> = new Set([
  'pass',
  'complete',
  'part',
  'share',
  'ask',
  'release',
  'released',
  'retry',
  'cancel',
  'cancelled',
]);

/** The ends worth a mark on the bar itself. */
export const outcomeMarks: Readonly<Record<string, string>> = {
  lost: '✕ worker lost',
  fail: '✕ failed',
  failed: '✕ failed',
  cancel: '⊘ cancelled',
  cancelled: '⊘ cancelled',
  release: '↩ released',
  released: '↩ released',
  retry: '↩ to be retried',
  retried: '↩ tried again',
  ask: '? asked',
};

const plainWords: Readonly<Record<string, string>> = {
  pass: '✓ passed on',
  share: '✓ passed on',
  complete: '✓ done',
  part: '◑ done in part',
};

const calmEnds: Readonly<Record<string, string>> = {
  part: 'text-warn',
  ask: 'text-warn',
  cancel: 'text-ink-2',
  cancelled: 'text-ink-2',
  release: 'text-ink-2',
  released: 'text-ink-2',
};

export function isBadEnd(outcome: string | null): boolean {
  return outcome !== null && !goodEnds.has(outcome);
}

export function outcomeOf(
  outcome: string | null,
  bar: Pick<GanttBar, 'open' | 'work'>,
): { readonly words: string; readonly look: string } {
  if (outcome === null) return { words: bar.work ? '▶ at work' : 'queued', look: 'text-water-strong' };
  const words = plainWords[outcome] ?? outcomeMarks[outcome] ?? outcome;
  return { words, look: isBadEnd(outcome) ? 'text-bad' : (calmEnds[outcome] ?? 'text-good') };
}
