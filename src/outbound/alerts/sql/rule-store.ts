// Rules as a tenant sees and changes them: its own, and the defaults it has not changed. Runs as millrace_app under the tenant; every
// statement names the tenant itself as well.
import type { Queryable } from '../../../platform/database.ts';
import type { DefaultRuleRow } from './save-default-rules.ts';

export interface RuleRow extends DefaultRuleRow {
  readonly tenant_id: string | null;
  /** It stands in for a default of the same name. */
  readonly is_changed: boolean;
  readonly open_alerts: number;
  readonly updated_at: Date;
}

const columns = `r.rule_id, r.tenant_id, r.name, r.description, r.kind, r.event, r.metric, r.comparison, r.threshold, r.pipeline,
  r.window_minutes, r.severity, r.enabled, r.updated_at,
  r.tenant_id is not null and exists (
    select from engine.alert_rules d where d.tenant_id is null and d.name = r.name) as is_changed,
  (select count(*)::int from (
     select a.subject from engine.alerts a
     where a.tenant_id = $1 and a.rule between r.name and r.name and a.resolved_at is null order by a.rule, a.subject offset 0
   ) o) as open_alerts`;

const holds = `(r.tenant_id = $1 or r.tenant_id is null and not exists (
    select from engine.alert_rules o where o.tenant_id = $1 and o.name = r.name))`;

export async function listRules(
  db: Queryable,
  tenantId: string,
  afterName: string | null,
  limit: number,
): Promise<RuleRow[]> {
  const { rows } = await db.query<RuleRow>({
    name: 'alerts-list-rules',
    text: `
      select ${columns} from engine.alert_rules r
      where ${holds} and ($2::text is null or r.name > $2)
      order by r.name
      limit $3`,
    values: [tenantId, afterName, limit],
  });
  return rows;
}

export async function findRule(db: Queryable, tenantId: string, name: string): Promise<RuleRow | undefined> {
  const { rows } = await db.query<RuleRow>({
    name: 'alerts-find-rule',
    text: `select ${columns} from engine.alert_rules r where ${holds} and r.name = $2`,
    values: [tenantId, name],
  });
  return rows[0];
}

export type RuleDraft = Omit<RuleRow, 'tenant_id' | 'is_changed' | 'open_alerts' | 'updated_at'>;

/** A tenant's rule of the name takes the place of the one it had. */
export async function saveRule(db: Queryable, tenantId: string, rule: RuleDraft): Promise<void> {
  await db.query({
    name: 'alerts-save-rule',
    text: `
      insert into engine.alert_rules (
        rule_id, tenant_id, name, description, kind, event, metric, comparison, threshold, pipeline, window_minutes, severity, enabled
      ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      on conflict (tenant_id, name) do update
      set description = excluded.description, comparison = excluded.comparison, threshold = excluded.threshold,
          pipeline = excluded.pipeline, window_minutes = excluded.window_minutes, severity = excluded.severity,
          enabled = excluded.enabled, updated_at = engine.now()
      where alert_rules.tenant_id = excluded.tenant_id`,
    values: [
      rule.rule_id,
      tenantId,
      rule.name,
      rule.description,
      rule.kind,
      rule.event,
      rule.metric,
      rule.comparison,
      rule.threshold,
      rule.pipeline,
      rule.window_minutes,
      rule.severity,
      rule.enabled,
    ],
  });
}

export async function deleteRule(db: Queryable, tenantId: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-delete-rule',
    text: `delete from engine.alert_rules where tenant_id = $1 and name = $2`,
    values: [tenantId, name],
  });
  return rowCount === 1;
}
