// The receipt: one bar that must fill exactly, and the sum under it written out like a ledger line. Segments lead to their rows.
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { count, howFar, percent, plural } from '../../ui/figures.ts';
import {
  meanings,
  outcomeClass,
  type ReceiptBar,
  receiptBar,
  type Segment,
} from '../../ui/receipt/receipt-segments.ts';
import { ControlTotals } from './control-totals.tsx';
import { FileContent } from './file-content.tsx';
import { GrainNote } from './grain-note.tsx';

/** Parts of the bar that are no rows one could look at. */
const unsettled: ReadonlySet<string> = new Set(['pending', 'missing', 'through']);

export function ReceiptPanel({ run }: { run: RunDetail }): ReactNode {
  const navigate = useNavigate();
  const bar = receiptBar(run);
  const running = run.phase === 'waiting' || run.phase === 'active';
  const params = { runId: run.run_id };
  const { amounts, outcomeTo, outcomes, unit } = runPartsOf(run.pipeline);
  const place = outcomeTo?.replace('$runId', run.run_id);
  const words: OutcomeWords = { unit, outcomes, place };
  const pick = (outcome: string) =>
    void (place !== undefined
      ? navigate({ to: place })
      : outcome === 'rejected'
        ? navigate({ to: '/r/$runId/rejects', params, search: {} })
        : navigate({ to: '/r/$runId/rows', params, search: { outcome } }));
  return (
    <section aria-label="Receipt" className="flex flex-col gap-2">
      <div
        className={`flex h-8 overflow-hidden rounded-md border bg-sunken shadow-[inset_0_2px_4px_rgb(0_20_20/12%)] ${bar.balanced === false ? 'border-bad ring-1 ring-bad' : 'border-line-strong'}`}
      >
        {bar.segments.map((segment) => (
          <SegmentFill
            key={segment.outcome}
            segment={segment}
            words={words}
            read={bar.read}
            flowing={running}
            onPick={() => pick(segment.outcome)}
          />
        ))}
        {bar.segments.length === 0 && <EmptyBar run={run} running={running} />}
      </div>
      {bar.read > 0 && <Equation bar={bar} runId={run.run_id} words={words} running={running} />}
      {run.receipt?.content && <FileContent content={run.receipt.content} />}
      <GrainNote receipt={run.receipt} />
      {run.receipt?.totals && (
        <ControlTotals totals={run.receipt.totals} notTold={run.receipt.not_told} amounts={amounts} />
      )}
    </section>
  );
}

/** What is counted, what its outcomes mean, and where they are shown, where that is not as it is with rows. */
interface OutcomeWords {
  readonly unit: string | undefined;
  readonly outcomes: Readonly<Record<string, string>> | undefined;
  readonly place: string | undefined;
}

/** Before rows are counted: how far the reading is. */
function EmptyBar({ run, running }: { run: RunDetail; running: boolean }): ReactNode {
  const { progress } = run;
  const share = running && progress?.total ? Math.min(1, progress.done / progress.total) : 0;
  const ended = run.started_at === null ? 'nothing was read' : 'it ended before its rows were counted';
  const words = !running
    ? ended
    : progress
      ? `${howFar(progress)} read`
      : run.started_at === null
        ? 'nothing read yet'
        : 'not counted yet';
  return (
    <span className="relative flex flex-1 items-center justify-center text-xs text-ink-2">
      <span
        className="out out-pending flowing absolute inset-y-0 left-0 transition-[width] duration-500"
        style={{ width: `${share * 100}%` }}
      />
      <span className="relative rounded bg-surface px-1.5">{words}</span>
    </span>
  );
}

/** One part of the bar. A click filters the rows below; by keyboard the same is done in the sum, whose links are large enough. */
function SegmentFill({ segment, words: own, read, flowing, onPick }: SegmentProps): ReactNode {
  const settled = !unsettled.has(segment.outcome);
  const counted = own.unit === undefined ? plural(segment.count, 'row') : `${count(segment.count)} ${own.unit}`;
  const meaning = own.outcomes?.[segment.outcome] ?? meanings[segment.outcome] ?? 'counted by the pipeline';
  const words = `${counted} ${segment.outcome}: ${meaning}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links of the sum below do the same by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links of the sum below do the same by keyboard
    <span
      title={`${words} (${percent(segment.count, read)})`}
      onClick={settled ? onPick : undefined}
      style={{ width: `${segment.share * 100}%` }}
      className={`${outcomeClass(segment.outcome)} ${segment.outcome === 'pending' && flowing ? 'flowing' : ''} ${settled ? 'cursor-pointer hover:brightness-110' : ''} block h-full min-w-1 border-r border-surface/60 transition-[width] duration-500 last:border-0`}
    />
  );
}

interface SegmentProps {
  readonly segment: Segment;
  readonly words: OutcomeWords;
  readonly read: number;
  readonly flowing: boolean;
  readonly onPick: () => void;
}

function Equation({
  bar,
  runId,
  words,
  running,
}: {
  bar: ReceiptBar;
  runId: string;
  words: OutcomeWords;
  running: boolean;
}): ReactNode {
  return (
    <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 text-sm">
      <span className={bar.balanced ? 'ruled-sum' : ''}>
        <strong className="figures">{count(bar.read)}</strong>{' '}
        {words.place === undefined ? 'read' : `${words.unit} read`}
      </span>
      {bar.segments.map((segment, index) => (
        <span key={segment.outcome} className="inline-flex items-baseline gap-1.5 whitespace-nowrap">
          <span className="text-ink-3">{index === 0 ? '=' : '+'}</span>
          <span
            aria-hidden="true"
            className={`${outcomeClass(segment.outcome)} inline-block size-2.5 self-center rounded-xs`}
          />
          <Term runId={runId} segment={segment} place={words.place} />
        </span>
      ))}
      {bar.furniture > 0 && (
        <span className="text-ink-2">
          ·{' '}
          <Link to="/r/$runId/reading" params={{ runId }} className="link" title={meanings.furniture}>
            {plural(bar.furniture, 'line')} set aside
          </Link>
        </span>
      )}
      <Verdict bar={bar} running={running} />
    </div>
  );
}

function Term({ runId, segment, place }: { runId: string; segment: Segment; place: string | undefined }): ReactNode {
  const words = (
    <>
      <span className="figures font-medium">{count(segment.count)}</span> {segment.outcome}
    </>
  );
  if (unsettled.has(segment.outcome)) return <span>{words}</span>;
  const isBad = segment.outcome === 'rejected';
  if (place !== undefined)
    return (
      <Link to={place} className={`inline-block min-h-6 leading-6 hover:underline ${isBad ? 'text-bad' : ''}`}>
        {words}
      </Link>
    );
  if (isBad)
    return (
      <Link
        to="/r/$runId/rejects"
        params={{ runId }}
        search={{}}
        className="inline-block min-h-6 leading-6 text-bad hover:underline"
      >
        {words}
      </Link>
    );
  return (
    <Link
      to="/r/$runId/rows"
      params={{ runId }}
      search={{ outcome: segment.outcome }}
      className="inline-block min-h-6 leading-6 hover:underline"
    >
      {words}
    </Link>
  );
}

function Verdict({ bar, running }: { bar: ReceiptBar; running: boolean }): ReactNode {
  if (running) return <span className="ml-auto text-xs text-ink-3">still counting</span>;
  if (bar.balanced === undefined) return null;
  if (bar.balanced) return <span className="ml-auto text-xs font-medium text-good">✓ adds up</span>;
  const words =
    bar.difference > 0
      ? `${plural(bar.difference, 'row')} not accounted for`
      : `${plural(-bar.difference, 'row')} more than were read`;
  return (
    <span role="alert" className="ml-auto text-xs font-medium text-bad">
      ✕ does not add up: {words}
    </span>
  );
}
