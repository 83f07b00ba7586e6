// The default rules that pipelines bring. Runs as millrace_engine.
import type { AlertComparison, AlertEvent, AlertMetric, AlertSeverity } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';

export interface DefaultRuleRow {
  readonly rule_id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: 'event' | 'threshold';
  readonly event: AlertEvent | null;
  readonly metric: AlertMetric | null;
  readonly comparison: AlertComparison | null;
  readonly threshold: number | null;
  readonly pipeline: string | null;
  readonly window_minutes: number | null;
  readonly severity: AlertSeverity;
  readonly enabled: boolean;
}

/** Writes only what differs. A default of the name that watches something else is another's, and stays. */
export async function saveDefaultRules(db: Queryable, rules: readonly DefaultRuleRow[]): Promise<void> {
  await db.query({
    name: 'alerts-save-default-rules',
    text: `
      insert into engine.alert_rules (
        rule_id, name, description, kind, event, metric, comparison, threshold, pipeline, window_minutes, severity, enabled
      )
      select rule_id, name, description, kind, event, metric, comparison, threshold, pipeline, window_minutes, severity, enabled
      from jsonb_to_recordset($1) as d (
        rule_id uuid, name text, description text, kind text, event text, metric text, comparison text, threshold float8,
        pipeline text, window_minutes int, severity text, enabled boolean
      )
      order by name
      on conflict (tenant_id, name) do update
      set description = excluded.description, comparison = excluded.comparison, threshold = excluded.threshold,
          window_minutes = excluded.window_minutes, severity = excluded.severity, enabled = excluded.enabled, updated_at = engine.now()
      where (alert_rules.kind, alert_rules.event, alert_rules.metric, alert_rules.pipeline)
          is not distinct from (excluded.kind, excluded.event, excluded.metric, excluded.pipeline)
        and (alert_rules.description, alert_rules.comparison, alert_rules.threshold, alert_rules.window_minutes,
             alert_rules.severity, alert_rules.enabled)
          is distinct from (excluded.description, excluded.comparison, excluded.threshold, excluded.window_minutes,
             excluded.severity, excluded.enabled)`,
    values: [JSON.stringify(rules)],
  });
}
