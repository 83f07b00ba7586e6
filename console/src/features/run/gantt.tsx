import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { duration } from '../../ui/figures.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { useNow } from '../../ui/use-now.ts';
import { AttemptDetails } from './attempt-details.tsx';
import { type GanttBar, layoutGantt, type Span } from './gantt-layout.ts';
import { isBadEnd, outcomeMarks } from './outcome-words.ts';

interface Picked {
  readonly stage: string;
  readonly attempt: number;
}

/**
 * Stages over time: hatched is time in the queue, solid is work, notches are signs of activity, one sub-row per attempt. A click on an
 * attempt, or Enter, opens its details; the arrow keys go from one to the next.
 */
export function Gantt({ run }: { run: RunDetail }): ReactNode {
  const now = useNow(run.finished_at === null ? 500 : 60_000);
  const gantt = layoutGantt(run, now);
  const [picked, setPicked] = useState<Picked>();
  const figure = useRef<HTMLElement>(null);
  const detailsId = useId();
  const isPicked = (stage: string, { attempt }: GanttBar) => picked?.stage === stage && picked.attempt === attempt;
  const open = gantt.rows.flatMap(({ stage, bars }) =>
    bars.filter((bar) => isPicked(stage, bar)).map((bar) => ({ stage, bar })),
  )[0];
  const close = () => {
    figure.current?.querySelector<HTMLElement>('[data-bar][aria-expanded=true]')?.focus();
    setPicked(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && picked) close();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const bars = [...(figure.current?.querySelectorAll<HTMLElement>('[data-bar]') ?? [])];
    const place = bars.indexOf(event.target as HTMLElement);
    if (step === 0 || place < 0) return;
    event.preventDefault();
    bars[place + step]?.focus();
  };
  return (
    <figure ref={figure} className="overflow-hidden px-4 py-3" onKeyDown={onKeyDown}>
      <div className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3 gap-y-1 sm:grid-cols-[5.5rem_minmax(0,1fr)]">
        {gantt.rows.map((row) => (
          <div key={row.stage} className="contents">
            <div className="pt-1 text-right text-xs">
              <span className={row.state === 'not_started' ? 'text-ink-3' : 'font-medium'}>{wordsOf(row.stage)}</span>
            </div>
            <ul
              className="relative flex min-h-6 flex-col gap-0.5 border-l border-line"
              aria-label={`Attempts of ${row.stage}`}
            >
              {row.bars.length === 0 && <li className="pt-1 pl-2 text-xs text-ink-3">not started</li>}
              {row.bars.map((bar) => (
                <Bar
                  key={bar.attempt}
                  bar={bar}
                  stage={row.stage}
                  many={row.bars.length > 1}
                  picked={isPicked(row.stage, bar)}
                  detailsId={detailsId}
                  onPick={() =>
                    setPicked(isPicked(row.stage, bar) ? undefined : { stage: row.stage, attempt: bar.attempt })
                  }
                />
              ))}
            </ul>
          </div>
        ))}
        <span />
        <div className="relative h-4 border-t border-line sm:mr-[12.75rem]" aria-hidden="true">
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
          <span className="hatched inline-block h-2.5 w-5 rounded-xs border border-line-strong" /> queued
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
            sign of activity
          </span>
        )}
        {!open && <span>a click on a bar shows its details</span>}
      </figcaption>
      {open && <AttemptDetails id={detailsId} run={run} stage={open.stage} bar={open.bar} onClose={close} />}
    </figure>
  );
}

interface BarProps {
  readonly bar: GanttBar;
  readonly stage: string;
  readonly many: boolean;
  readonly picked: boolean;
  readonly detailsId: string;
  readonly onPick: () => void;
}

function Bar({ bar, stage, many, picked, detailsId, onPick }: BarProps): ReactNode {
  const bad = isBadEnd(bar.outcome);
  const words = [
    many ? `attempt ${bar.number}` : undefined,
    bar.waitMs > 0 ? `${duration(bar.waitMs)} queued` : undefined,
    bar.work ? `${duration(bar.workMs)} ${bar.open ? 'so far' : 'of work'}` : 'still queued',
    bar.outcome ? outcomeMarks[bar.outcome] : undefined,
  ].filter(Boolean);
  return (
    <li>
      <button
        type="button"
        data-bar
        aria-expanded={picked}
        aria-controls={picked ? detailsId : undefined}
        onClick={onPick}
        className={`grid w-full items-center gap-x-3 rounded-xs text-left hover:bg-sunken focus-visible:outline-offset-0 sm:grid-cols-[minmax(0,1fr)_12rem] ${picked ? 'bg-sunken' : ''}`}
      >
        <span className="sr-only">Details of {wordsOf(stage)}: </span>
        <span className="relative block h-6">
          {bar.wait && (
            <span
              className="hatched absolute inset-y-1.5 rounded-l-xs border border-line-strong"
              style={place(bar.wait)}
            />
          )}
          {bar.work && (
            <span
              className={`absolute inset-y-1 min-w-0.5 rounded-xs ${bad ? 'border-2 border-bad bg-bad-soft' : 'bg-water'} ${bar.open ? 'breathing' : ''}`}
              style={place(bar.work)}
            />
          )}
          {bar.beats.map((at) => (
            <span
              key={at}
              aria-hidden="true"
              className={`absolute inset-y-1 w-px ${bad ? 'bg-bad' : 'bg-surface'}`}
              style={{ left: `${at * 100}%` }}
            />
          ))}
        </span>
        <span className={`text-2xs leading-4 max-sm:pb-1 ${bad ? 'text-bad' : 'text-ink-2'}`}>{words.join(' · ')}</span>
      </button>
    </li>
  );
}

function place(span: Span): { left: string; width: string } {
  return { left: `${span.from * 100}%`, width: `${Math.max(0, span.to - span.from) * 100}%` };
}
