// A plain webhook: the alert as JSON, for programs. Repetitions of one message carry the same Idempotency-Key.
import { type Compose, jsonCall, type Notice } from '../notice.ts';

const types = {
  open: 'alert.opened',
  reminder: 'alert.reminded',
  acknowledge: 'alert.acknowledged',
  resolve: 'alert.resolved',
  test: 'alert.test',
  digest: 'alert.digest',
  digest_end: 'alert.digest_ended',
} as const;

export const composeWebhook: Compose = (notice, { url }) => {
  if (notice.what === 'acknowledge' || notice.what === 'digest_end') return undefined;
  const call = jsonCall(url, bodyOf(notice));
  const key = `${notice.dedupKey}-${notice.what}-${notice.round}`;
  return { ...call, headers: { ...call.headers, 'idempotency-key': key } };
};

function bodyOf(notice: Notice): Record<string, unknown> {
  return {
    type: types[notice.what],
    alert_id: notice.alertId,
    dedup_key: notice.dedupKey,
    tenant_id: notice.tenantId,
    rule: notice.rule,
    severity: notice.severity,
    message: notice.message,
    pipeline: notice.pipeline,
    run_id: notice.runId,
    link: notice.link,
    value: notice.value,
    threshold: notice.threshold,
    occurrences: notice.occurrences,
    opened_at: notice.openedAt.toISOString(),
    resolved_at: notice.resolvedAt?.toISOString() ?? null,
  };
}
