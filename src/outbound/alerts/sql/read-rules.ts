// Rules as they hold: a tenant's own, and the defaults where the tenant has none of that name.
import type { AlertComparison, AlertEvent, AlertMetric, AlertSeverity } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';

interface RuleFields {
  readonly tenant_id: string | null;
  readonly name: string;
  readonly pipeline: string | null;
  readonly window_minutes: number | null;
  readonly severity: AlertSeverity;
  readonly enabled: boolean;
}

export interface ThresholdRule extends RuleFields {
  readonly kind: 'threshold';
  readonly metric: AlertMetric;
  readonly comparison: AlertComparison;
  readonly threshold: number;
}

export interface EventRule extends RuleFields {
  readonly kind: 'event';
  readonly event: AlertEvent;
}

/** Every rule of the kind, also those switched off: a tenant's that is off hides the default. */
export async function readThresholdRules(db: Queryable): Promise<ThresholdRule[]> {
  const { rows } = await db.query<ThresholdRule>({
    name: 'alerts-read-threshold-rules',
    text: `
      select tenant_id, name, kind, metric, comparison, threshold, pipeline, window_minutes, severity, enabled
      from engine.alert_rules where kind = 'threshold'`,
  });
  return rows;
}

/** The rules on events that hold for these tenants. */
export async function readEventRules(db: Queryable, tenantIds: readonly string[]): Promise<EventRule[]> {
  const { rows } = await db.query<EventRule>({
    name: 'alerts-read-event-rules',
    text: `
      select r.tenant_id, r.name, r.kind, r.event, r.pipeline, r.window_minutes, r.severity, r.enabled
      from (
        select * from engine.alert_rules where tenant_id is null
        union all
        select * from engine.alert_rules where tenant_id = any ($1)
      ) r
      where r.kind = 'event'`,
    values: [tenantIds],
  });
  return rows;
}
