// One attempt of a stage in full: when, by whom, how it ended and why, what its worker told on the way.
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { amount, duration, plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { wordsOf } from '../../ui/state-pill.tsx';
import { AttemptSamples } from './attempt-samples.tsx';
import type { GanttBar } from './gantt-layout.ts';
import { outcomeOf } from './outcome-words.ts';

interface Props {
  readonly id: string;
  readonly run: RunDetail;
  readonly stage: string;
  readonly bar: GanttBar;
  readonly onClose: () => void;
}

export function AttemptDetails({ id, run, stage, bar, onClose }: Props): ReactNode {
  const attempt = run.attempts.find((each) => each.stage === stage && each.attempt === bar.attempt);
  const samples = run.samples.filter((each) => each.stage === stage && each.attempt === bar.attempt);
  const last = samples.at(-1);
  const decisions = run.decisions.filter((each) => each.stage === stage && isDuring(each.at, attempt));
  const outcome = outcomeOf(attempt?.outcome ?? null, bar);
  return (
    <section id={id} aria-label={`Attempt ${bar.number} of ${stage}`} className="mt-3 rounded-md border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
        <h3 className="text-sm">
          {wordsOf(stage)}, attempt {bar.number}
        </h3>
        <span className={`text-xs font-medium ${outcome.look}`}>{outcome.words}</span>
        <button
          type="button"
          onClick={onClose}
          aria-label="Close the details"
          className="ml-auto rounded p-1 text-ink-2 hover:bg-sunken"
        >
          <Icon name="cross" />
        </button>
      </div>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-4 gap-y-3 px-3 py-3 text-sm">
        <Fact name="In the queue" value={duration(bar.waitMs)} />
        <Fact name="Work" value={bar.work ? `${duration(bar.workMs)}${bar.open ? ' so far' : ''}` : 'not begun'} />
        <Fact name="Queued" value={<Exact at={attempt?.queued_at ?? null} />} />
        <Fact name="Started" value={<Exact at={attempt?.started_at ?? null} />} />
        <Fact
          name="Ended"
          value={attempt && bar.open ? 'still at work' : <Exact at={attempt?.finished_at ?? null} />}
        />
        <Fact name="Worker" value={attempt?.worker ? inertText(attempt.worker) : 'none yet'} />
        {last && (
          <Fact
            name="Last activity"
            value={
              <>
                {amount(last.done, last.unit ?? 'rows')}, <Moment at={last.at} as="clock" />
              </>
            }
          />
        )}
        {decisions.length > 0 && <Fact name="Batch size" value={plural(decisions.length, 'change')} />}
      </dl>
      {attempt?.error && (
        <div className="mx-3 mb-3 rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm">
          <p className="font-medium wrap-anywhere">{inertText(attempt.error.message)}</p>
          {attempt.error.next && <p className="mt-1 text-ink-2">{attempt.error.next}</p>}
          <code className="figures text-xs text-ink-2">{attempt.error.code}</code>
        </div>
      )}
      <AttemptSamples run={run} />
    </section>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="label">{name}</dt>
      <dd className="figures wrap-anywhere">{value}</dd>
    </div>
  );
}

function Exact({ at }: { at: string | null }): ReactNode {
  return at === null ? '–' : <Moment at={at} as="clock" />;
}

function isDuring(at: string, attempt: RunDetail['attempts'][number] | undefined): boolean {
  if (!attempt) return false;
  return at >= attempt.started_at && (attempt.finished_at === null || at <= attempt.finished_at);
}
