// Alerts as facts in the outbox, in the words of the specification. Webhooks and sinks of alerts read the outbox.
// A message holds batch ids, codes and counts, never a name or a cell.
import type { OutboxRow } from '../../engine/sql/insert-events.ts';

export const ALERT_RAISED = 'alert.raised';

export type AlertRule = 'ingest_failure' | 'stale_takeover' | 'dead_letter_depth' | 'backlog' | 'batch_content_changed';

export interface Alert {
  readonly rule: AlertRule;
  readonly severity: 'ERROR' | 'WARNING';
  readonly message: string;
  /** Tells alerts of one rule and run apart; an alert is raised once per key. */
  readonly key?: string;
}

export const DEAD_LETTER_LIMIT = 5;
export const BACKLOG_LIMIT = 100;

export function ingestFailure(batch: string, errorType: string): Alert {
  return { rule: 'ingest_failure', severity: 'ERROR', message: `[INGEST FAILURE] ${batch}: ${errorType}` };
}

export function staleTakeover(batch: string, hours: number, attempt: number): Alert {
  return {
    rule: 'stale_takeover',
    severity: 'WARNING',
    message: `[STALE TAKEOVER] ${batch} abandoned for ${hours}h`,
    key: String(attempt),
  };
}

export function deadLetterDepth(count: number): Alert {
  return {
    rule: 'dead_letter_depth',
    severity: 'WARNING',
    message: `Ingest dead-letter queue has ${count} messages`,
  };
}

/** Counts what waits and what is worked on, and says so. */
export function backlog(count: number): Alert {
  return { rule: 'backlog', severity: 'WARNING', message: `Ingest backlog at ${count} pending or processing jobs` };
}

export function alertEvent(about: { readonly tenantId: string; readonly runId: string }, alert: Alert): OutboxRow {
  const { rule, severity, message, key } = alert;
  return {
    ...about,
    type: ALERT_RAISED,
    key: key === undefined ? rule : `${rule}:${key}`,
    data: JSON.stringify({ pipeline: 'judgments', rule, severity, message }),
  };
}
