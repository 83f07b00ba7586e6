// PagerDuty Events API v2. One incident per alert: trigger, acknowledge and resolve carry the same dedup_key, so that a repeated message
// changes nothing there.
import { type Compose, jsonCall, type Notice } from '../notice.ts';

export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

const actions = {
  open: 'trigger',
  reminder: 'trigger',
  test: 'trigger',
  digest: 'trigger',
  digest_end: 'resolve',
  acknowledge: 'acknowledge',
  resolve: 'resolve',
} as const;
const severities = { INFO: 'info', WARNING: 'warning', ERROR: 'error', CRITICAL: 'critical' } as const;

export const composePagerDuty: Compose = (notice, { url, routingKey }) => {
  const event = { routing_key: routingKey, event_action: actions[notice.what], dedup_key: notice.dedupKey };
  if (event.event_action !== 'trigger') return jsonCall(url, event);
  return jsonCall(url, {
    ...event,
    client: 'Millrace',
    client_url: notice.link,
    links: [{ href: notice.link, text: notice.runId === null ? 'Open in Millrace' : 'Open the run' }],
    payload: {
      summary: notice.message,
      source: 'millrace',
      severity: severities[notice.severity],
      timestamp: notice.openedAt.toISOString(),
      class: notice.rule,
      ...(notice.pipeline === null ? {} : { component: notice.pipeline }),
      custom_details: detailsOf(notice),
    },
  });
};

function detailsOf({ tenantId, runId, value, threshold, occurrences }: Notice): Record<string, unknown> {
  return { tenant_id: tenantId, run_id: runId, value, threshold, occurrences };
}
