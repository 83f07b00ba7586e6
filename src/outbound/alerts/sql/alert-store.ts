// Alerts and what was sent of them, as a tenant sees them. Runs as millrace_app under the tenant; every statement names the tenant too.
import type { AlertSeverity } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { NoticeKind } from '../notice.ts';

export interface AlertRow {
  readonly alert_id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly subject: string;
  readonly pipeline: string | null;
  readonly run_id: string | null;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly occurrences: number;
  readonly opened_at: Date;
  readonly last_seen_at: Date;
  readonly resolved_at: Date | null;
  readonly resolution: string | null;
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: string | null;
}

const columns = `alert_id, rule, severity, message, subject, pipeline, run_id, value, threshold, occurrences, opened_at, last_seen_at,
  resolved_at, resolution, acknowledged_at, acknowledged_by`;

export interface AlertFilter {
  readonly status: 'open' | 'resolved' | null;
  readonly rule: string | null;
  readonly runId: string | null;
}

// Written out, so that the open ones are found by their own index.
const byStatus = { open: 'resolved_at is null', resolved: 'resolved_at is not null', any: 'true' } as const;

/** Newest first. */
export async function listAlerts(
  db: Queryable,
  tenantId: string,
  filter: AlertFilter,
  beforeId: string | null,
  limit: number,
): Promise<AlertRow[]> {
  const which = filter.status ?? 'any';
  const ofRun = filter.runId !== null;
  const { rows } = await db.query<AlertRow>({
    name: `alerts-list-${which}${ofRun ? '-of-run' : ''}`,
    text: `
      select ${columns}
      from ${ofRun ? '(select * from engine.alerts where run_id = $3 offset 0) a' : 'engine.alerts'}
      where tenant_id = $1 and ${byStatus[which]}
        and ($2::text is null or rule = $2)
        and ($3::uuid is null or run_id = $3)
        and ($4::uuid is null or alert_id < $4)
      order by alert_id desc
      limit $5`,
    values: [tenantId, filter.rule, filter.runId, beforeId, limit],
  });
  return rows;
}

export async function findAlert(db: Queryable, tenantId: string, alertId: string): Promise<AlertRow | undefined> {
  const { rows } = await db.query<AlertRow>({
    name: 'alerts-find',
    text: `select ${columns} from engine.alerts where tenant_id = $1 and alert_id = $2`,
    values: [tenantId, alertId],
  });
  return rows[0];
}

/** The first one to say so stays the one. True when it was this call. */
export async function acknowledgeAlert(db: Queryable, tenantId: string, alertId: string, by: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-acknowledge',
    text: `
      update engine.alerts set acknowledged_at = engine.now(), acknowledged_by = $3
      where tenant_id = $1 and alert_id = $2 and acknowledged_at is null and resolved_at is null`,
    values: [tenantId, alertId, by],
  });
  return rowCount === 1;
}

export interface SendRow {
  readonly send_id: number;
  readonly sink_id: string | null;
  readonly sink_name: string | null;
  readonly alert_id: string | null;
  readonly what: NoticeKind;
  /** folded: told by a digest. */
  readonly status: 'waiting' | 'sent' | 'failed' | 'dropped' | 'folded';
  readonly attempts: number;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly next_at: Date | null;
  readonly sent_at: Date | null;
  readonly created_at: Date;
}

// The operator's sinks are not named: they are not the tenant's to see.
const sendColumns = `s.send_id, k.sink_id, k.name as sink_name, s.alert_id, s.what, s.status, s.attempts, s.http_status,
  s.error_code, case when s.status = 'waiting' then s.next_at end as next_at, s.sent_at, s.created_at`;

export async function listSendsOfAlert(db: Queryable, tenantId: string, alertId: string): Promise<SendRow[]> {
  const { rows } = await db.query<SendRow>({
    name: 'alerts-list-sends-of-alert',
    text: `
      select ${sendColumns} from engine.alert_sends s
      left join engine.alert_sinks k on k.sink_id = s.sink_id and k.tenant_id = $1
      where s.tenant_id = $1 and s.alert_id = $2
      order by s.send_id
      limit 500`,
    values: [tenantId, alertId],
  });
  return rows;
}

/** The sink is named as a span and in the order: only its own index has that order, whatever the server thinks of how many there are. */
export async function listSendsOfSink(
  db: Queryable,
  tenantId: string,
  sinkId: string,
  beforeId: string | null,
  limit: number,
): Promise<SendRow[]> {
  const { rows } = await db.query<SendRow>({
    name: 'alerts-list-sends-of-sink',
    text: `
      select ${sendColumns} from engine.alert_sends s
      cross join lateral (select * from engine.alert_sinks where sink_id = s.sink_id limit 1) k
      where s.tenant_id = $1 and s.sink_id between $2 and $2 and ($3::bigint is null or s.send_id < $3) and k.tenant_id = $1
      order by s.sink_id desc, s.send_id desc
      limit $4`,
    values: [tenantId, sinkId, beforeId, limit],
  });
  return rows;
}
