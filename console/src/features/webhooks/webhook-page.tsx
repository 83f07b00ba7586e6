// One endpoint: how it is, what can be done with it, and the log of what was delivered.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { deliveryStatuses } from '../../../../src/contract/api/webhook-events.ts';
import { hasCode } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { exactly } from '../../ui/tabs.ts';
import { ShownOnce } from '../operate/shown-once.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { webhookQuery } from './list-webhooks.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookState } from './webhook-state.tsx';

const route = getRouteApi('/shell/operate/webhooks/$endpointId');

export function WebhookPage(): ReactNode {
  const { endpointId } = route.useParams();
  const { status } = route.useSearch();
  const webhook = useQuery(webhookQuery(endpointId));
  const isAdmin = useIs('admin');
  const [secret, setSecret] = useState<string>();
  if (hasCode(webhook.error, 'webhook_not_found', 'request_invalid'))
    return (
      <EmptyState icon="search" title="There is no such endpoint">
        <Link to="/operate/webhooks" className="link">
          All webhooks
        </Link>
      </EmptyState>
    );
  if (webhook.isPending) return <LoadingLines lines={6} />;
  if (!webhook.data) return <ProblemNote error={webhook.error} onRetry={() => void webhook.refetch()} />;
  const { data } = webhook;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-xs text-ink-3">
        <Link to="/operate/webhooks" className="hover:underline">
          Webhooks
        </Link>{' '}
        / {inertText(data.description || data.url)}
      </p>
      {secret && <ShownOnce what="The new secret" secret={secret} />}
      <Panel title="Endpoint" aside={isAdmin && <WebhookActions webhook={data} onSecret={setSecret} />}>
        <dl className="grid grid-cols-1 gap-x-6 gap-y-2 px-4 py-3 text-sm sm:grid-cols-2 [&_dt]:text-xs [&_dt]:text-ink-3">
          <div>
            <dt>Address</dt>
            <dd className="figures text-xs wrap-anywhere">{inertText(data.url)}</dd>
          </div>
          <div>
            <dt>State</dt>
            <dd>
              <WebhookState webhook={data} />
              {data.last_error_code && data.failure_streak > 0 && (
                <code className="figures ml-2 text-xs text-ink-2">{data.last_error_code}</code>
              )}
            </dd>
          </div>
          <div>
            <dt>Events</dt>
            <dd className="figures text-xs wrap-anywhere">{data.event_types.join(' ')}</dd>
          </div>
          <div>
            <dt>Added</dt>
            <dd>
              <Moment at={data.created_at} />
            </dd>
          </div>
          {data.paused_until && (
            <div>
              <dt>The receiver asked us to slow down</dt>
              <dd>
                until <Moment at={data.paused_until} as="clock" />
              </dd>
            </div>
          )}
          {data.former_secret_until && (
            <div>
              <dt>The former secret is still valid</dt>
              <dd>
                until <Moment at={data.former_secret_until} />
              </dd>
            </div>
          )}
        </dl>
      </Panel>
      <nav aria-label="Which deliveries" className="flex flex-wrap gap-1">
        {[undefined, ...deliveryStatuses].map((each) => (
          <Link
            key={each ?? 'all'}
            to="/operate/webhooks/$endpointId"
            params={{ endpointId }}
            search={each ? { status: each } : {}}
            activeOptions={exactly}
            className="chip"
          >
            <span className="first-letter:uppercase">{each ?? 'All'}</span>
          </Link>
        ))}
      </nav>
      <Panel title="Deliveries">
        <DeliveryLog endpointId={endpointId} status={status} mayResend={isAdmin && data.enabled} />
      </Panel>
    </div>
  );
}
