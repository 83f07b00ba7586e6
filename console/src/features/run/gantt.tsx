import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { duration } from '../../ui/figures.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { useNow } from '../../ui/use-now.ts';
import { type GanttBar, layoutGantt, type Span } from './gantt-layout.ts';

const goodEnds: ReadonlySet<string> = new Set(['pass', 'complete', 'part', 'release', 'retry']);
const outcomeMarks: Record<string, string> = {
  lost: '✕ worker lost',
  fail: '✕ failed',
  cancel: '✕ cancelled',
  cancelled: '✕ cancelled',
  release: '↩ given back',
  retry: '↩ to be retried',
};

/** Stages over time: hatched is waiting in line, solid is work, notches are signs of life, one sub-row per attempt. */
export function Gantt({ run }: { run: RunDetail }): ReactNode {
  const now = useNow(run.finished_at === null ? 500 : 60_000);
  const gantt = layoutGantt(run, now);
  return (
    <figure className="overflow-hidden px-4 py-3">
      <div className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 gap-y-2">
        {gantt.rows.map((row) => (
          <div key={row.stage} className="contents">
            <div className="pt-0.5 text-right text-xs">
              <span className={row.state === 'not_started' ? 'text-ink-3' : 'font-medium'}>{wordsOf(row.stage)}</span>
            </div>
            <ul
              className="relative flex min-h-5 flex-col gap-1 border-l border-line"
              aria-label={`Attempts of ${row.stage}`}
            >
              {row.bars.length === 0 && <li className="pl-2 text-xs text-ink-3">not started</li>}
              {row.bars.map((bar) => (
                <Bar key={bar.attempt} bar={bar} many={row.bars.length > 1} spanMs={gantt.endMs - gantt.startMs} />
              ))}
            </ul>
          </div>
        ))}
        <span />
        <div className="relative h-4 border-t border-line" aria-hidden="true">
          {gantt.ticks.map((tick) => (
            <span
              key={tick.ms}
              className={`figures absolute top-0.5 text-2xs whitespace-nowrap text-ink-3 max-sm:not-first:not-last:hidden ${tick.at === 0 ? '' : tick.at > 0.93 ? '-translate-x-full' : '-translate-x-1/2'}`}
              style={{ left: `${tick.at * 100}%` }}
            >
              {tick.ms === 0 ? '0' : duration(tick.ms)}
            </span>
          ))}
        </div>
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 sm:pl-25 text-2xs text-ink-3">
        <span className="inline-flex items-center gap-1.5">
          <span className="hatched inline-block h-2.5 w-5 rounded-xs border border-line-strong" /> waiting in line
        </span>
        <span className="inline-flex items-center gap-1.5">
          <span className="inline-block h-2.5 w-5 rounded-xs bg-water" /> work
        </span>
        {run.samples.length > 0 && (
          <span className="inline-flex items-center gap-1.5">
            <span className="relative inline-block h-2.5 w-5 rounded-xs bg-water">
              <span className="absolute inset-y-0 left-1.5 w-px bg-surface" />
              <span className="absolute inset-y-0 left-3.5 w-px bg-surface" />
            </span>{' '}
            sign of life
          </span>
        )}
      </figcaption>
    </figure>
  );
}

function Bar({ bar, many, spanMs }: { bar: GanttBar; many: boolean; spanMs: number }): ReactNode {
  const lastBeatMs = (bar.beats.at(-1) ?? 0) * spanMs;
  const bad = bar.outcome !== null && !goodEnds.has(bar.outcome);
  const note = bar.outcome ? outcomeMarks[bar.outcome] : undefined;
  const words = [
    many ? `attempt ${bar.attempt}` : undefined,
    bar.waitMs > 0 ? `${duration(bar.waitMs)} in line` : undefined,
    bar.work ? `${duration(bar.workMs)} ${bar.open ? 'so far' : 'of work'}` : 'still in line',
    bad && bar.beats.length > 0 ? `last sign of life at ${duration(lastBeatMs)}` : undefined,
    note,
  ].filter(Boolean);
  const end = bar.work?.to ?? bar.wait?.to ?? 0;
  return (
    <li
      className="relative h-5"
      title={[bar.worker && `worker ${bar.worker}`, bar.error].filter(Boolean).join(' · ') || undefined}
    >
      {bar.wait && (
        <span className="hatched absolute inset-y-1 rounded-l-xs border border-line-strong" style={place(bar.wait)} />
      )}
      {bar.work && (
        <span
          className={`absolute inset-y-0.5 min-w-0.5 rounded-xs ${bad ? 'border-2 border-bad bg-bad-soft' : 'bg-water'} ${bar.open ? 'breathing' : ''}`}
          style={place(bar.work)}
        />
      )}
      {bar.beats.map((at) => (
        <span
          key={at}
          aria-hidden="true"
          className={`absolute inset-y-0.5 w-px ${bad ? 'bg-bad' : 'bg-surface'}`}
          style={{ left: `${at * 100}%` }}
        />
      ))}
      <span
        className={`absolute top-0.5 px-1.5 text-2xs leading-4 whitespace-nowrap ${end > 0.6 ? '-translate-x-full' : ''} ${end > 0.6 ? 'rounded-xs bg-surface/85 text-ink' : 'text-ink-2'}`}
        style={{ left: `${(end > 0.6 ? Math.min(end, 0.998) : end) * 100}%` }}
      >
        {words.join(' · ')}
      </span>
    </li>
  );
}

function place(span: Span): { left: string; width: string } {
  return { left: `${span.from * 100}%`, width: `${Math.max(0, span.to - span.from) * 100}%` };
}
