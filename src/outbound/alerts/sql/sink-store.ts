// Sinks of a tenant. Runs as millrace_app under the tenant; every statement names the tenant itself as well.
import type { AlertSeverity, AlertSinkKind } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';

export interface SinkRow {
  readonly sink_id: string;
  readonly name: string;
  readonly kind: AlertSinkKind;
  readonly host: string;
  readonly min_severity: AlertSeverity;
  readonly send_resolved: boolean;
  readonly enabled: boolean;
  readonly last_ok_at: Date | null;
  readonly last_error_at: Date | null;
  readonly last_error_code: string | null;
  readonly consecutive_failures: number;
  readonly paused_until: Date | null;
  readonly waiting: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns = `k.sink_id, k.name, k.kind, k.host, k.min_severity, k.send_resolved, k.enabled, k.last_ok_at, k.last_error_at,
  k.last_error_code, k.consecutive_failures, case when k.paused_until > engine.now() then k.paused_until end as paused_until,
  k.created_at, k.updated_at,
  (select count(*)::int from engine.alert_sends s where s.sink_id = k.sink_id and s.status = 'waiting') as waiting`;

export async function listSinks(
  db: Queryable,
  tenantId: string,
  afterId: string | null,
  limit: number,
): Promise<SinkRow[]> {
  const { rows } = await db.query<SinkRow>({
    name: 'alerts-list-sinks',
    text: `
      select ${columns} from engine.alert_sinks k
      where k.tenant_id = $1 and ($2::uuid is null or k.sink_id > $2)
      order by k.sink_id
      limit $3`,
    values: [tenantId, afterId, limit],
  });
  return rows;
}

export async function findSink(db: Queryable, tenantId: string, sinkId: string): Promise<SinkRow | undefined> {
  const { rows } = await db.query<SinkRow>({
    name: 'alerts-find-sink',
    text: `select ${columns} from engine.alert_sinks k where k.tenant_id = $1 and k.sink_id = $2`,
    values: [tenantId, sinkId],
  });
  return rows[0];
}

export async function findSinkTarget(db: Queryable, tenantId: string, sinkId: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ target: Buffer }>({
    name: 'alerts-find-sink-target',
    text: `select target from engine.alert_sinks where tenant_id = $1 and sink_id = $2`,
    values: [tenantId, sinkId],
  });
  return rows[0]?.target;
}

export interface SinkDraft {
  readonly sinkId: string;
  readonly name: string;
  readonly kind: AlertSinkKind;
  readonly host: string;
  readonly target: Buffer;
  readonly minSeverity: AlertSeverity;
  readonly sendResolved: boolean;
  readonly enabled: boolean;
}

export async function insertSink(db: Queryable, tenantId: string, sink: SinkDraft): Promise<void> {
  await db.query({
    name: 'alerts-insert-sink',
    text: `
      insert into engine.alert_sinks (sink_id, tenant_id, name, kind, host, target, min_severity, send_resolved, enabled)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      sink.sinkId,
      tenantId,
      sink.name,
      sink.kind,
      sink.host,
      sink.target,
      sink.minSeverity,
      sink.sendResolved,
      sink.enabled,
    ],
  });
}

/** What is null stays. A new address starts with a clean slate. */
export interface SinkChange {
  readonly name: string | null;
  readonly minSeverity: AlertSeverity | null;
  readonly sendResolved: boolean | null;
  readonly enabled: boolean | null;
  readonly target: Buffer | null;
  readonly host: string | null;
}

export async function updateSink(
  db: Queryable,
  tenantId: string,
  sinkId: string,
  change: SinkChange,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-update-sink',
    text: `
      update engine.alert_sinks
      set name = coalesce($3, name), min_severity = coalesce($4, min_severity), send_resolved = coalesce($5, send_resolved),
          enabled = coalesce($6, enabled), target = coalesce($7, target), host = coalesce($8, host),
          consecutive_failures = case when $7::bytea is null then consecutive_failures else 0 end,
          paused_until = case when $7::bytea is null then paused_until end,
          updated_at = engine.now()
      where tenant_id = $1 and sink_id = $2`,
    values: [
      tenantId,
      sinkId,
      change.name,
      change.minSeverity,
      change.sendResolved,
      change.enabled,
      change.target,
      change.host,
    ],
  });
  return rowCount === 1;
}

export async function deleteSink(db: Queryable, tenantId: string, sinkId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-delete-sink',
    text: `delete from engine.alert_sinks where tenant_id = $1 and sink_id = $2`,
    values: [tenantId, sinkId],
  });
  return rowCount === 1;
}

export interface TestNote {
  readonly tenantId: string;
  readonly sinkId: string;
  readonly isOk: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
}

export async function noteTest(db: Queryable, note: TestNote): Promise<void> {
  await db.query({
    name: 'alerts-note-test',
    text: `
      insert into engine.alert_sends (tenant_id, sink_id, what, status, attempts, http_status, error_code, sent_at)
      values ($1, $2, 'test', case when $3 then 'sent' else 'failed' end, 1, $4, $5, case when $3 then engine.now() end)`,
    values: [note.tenantId, note.sinkId, note.isOk, note.httpStatus, note.errorCode],
  });
}
