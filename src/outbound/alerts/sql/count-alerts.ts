// How many alerts are open: of one tenant, and of the whole installation by rule.
import type { Queryable } from '../../../platform/database.ts';

export async function countOpenAlerts(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ open: number }>({
    name: 'reads-count-open-alerts',
    text: 'select count(*)::int as open from engine.alerts where tenant_id = $1 and resolved_at is null',
    values: [tenantId],
  });
  return rows[0]?.open ?? 0;
}

export interface OpenAlertCount {
  readonly rule: string;
  readonly severity: string;
  readonly open: number;
}

/** Rules that a tenant made are counted as "own": their names are without number. */
export async function readOpenAlertCounts(control: Queryable): Promise<OpenAlertCount[]> {
  const { rows } = await control.query<OpenAlertCount>({
    name: 'reads-open-alert-counts',
    text: `
      select case when exists (select from engine.alert_rules r where r.tenant_id is null and r.name = a.rule) then a.rule else 'own' end as rule,
             a.severity, count(*)::int as open
      from engine.alerts a
      where a.resolved_at is null
      group by 1, 2`,
  });
  return rows;
}
