// A run's state: the pipeline's own word, with a shape that tells the phase without colour.
import type { ReactNode } from 'react';
import type { Phase } from '../app/api.ts';
import { shortCount } from './figures.ts';

const looks: Record<Phase, { box: string; mark: string; word: string }> = {
  waiting: { box: 'border-line-strong text-ink-2 bg-raised', mark: '◔', word: 'waiting' },
  active: { box: 'border-water text-water-strong bg-water-soft', mark: '▶', word: 'working' },
  done: { box: 'border-good text-good bg-good-soft', mark: '✓', word: 'done' },
  failed: { box: 'border-bad text-bad bg-bad-soft', mark: '✕', word: 'failed' },
  dead: { box: 'border-bad text-on-bad bg-bad', mark: '■', word: 'dead letter' },
};

const calledOff = { box: 'border-line-strong text-ink-2 bg-raised', mark: '⊘', word: 'cancelled by a person' };
const attention = 'border-warn text-warn bg-warn-soft';

export function StatePill({
  status,
  phase,
  held = false,
  code,
  refused = 0,
}: {
  status: string;
  phase: Phase;
  held?: boolean;
  /** Of its error: a run that a person called off did not fail. */
  code?: string | undefined;
  /** Rows it refused: done with them is not simply done. */
  refused?: number;
}): ReactNode {
  const partial = phase === 'done' && (status === 'partial' || refused > 0);
  const cancelled = phase === 'failed' && (status === 'cancelled' || code === 'run_cancelled');
  const look = cancelled ? calledOff : held || partial ? { ...looks[phase], box: attention } : looks[phase];
  return (
    <span
      title={held ? `${look.word}, held` : look.word}
      className={`inline-flex items-center gap-1.5 rounded-full border px-2 py-px text-xs font-medium whitespace-nowrap ${look.box}`}
    >
      <span aria-hidden="true" className={`text-2xs leading-none ${phase === 'active' ? 'breathing' : ''}`}>
        {held ? '❙❙' : partial ? '◑' : look.mark}
      </span>
      {held ? 'held' : cancelled ? 'cancelled' : wordsOf(status)}
      {phase === 'done' && refused > 0 && `, ${shortCount(refused)} refused`}
    </span>
  );
}

export function wordsOf(name: string): string {
  return name.replaceAll('_', ' ').toLowerCase();
}

interface PillRun {
  readonly status: string;
  readonly phase: Phase;
  readonly error: { readonly code: string } | null;
  readonly held: unknown;
  readonly rejects: { readonly total: number; readonly open: number | null };
}

/** The state of a run, in lists and above its page. */
/** Refused rows count as long as they are open. */
export function RunPill({ run }: { run: PillRun }): ReactNode {
  const { status, phase } = run;
  const refused = run.rejects.open ?? run.rejects.total;
  return <StatePill status={status} phase={phase} code={run.error?.code} held={run.held !== null} refused={refused} />;
}
