// Open alerts as the evaluator and the consumer need them. Runs as millrace_engine.
import type { Queryable } from '../../../platform/database.ts';

export interface OpenThreshold {
  readonly alert_id: string;
  readonly tenant_id: string;
  readonly rule: string;
  readonly subject: string;
  /** The figure has been on the good side for as long as it must. */
  readonly is_settled: boolean;
}

export async function readOpenThresholds(db: Queryable, settleMs: number): Promise<OpenThreshold[]> {
  const { rows } = await db.query<OpenThreshold>({
    name: 'alerts-read-open-thresholds',
    text: `
      select alert_id, tenant_id, rule, subject,
             coalesce(clear_since <= engine.now() - $1 * interval '1 millisecond', false) as is_settled
      from engine.alerts where resolved_at is null and kind = 'threshold'`,
    values: [settleMs],
  });
  return rows;
}

export interface EndingAlert {
  readonly alert_id: string;
  readonly resolution: string;
}

/** Alerts of events whose time is up, whose rule is switched off or gone, or whose connector or webhook is on again. */
export async function readEndedEvents(db: Queryable, limit: number): Promise<EndingAlert[]> {
  const { rows } = await db.query<EndingAlert>({
    name: 'alerts-read-ended-events',
    text: `
      select a.alert_id,
             case when not coalesce(rule.enabled, false) then 'rule_off'
                  when a.expires_at <= engine.now() then 'expired'
                  else 'switched_on' end as resolution
      from engine.alerts a
      left join lateral (
        select r.enabled, r.event from engine.alert_rules r
        where r.name = a.rule and (r.tenant_id = a.tenant_id or r.tenant_id is null)
        order by r.tenant_id nulls last
        limit 1
      ) rule on true
      where a.resolved_at is null and a.kind = 'event'
        and (not coalesce(rule.enabled, false)
          or a.expires_at <= engine.now()
          or rule.event = 'connector_disabled' and exists (
               select from engine.schedules s
               where s.tenant_id = a.tenant_id and s.input ->> 'connector_id' = a.subject and s.enabled)
          or rule.event = 'webhook_disabled' and not exists (
               select from engine.webhook_endpoints w
               where w.tenant_id = a.tenant_id and w.endpoint_id::text = a.subject and w.disabled_at is not null))
      limit $1`,
    values: [limit],
  });
  return rows;
}

/**
 * Open alerts that the end of these runs ends: takeovers of the run itself, and, when it succeeded, the failures of the runs that it
 * retries or supersedes, over any number of tries.
 */
export async function readAlertsEndedByRuns(
  db: Queryable,
  endedRuns: readonly string[],
  doneRuns: readonly string[],
): Promise<EndingAlert[]> {
  const { rows } = await db.query<EndingAlert>({
    name: 'alerts-read-ended-by-runs',
    text: `
      with recursive line (tenant_id, run_id, before, step) as (
        select r.tenant_id, r.id, coalesce(r.retry_of, (r.input ->> 'supersedes')::uuid), 1
        from engine.all_runs r where r.id = any ($2)
        union all
        select r.tenant_id, r.id, coalesce(r.retry_of, (r.input ->> 'supersedes')::uuid), line.step + 1
        from line
        cross join lateral (select * from engine.all_runs x where x.id = line.before limit 1) r
        where line.step < 100
      )
      select a.alert_id, 'retried' as resolution
      from line
      cross join lateral (select * from engine.alerts where tenant_id = line.tenant_id and run_id = line.before offset 0) a
      where a.resolved_at is null and a.kind = 'event'
      union
      select a.alert_id, 'run_ended'
      from engine.all_runs r
      cross join lateral (select * from engine.alerts where tenant_id = r.tenant_id and run_id = r.id offset 0) a
      where r.id = any ($1) and a.resolved_at is null and a.kind = 'event' and a.subject like r.id || ':%'`,
    values: [endedRuns, doneRuns],
  });
  return rows;
}

/** Whether these tenants have open alerts of events at all: most batches of the outbox need not look further. */
export async function haveOpenEvents(db: Queryable, tenantIds: readonly string[]): Promise<boolean> {
  const { rows } = await db.query<{ some: boolean }>({
    name: 'alerts-have-open-events',
    text: `
      select exists (select from engine.alerts where tenant_id = any ($1) and resolved_at is null and kind = 'event') as some`,
    values: [tenantIds],
  });
  return rows[0]?.some ?? false;
}
