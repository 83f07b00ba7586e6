import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { duration, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { ProblemNote } from '../../ui/states.tsx';
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
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className={`inline-flex items-center gap-1.5 text-sm font-medium ${mark?.look ?? 'text-ink-3'}`}>
          <span aria-hidden="true">{mark?.mark ?? '○'}</span>
          {connector.freshness ?? 'switched off'}
        </span>
        <span className="min-w-0 flex-1 truncate font-medium">{inertText(connector.name)}</span>
        <Controls connector={connector} />
        <Button small look="quiet" icon={open ? 'down' : 'right'} aria-expanded={open} onClick={() => setOpen(!open)}>
          History
        </Button>
      </div>
      <p className="flex flex-wrap gap-x-4 text-xs text-ink-2">
        <span>every {duration(connector.effective_interval_seconds * 1000)}</span>
        <span>
          last good <Moment at={connector.last_success_at} />
        </span>
        <span>
          next <Moment at={connector.next_sync_at} />
        </span>
        {connector.live_job && <span className="text-water-strong">▶ {connector.live_job.status} now</span>}
        {connector.consecutive_failures > 0 && (
          <span className="text-bad">{plural(connector.consecutive_failures, 'failure')} in a row</span>
        )}
      </p>
      {connector.disabled_reason && (
        <p className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm">
          It was switched off: {inertText(connector.disabled_reason)}. Mend the cause, then switch it on again.
        </p>
      )}
      {open && <SyncHistory connectorId={connector.connector_id} />}
    </li>
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
  const fault = sync.error ?? toggle.error;
  return (
    <>
      {fault && <ProblemNote error={fault} />}
      {!off && (
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
        <Button small icon={off ? 'play' : 'pause'} busy={toggle.isPending} onClick={() => toggle.mutate()}>
          {off ? 'Switch on' : 'Switch off'}
        </Button>
      )}
    </>
  );
}
