// What happens next, or why the run waits. It shows when a worker has gone silent, and what Millrace will do about it.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { useLiveState } from '../../app/use-live.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { amount, duration, howFar, percent, plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { Moment } from '../../ui/moment.tsx';
import { sentence } from '../../ui/sentence.ts';
import { useNow } from '../../ui/use-now.ts';
import { silenceOf } from './silence.ts';

export function NextCard({ run }: { run: RunDetail }): ReactNode {
  return (
    <div className="flex flex-col gap-3 px-4 py-3 text-sm" aria-live="polite">
      {run.phase === 'active' && <Working run={run} />}
      {run.wait && <Waiting wait={run.wait} />}
      {run.error && (isPlanned(run) ? <p className="text-ink-2">{run.error.next}</p> : <Failure error={run.error} />)}
      {run.next && run.next !== run.error?.next && <p>{run.next}</p>}
      {run.phase === 'done' && <Done run={run} />}
      <Lost run={run} />
    </div>
  );
}

/** It goes on by itself: the wait says why and when, and nothing has failed. */
const isPlanned = ({ wait, error }: RunDetail) => wait !== null && error?.code === 'work_later';

function Working({ run }: { run: RunDetail }): ReactNode {
  const now = useNow(1_000);
  const live = useLiveState();
  const silentMs = silenceOf(run, now);
  const { progress } = run;
  return (
    <div className="flex flex-col gap-2">
      {progress && (
        <>
          <p>
            <strong className="figures">{howFar(progress)}</strong>
            {progress.total !== null && <span className="text-ink-2"> · {percent(progress.done, progress.total)}</span>}
          </p>
          <progress
            className="upload-progress h-2 w-full"
            max={progress.total ?? undefined}
            value={progress.total === null ? undefined : progress.done}
            aria-label="Progress"
          />
          <p className="text-xs text-ink-2">
            {progress.per_second !== null && <>{amount(Math.round(progress.per_second), progress.unit)} a second</>}
            {progress.eta_at && (
              <>
                {' '}
                · done <Moment at={progress.eta_at} />
              </>
            )}
          </p>
        </>
      )}
      {!progress && <p>A worker is processing it.</p>}
      {silentMs !== undefined && live !== 'lost' && (
        <p role="status" className="rounded-md border border-warn bg-warn-soft px-3 py-2">
          <Icon name="warn" className="mr-1 align-text-bottom text-warn" />
          The worker has been silent for {duration(silentMs)}. If it stays silent, its lease ends and another worker
          takes the run over from the last checkpoint. Nothing stored is lost or written twice.
        </p>
      )}
    </div>
  );
}

function Waiting({ wait }: { wait: NonNullable<RunDetail['wait']> }): ReactNode {
  return (
    <p className="flex gap-2">
      <Icon name="clock" className="mt-0.5 text-ink-3" />
      <span>
        {sentence(wait.text)}
        {wait.until && (
          <span className="text-ink-2">
            {' '}
            (<Moment at={wait.until} />, at <Moment at={wait.until} as="clock" />)
          </span>
        )}
      </span>
    </p>
  );
}

function Failure({ error }: { error: NonNullable<RunDetail['error']> }): ReactNode {
  return (
    <div
      className={`rounded-md border px-3 py-2 ${error.code === 'run_cancelled' ? 'border-line-strong' : 'border-bad bg-bad-soft'}`}
    >
      <p className="font-medium wrap-anywhere">{error.message}</p>
      {error.next && <p className="mt-1 text-ink-2">{error.next}</p>}
      <code className="figures text-xs text-ink-2">{error.code}</code>
    </div>
  );
}

function Done({ run }: { run: RunDetail }): ReactNode {
  const open = run.rejects.open ?? 0;
  if (open > 0)
    return (
      <p>
        Done, but {plural(open, 'row')} {open === 1 ? 'was' : 'were'} refused.{' '}
        <Link to="/r/$runId/rejects" params={{ runId: run.run_id }} search={{}} className="link">
          Fix and replay {open === 1 ? 'it' : 'them'}
        </Link>
      </p>
    );
  if (run.next) return null;
  const { unit } = runPartsOf(run.pipeline);
  const whole = unit === undefined ? 'Every row is' : `All ${unit} are`;
  return <p className="text-good">✓ Nothing is left to do. {whole} accounted for.</p>;
}

/** Attempts that ended with their worker: said plainly, with what came after. */
function Lost({ run }: { run: RunDetail }): ReactNode {
  const lost = run.attempts.filter((attempt) => attempt.outcome === 'lost');
  const last = lost.at(-1);
  if (!last) return null;
  const next = run.attempts.find((attempt) => attempt.attempt > last.attempt);
  return (
    <p className="border-t border-line pt-3 text-xs text-ink-2">
      Attempt {last.number} of {last.stage} was lost with its worker
      {last.finished_at && (
        <>
          {' '}
          <Moment at={last.finished_at} />
        </>
      )}
      . {next ? `Attempt ${next.number} took over from the last checkpoint.` : 'Another worker takes it over.'}
    </p>
  );
}
