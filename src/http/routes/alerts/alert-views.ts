// Alerts, rules, sinks and sends as the API shows them.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { linkOf } from '../../../outbound/alerts/notice.ts';
import type { AlertRow, SendRow } from '../../../outbound/alerts/sql/alert-store.ts';
import type { RuleRow } from '../../../outbound/alerts/sql/rule-store.ts';
import type { SinkRow } from '../../../outbound/alerts/sql/sink-store.ts';

type AlertView = AnswerOf<'alerts.acknowledge'>;
type RuleView = AnswerOf<'alert-rules.update'>;
type SinkView = AnswerOf<'alert-sinks.show'>;
type SendView = AnswerOf<'alert-sinks.sends'>['data'][number];

export function viewAlert(row: AlertRow, publicUrl: string): AlertView {
  const { run_id: runId, pipeline } = row;
  return {
    ...row,
    status: row.resolved_at === null ? 'open' : 'resolved',
    link: linkOf(publicUrl, { runId, pipeline }),
    opened_at: row.opened_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    resolved_at: time(row.resolved_at),
    resolution: row.resolution as AlertView['resolution'],
    acknowledged_at: time(row.acknowledged_at),
  };
}

export function viewRule(row: RuleRow): RuleView {
  const { rule_id: _, tenant_id: tenantId, is_changed: isChanged, ...shown } = row;
  const origin = tenantId === null ? 'default' : isChanged ? 'changed' : 'own';
  return { ...shown, origin, updated_at: row.updated_at.toISOString() };
}

export function viewSink(row: SinkRow): SinkView {
  return {
    ...row,
    last_ok_at: time(row.last_ok_at),
    last_error_at: time(row.last_error_at),
    paused_until: time(row.paused_until),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function viewSend(row: SendRow): SendView {
  return {
    ...row,
    send_id: String(row.send_id),
    next_at: time(row.next_at),
    sent_at: time(row.sent_at),
    created_at: row.created_at.toISOString(),
  };
}

function time(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
