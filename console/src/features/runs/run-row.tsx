import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../../app/api.ts';
import { count, duration, plural, shortCount } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { ReceiptMini } from '../../ui/receipt/receipt-mini.tsx';
import { runName } from '../../ui/run-name.ts';
import { RunPill } from '../../ui/state-pill.tsx';
import { useNow } from '../../ui/use-now.ts';
import { workedMs } from './run-times.ts';

interface Props {
  readonly run: Run;
  readonly current: boolean;
  readonly selected: boolean;
  readonly onSelect: () => void;
}

/** What the columns hold, where there are columns. */
export function RunRowHead(): ReactNode {
  return (
    <li
      aria-hidden="true"
      className="label hidden items-center gap-x-3 border-b border-line-strong px-3 py-1.5 md:grid md:grid-cols-[1rem_11rem_minmax(0,1fr)_minmax(8rem,14rem)_6rem_6rem_7rem]"
    >
      <span />
      <span>State</span>
      <span>Run</span>
      <span>Receipt</span>
      <span className="text-right">Rejects</span>
      <span className="text-right">Took</span>
      <span className="text-right">Created</span>
    </li>
  );
}

/** One run: a table row on a wide screen, a card on a phone. */
export function RunRow({ run, current, selected, onSelect }: Props): ReactNode {
  const name = runName(run);
  return (
    <li
      data-run={run.run_id}
      data-current={current || undefined}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-0 hover:bg-sunken/60 data-current:bg-water-soft/60 data-current:shadow-[inset_3px_0_0_var(--water)] md:grid-cols-[1rem_11rem_minmax(0,1fr)_minmax(8rem,14rem)_6rem_6rem_7rem]"
    >
      <input type="checkbox" checked={selected} onChange={onSelect} aria-label={`Select ${name}`} className="size-4" />
      <span className="order-3 justify-self-end md:order-none md:justify-self-start">
        <RunPill run={run} />
      </span>
      <div className="order-2 min-w-0 md:order-none">
        <Link
          to="/r/$runId"
          params={{ runId: run.run_id }}
          className="block truncate font-medium hover:underline"
          title={name}
        >
          {name}
        </Link>
        <p className="truncate text-xs text-ink-3">
          {run.pipeline}
          {run.source && ` · ${run.source}`}
          {run.retry_of && ' · retry'}
          {run.error && (
            <span className={run.error.code === 'run_cancelled' ? '' : 'text-bad'}> · {run.error.message}</span>
          )}
        </p>
      </div>
      <div
        className={`order-4 col-span-3 md:order-none md:col-span-1 ${run.receipt || run.progress ? '' : 'max-md:hidden'}`}
      >
        <ReceiptMini run={run} />
      </div>
      <span className="order-5 col-span-3 flex gap-3 text-xs text-ink-2 md:hidden">
        <Rejects run={run} />
        {run.started_at && <Worked run={run} />}
        <Moment at={run.created_at} />
      </span>
      <span className="hidden text-right text-xs text-ink-2 md:block">
        <Rejects run={run} />
      </span>
      <span className="figures hidden text-right text-xs text-ink-2 md:block">
        <Worked run={run} />
      </span>
      <span className="hidden text-right text-xs text-ink-2 md:block">
        <Moment at={run.created_at} />
      </span>
    </li>
  );
}

function Rejects({ run }: { run: Run }): ReactNode {
  const { total, open } = run.rejects;
  if (total === 0) return null;
  const isOpen = open !== 0;
  return (
    <Link
      to="/r/$runId/rejects"
      params={{ runId: run.run_id }}
      className={`${isOpen ? 'text-bad' : 'text-ink-2'} hover:underline`}
      title={`${plural(total, 'row')} refused, ${open === null ? 'more than 1,000' : open === 0 ? 'none' : count(open)} still open`}
    >
      {isOpen ? `${shortCount(open ?? total)} rejected` : 'none open'}
    </Link>
  );
}

function Worked({ run }: { run: Run }): ReactNode {
  const now = useNow(1_000);
  const ms = workedMs(run, now);
  return ms === undefined ? '–' : duration(ms);
}
