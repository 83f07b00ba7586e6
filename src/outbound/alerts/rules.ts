// Rules as a tenant's admin edits them. A default rule never changes: editing one creates the tenant's own rule of that name, and
// deleting that rule restores the default.
import { type AlertMetric, alertMetrics } from '../../contract/api/alert-metrics.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { DEFAULT_WINDOW_MINUTES } from './metrics.ts';
import { deleteRule, findRule, type RuleDraft, type RuleRow, saveRule } from './sql/rule-store.ts';

export type RuleWish = Omit<RuleDraft, 'rule_id'>;
export type RulePatch = Partial<
  Pick<RuleDraft, 'description' | 'comparison' | 'threshold' | 'pipeline' | 'window_minutes' | 'severity' | 'enabled'>
>;

export async function addRule(db: Queryable, tenantId: string, wish: RuleWish): Promise<RuleRow> {
  if ((await findRule(db, tenantId, wish.name)) !== undefined)
    throw new MillraceError('alert_rule_name_taken', { rule: wish.name });
  await saveRule(db, tenantId, {
    ...wish,
    rule_id: uuidv7(),
    window_minutes: wish.window_minutes ?? windowOf(wish.metric),
  });
  return requireRule(db, tenantId, wish.name);
}

export async function changeRule(db: Queryable, tenantId: string, name: string, patch: RulePatch): Promise<RuleRow> {
  const rule = await requireRule(db, tenantId, name);
  if (rule.kind === 'event')
    for (const field of ['comparison', 'threshold'] as const)
      if (patch[field] !== undefined) throw new MillraceError('alert_rule_field_unfit', { rule: name, field });
  await saveRule(db, tenantId, { ...rule, ...patch, rule_id: uuidv7() });
  return requireRule(db, tenantId, name);
}

export async function removeRule(db: Queryable, tenantId: string, name: string): Promise<void> {
  if (await deleteRule(db, tenantId, name)) return;
  await requireRule(db, tenantId, name);
  throw new MillraceError('alert_rule_default', { rule: name });
}

async function requireRule(db: Queryable, tenantId: string, name: string): Promise<RuleRow> {
  const rule = await findRule(db, tenantId, name);
  if (rule === undefined) throw new MillraceError('alert_rule_not_found', { rule: name });
  return rule;
}

function windowOf(metric: AlertMetric | null): number | null {
  return metric !== null && alertMetrics[metric].isWindowed ? DEFAULT_WINDOW_MINUTES : null;
}
