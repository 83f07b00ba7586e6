import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type RunDetail, urlOf } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { bytes, duration } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { Moment } from '../../ui/moment.tsx';
import { runName } from '../../ui/run-name.ts';
import { RunPill } from '../../ui/state-pill.tsx';
import { useNow } from '../../ui/use-now.ts';
import { workedMs } from '../runs/run-times.ts';
import { attemptNow } from './attempt-now.ts';
import { RunActions } from './run-actions.tsx';

export function RunHeader({ run }: { run: RunDetail }): ReactNode {
  const caption = runPartsOf(run.pipeline).caption?.(run);
  return (
    <header className="flex flex-col gap-2">
      <p className="text-xs text-ink-3">
        <Link to="/runs" className="hover:underline">
          Runs
        </Link>{' '}
        / {run.pipeline}
        {caption && ` / ${caption}`}
      </p>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl wrap-anywhere">{runName(run)}</h1>
          <RunPill run={run} />
          <CopyButton text={run.run_id} what="run id" />
          <CopyButton text={`${location.origin}/r/${run.run_id}`} what="link to this run" show="link" />
        </div>
        <div className="flex flex-wrap gap-2">
          <RunActions run={run} />
        </div>
      </div>
      <Facts run={run} />
    </header>
  );
}

function Facts({ run }: { run: RunDetail }): ReactNode {
  const now = useNow(1_000);
  const worked = workedMs(run, now);
  const attempt = attemptNow(run);
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-2 [&_dd]:inline [&_dt]:inline [&_dt]:text-ink-3">
      {(run.source ?? run.created_by) && (
        <div>
          <dt>{run.source ? 'from ' : 'by '}</dt>
          <dd>
            {run.source}
            {run.source && run.created_by && ', by '}
            {run.created_by}
          </dd>
        </div>
      )}
      <div>
        <dt>queued </dt>
        <dd>
          <Moment at={run.created_at} />
        </dd>
      </div>
      {run.started_at && (
        <div>
          <dt>started </dt>
          <dd>
            <Moment at={run.started_at} />
          </dd>
        </div>
      )}
      {run.finished_at && (
        <div>
          <dt>ended </dt>
          <dd>
            <Moment at={run.finished_at} />
          </dd>
        </div>
      )}
      {worked !== undefined && (
        <div>
          <dt>{run.finished_at ? 'took ' : 'at work for '}</dt>
          <dd className="figures">{duration(worked)}</dd>
        </div>
      )}
      {run.file && (
        <div>
          <dt>file </dt>
          <dd>
            {bytes(run.file.bytes)},{' '}
            <CopyButton
              text={run.file.sha256}
              what="SHA-256 of the file"
              show={`sha256 ${run.file.sha256.slice(0, 10)}…`}
            />
          </dd>
        </div>
      )}
      {attempt && (
        <div>
          <dt>attempt </dt>
          <dd className="figures">{attempt}</dd>
        </div>
      )}
      {run.stages
        .filter((stage) => stage.attempts > 1 && (attempt === undefined || stage.stage !== run.stage))
        .map((stage) => (
          <div key={stage.stage}>
            <dt>attempts of {stage.stage} </dt>
            <dd className="figures">{stage.attempts}</dd>
          </div>
        ))}
      <Linked label="takes refused rows of" runId={textOf(run.input.rejects_of)} />
      <Linked label="retry of" runId={run.retry_of} />
      <Linked label="retried as" runId={run.retried_as} />
      <Linked label="undone by" runId={run.undone_as} />
      <Linked label="requeued as" runId={run.requeued_as} />
      {run.acknowledged && (
        <div>
          <dt>acknowledged by </dt>
          <dd>
            {run.acknowledged.by}: {run.acknowledged.reason}
          </dd>
        </div>
      )}
      {run.replays.map(({ run_id }) => (
        <Linked key={run_id} label="refused rows replayed as" runId={run_id} />
      ))}
    </dl>
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function Linked({ label, runId }: { label: string; runId: string | null }): ReactNode {
  if (runId === null) return null;
  return (
    <div>
      <dt>{label} </dt>
      <dd>
        <Link to="/r/$runId" params={{ runId }} className="link figures">
          …{runId.slice(-8)}
        </Link>
      </dd>
    </div>
  );
}

/** Receipt, rejects and the original, as files. */
export function Downloads({ run }: { run: RunDetail }): ReactNode {
  const receipt = () => {
    const link = document.createElement('a');
    const body = JSON.stringify({ run_id: run.run_id, status: run.status, receipt: run.receipt }, null, 2);
    link.href = URL.createObjectURL(new Blob([body], { type: 'application/json' }));
    link.download = `receipt-${run.run_id}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const look = buttonClass('plain', true);
  return (
    <div className="flex flex-wrap gap-2">
      {run.receipt && (
        <button type="button" onClick={receipt} className={look}>
          <Icon name="download" /> Receipt (JSON)
        </button>
      )}
      {run.rejects.total > 0 && (
        <a href={urlOf('rejects.download', { params: { run_id: run.run_id } })} download className={look}>
          <Icon name="download" /> Rejects (CSV)
        </a>
      )}
      {run.file !== null && run.source !== 'replay' && (
        <a href={urlOf('uploads.original', { params: { upload_id: run.run_id } })} download className={look}>
          <Icon name="download" /> Original file
        </a>
      )}
    </div>
  );
}
