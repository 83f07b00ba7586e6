import type { ReactNode } from 'react';
import { plural } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import type { Webhook } from './list-webhooks.ts';

const reasons = {
  person: 'switched off by hand',
  gone: 'switched off: it answered that it is gone (410)',
  failing: 'switched off: it failed for too long',
} as const;

/** How an endpoint is, by sign and word. */
export function WebhookState({ webhook }: { webhook: Webhook }): ReactNode {
  if (!webhook.enabled)
    return (
      <span className="text-bad">
        ■ {webhook.disabled_reason ? reasons[webhook.disabled_reason] : 'switched off'}{' '}
        <Moment at={webhook.disabled_at} />
      </span>
    );
  if (webhook.failure_streak > 0)
    return (
      <span className="text-warn">
        ▲ {plural(webhook.failure_streak, 'try', 'tries')} failed
        {webhook.failing_since && (
          <>
            {' '}
            since <Moment at={webhook.failing_since} />
          </>
        )}
      </span>
    );
  if (webhook.last_success_at === null) return <span className="text-ink-2">○ nothing sent yet</span>;
  return (
    <span className="text-good">
      ✓ delivered <Moment at={webhook.last_success_at} />
    </span>
  );
}
