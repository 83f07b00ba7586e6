// Writes alerts as events into the outbox, in the transaction that opens or resolves them. The console and webhooks read them from there.
import { insertEvents } from '../../engine/sql/insert-events.ts';
import type { Queryable } from '../../platform/database.ts';
import type { OpenedAlert, ResolvedAlert } from './sql/write-alerts.ts';

const ALERT_OPENED = 'alert.opened';
const ALERT_RESOLVED = 'alert.resolved';

export function tellOpened(tx: Queryable, alerts: readonly OpenedAlert[]): Promise<void> {
  return tell(tx, ALERT_OPENED, alerts, () => ({}));
}

export function tellResolved(tx: Queryable, alerts: readonly ResolvedAlert[]): Promise<void> {
  return tell(tx, ALERT_RESOLVED, alerts, ({ resolution }) => ({ resolution }));
}

async function tell<A extends OpenedAlert>(
  tx: Queryable,
  type: string,
  alerts: readonly A[],
  more: (alert: A) => object,
): Promise<void> {
  if (alerts.length === 0) return;
  const rows = alerts.map((alert) => {
    const { alert_id, tenant_id: tenantId, run_id: runId, rule, severity, message, pipeline } = alert;
    const data = { alert_id, rule, severity, message, ...(pipeline === null ? {} : { pipeline }), ...more(alert) };
    return { tenantId, runId, type, key: alert_id, data: JSON.stringify(data) };
  });
  await insertEvents(tx, rows);
}
