// The alerts of the tenant, the rules that open them, and the sinks that receive them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { exactly } from '../../ui/tabs.ts';
import { AlertRules } from './alert-rules.tsx';
import { AlertSinks } from './alert-sinks.tsx';
import { type Alert, alertsQuery } from './list-alerts.ts';
import { Severity } from './severity.tsx';

const route = getRouteApi('/shell/operate/alerts');

const endings: Record<NonNullable<Alert['resolution']>, string> = {
  below_threshold: 'the value is within its limit again',
  run_ended: 'its run ended',
  retried: 'its run was retried',
  expired: 'nothing more happened',
  rule_off: 'its rule was switched off',
  switched_on: 'it was switched on again',
};

export function AlertsPage(): ReactNode {
  const { status = 'open' } = route.useSearch();
  return (
    <div className="flex flex-col gap-4">
      <nav aria-label="Which alerts" className="flex flex-wrap gap-1">
        {(['open', 'resolved'] as const).map((each) => (
          <Link
            key={each}
            to="/operate/alerts"
            search={each === 'open' ? {} : { status: each }}
            activeOptions={exactly}
            className="chip"
          >
            {each === 'open' ? 'Open' : 'Resolved'}
          </Link>
        ))}
      </nav>
      <Panel title="Alerts">
        <AlertList status={status} />
      </Panel>
      <AlertRules />
      <AlertSinks />
    </div>
  );
}

function AlertList({ status }: { status: 'open' | 'resolved' }): ReactNode {
  const alerts = useQuery(alertsQuery(status));
  if (alerts.isPending) return <LoadingLines lines={3} />;
  if (alerts.isError) return <ProblemNote error={alerts.error} onRetry={() => void alerts.refetch()} />;
  if (alerts.data.data.length === 0)
    return status === 'open' ? (
      <EmptyState icon="check" title="Nothing is wrong">
        All rules are satisfied. The rules are below.
      </EmptyState>
    ) : (
      <EmptyState title="No alert has ended yet" />
    );
  return (
    <ul className="divide-y divide-line">
      {alerts.data.data.map((alert) => (
        <AlertItem key={alert.alert_id} alert={alert} />
      ))}
    </ul>
  );
}

function AlertItem({ alert }: { alert: Alert }): ReactNode {
  const queries = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: () => call('alerts.acknowledge', { params: { alert_id: alert.alert_id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operate', 'alerts'] }),
  });
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3">
      <Severity severity={alert.severity} />
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-medium wrap-anywhere">{inertText(alert.message)}</p>
        <p className="flex flex-wrap gap-x-3 text-xs text-ink-2">
          <code className="figures">{alert.rule}</code>
          <span>
            since <Moment at={alert.opened_at} />
          </span>
          {alert.occurrences > 1 && (
            <span>
              {plural(alert.occurrences, 'time')}, last <Moment at={alert.last_seen_at} />
            </span>
          )}
          {alert.acknowledged_at && (
            <span>
              {alert.acknowledged_by ?? 'somebody'} looks after it since <Moment at={alert.acknowledged_at} />
            </span>
          )}
          {alert.resolution && (
            <span>
              over <Moment at={alert.resolved_at} />: {endings[alert.resolution]}
            </span>
          )}
        </p>
        {acknowledge.isError && <ProblemNote error={acknowledge.error} />}
      </div>
      <div className="flex gap-2">
        {alert.run_id && (
          <Link to="/r/$runId" params={{ runId: alert.run_id }} className="link text-xs leading-6">
            Open the run
          </Link>
        )}
        {alert.status === 'open' && !alert.acknowledged_at && (
          <Button small busy={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
            Acknowledge
          </Button>
        )}
      </div>
    </li>
  );
}
