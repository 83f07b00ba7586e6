// Saves the rules that pipelines declare for every tenant. This happens at each start, so that a changed rule takes effect with the new version.
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { AlertedPipelines, DefaultRule } from './pipeline-alerts.ts';
import { type DefaultRuleRow, saveDefaultRules } from './sql/save-default-rules.ts';

export async function saveRulesOf(control: Queryable, pipelines: AlertedPipelines): Promise<void> {
  const rows = Object.entries(pipelines).flatMap(([name, { rules = [] }]) => rules.map((rule) => rowOf(rule, name)));
  if (rows.length > 0) await saveDefaultRules(control, rows);
}

function rowOf({ name, description, severity, enabled = true, windowMinutes, on }: DefaultRule, pipeline: string) {
  const watches =
    'event' in on
      ? { kind: 'event' as const, event: on.event, metric: null, comparison: null, threshold: null, pipeline: null }
      : { kind: 'threshold' as const, event: null, ...on, pipeline };
  const row: DefaultRuleRow = {
    rule_id: uuidv7(),
    name,
    description,
    ...watches,
    window_minutes: windowMinutes ?? null,
    severity,
    enabled,
  };
  return row;
}
