import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { wordsOf } from '../../ui/state-pill.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { everyOf } from './connector-interval.ts';
import { ChangeConnector, RemoveConnector } from './connector-settings.tsx';
import type { Connector } from './list-connectors.ts';
import { SyncHistory } from './sync-history.tsx';

const marks: Record<NonNullable<Connector['freshness']>, { mark: string; look: string }> = {
  'on time': { mark: '●', look: 'text-good' },
  'on track': { mark: '◐', look: 'text-good' },
  late: { mark: '▲', look: 'text-warn' },
  failing: { mark: '✕', look: 'text-bad' },
  'action required': { mark: '■', look: 'text-bad' },
};

/** One connector: how fresh it is, when it syncs next, and what it did. */
export function ConnectorCard({ connector }: { connector: Connector }): ReactNode {
  const [open, setOpen] = useState(false);
  const mark = connector.freshness ? marks[connector.freshness] : undefined;
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-col gap-x-4 gap-y-2 lg:flex-row lg:items-start">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <span className="min-w-0 font-medium wrap-anywhere">{inertText(connector.name)}</span>
            <span
              className={`inline-flex items-center gap-1.5 text-sm whitespace-nowrap ${mark?.look ?? 'text-ink-3'}`}
            >
              <span aria-hidden="true">{mark?.mark ?? '○'}</span>
              {connector.freshness ?? 'switched off'}
            </span>
          </p>
          <Facts connector={connector} />
        </div>
        <div className="flex flex-wrap gap-2">
          <Controls connector={connector} />
          <Button small look="quiet" icon={open ? 'down' : 'right'} aria-expanded={open} onClick={() => setOpen(!open)}>
            History
          </Button>
        </div>
      </div>
      {connector.disabled_reason && (
        <p className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm">
          It was switched off: {inertText(connector.disabled_reason)}. Fix the cause, then switch it on again.
        </p>
      )}
      {open && <SyncHistory connectorId={connector.connector_id} />}
    </li>
  );
}

function Facts({ connector }: { connector: Connector }): ReactNode {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-2">
      <span>{everyOf(connector.effective_interval_seconds)}</span>
      <span>
        {connector.last_success_at ? (
          <>
            last good <Moment at={connector.last_success_at} />
          </>
        ) : (
          'no good sync yet'
        )}
      </span>
      {connector.live_job ? (
        <Link to="/r/$runId" params={{ runId: connector.live_job.job_id }} className="link">
          ▶ {wordsOf(connector.live_job.status)} now
        </Link>
      ) : (
        connector.next_sync_at && (
          <span>
            next <Moment at={connector.next_sync_at} />
          </span>
        )
      )}
      {connector.consecutive_failures > 0 && (
        <span className="text-bad">
          {plural(connector.consecutive_failures, 'failure')} in a row
          {connector.last_error_code && (
            <>
              , the last <code className="figures">{connector.last_error_code}</code>{' '}
              <Moment at={connector.last_error_at} />
            </>
          )}
        </span>
      )}
    </p>
  );
}

function Controls({ connector }: { connector: Connector }): ReactNode {
  const isAdmin = useIs('admin');
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: ['operate'] });
  const { connector_id } = connector;
  const sync = useMutation({ mutationFn: () => call('syncs.trigger', { body: { connector_id } }), onSuccess });
  const off = !connector.enabled || connector.disabled_at !== null;
  const toggle = useMutation({
    mutationFn: () => call('connectors.update', { params: { connector_id }, body: { enabled: off } }),
    onSuccess,
  });
  const [dialog, setDialog] = useState<'change' | 'remove'>();
  const fault = sync.error ?? toggle.error;
  return (
    <>
      {fault && <ProblemNote error={fault} />}
      {isAdmin && !off && (
        <Button
          small
          icon="replay"
          busy={sync.isPending}
          disabled={connector.live_job !== null}
          onClick={() => sync.mutate()}
        >
          Sync now
        </Button>
      )}
      {isAdmin && (
        <>
          <Button small icon={off ? 'play' : 'pause'} busy={toggle.isPending} onClick={() => toggle.mutate()}>
            {off ? 'Switch on' : 'Switch off'}
          </Button>
          <Button small onClick={() => setDialog('change')}>
            Change…
          </Button>
          <Button small look="danger" onClick={() => setDialog('remove')}>
            Remove…
          </Button>
        </>
      )}
      {dialog === 'change' && <ChangeConnector connector={connector} onClose={() => setDialog(undefined)} />}
      {dialog === 'remove' && <RemoveConnector connector={connector} onClose={() => setDialog(undefined)} />}
    </>
  );
}
