// Opens, renews and resolves alerts. The same statement writes the messages to send, so that every alert has its messages whatever is
// killed. Runs as millrace_engine.
import type { AlertSeverity } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';

export interface AlertDraft {
  readonly alertId: string;
  readonly tenantId: string;
  readonly rule: string;
  readonly kind: 'event' | 'threshold';
  readonly subject: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly pipeline: string | null;
  readonly runId: string | null;
  readonly value: number | null;
  readonly threshold: number | null;
  /** Of an event: resolved by itself after this long. */
  readonly expiresMinutes: number | null;
}

export interface OpenedAlert {
  readonly alert_id: string;
  readonly tenant_id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly pipeline: string | null;
  readonly run_id: string | null;
}

/** The sinks of an alert: the tenant's own and the operator's, from the severity they want. */
const sinksOf = (alert: string) => `
  join lateral (
    select * from engine.alert_sinks own where own.tenant_id = ${alert}.tenant_id
    union all
    select * from engine.alert_sinks common where common.tenant_id is null
  ) k
    on k.enabled
   and array_position(array['INFO', 'WARNING', 'ERROR', 'CRITICAL'], ${alert}.severity)
    >= array_position(array['INFO', 'WARNING', 'ERROR', 'CRITICAL'], k.min_severity)`;

/** Opens what is not open yet and returns that; what is open already is only renewed. No two drafts may be of one rule and subject. */
export async function openAlerts(db: Queryable, drafts: readonly AlertDraft[]): Promise<OpenedAlert[]> {
  const { rows } = await db.query<OpenedAlert>({
    name: 'alerts-open',
    text: `
      with opened as (
        insert into engine.alerts (
          alert_id, tenant_id, rule, kind, subject, severity, message, pipeline, run_id, value, threshold, expires_at
        )
        select d.alert_id, d.tenant_id, d.rule, d.kind, d.subject, d.severity, d.message, d.pipeline, d.run_id, d.value, d.threshold,
               engine.now() + d.minutes * interval '1 minute'
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[],
                    $10::float8[], $11::float8[], $12::int[])
          as d (alert_id, tenant_id, rule, kind, subject, severity, message, pipeline, run_id, value, threshold, minutes)
        order by d.tenant_id, d.rule, d.subject
        on conflict (tenant_id, rule, subject) where resolved_at is null do update
        set last_seen_at = engine.now(), clear_since = null, value = excluded.value, expires_at = excluded.expires_at,
            occurrences = alerts.occurrences + (excluded.kind = 'event')::int
        returning alert_id, tenant_id, rule, severity, message, pipeline, run_id, xmax = 0 as is_new
      ),
      told as (
        insert into engine.alert_sends (tenant_id, sink_id, alert_id, what)
        select o.tenant_id, k.sink_id, o.alert_id, 'open' from opened o ${sinksOf('o')}
        where o.is_new
        order by o.alert_id
      )
      select alert_id, tenant_id, rule, severity, message, pipeline, run_id from opened where is_new`,
    values: [
      drafts.map((draft) => draft.alertId),
      drafts.map((draft) => draft.tenantId),
      drafts.map((draft) => draft.rule),
      drafts.map((draft) => draft.kind),
      drafts.map((draft) => draft.subject),
      drafts.map((draft) => draft.severity),
      drafts.map((draft) => draft.message),
      drafts.map((draft) => draft.pipeline),
      drafts.map((draft) => draft.runId),
      drafts.map((draft) => draft.value),
      drafts.map((draft) => draft.threshold),
      drafts.map((draft) => draft.expiresMinutes),
    ],
  });
  return rows;
}

export interface ResolvedAlert extends OpenedAlert {
  readonly resolution: string;
}

/**
 * Resolves, and tells the sinks that were told of the opening (or are about to be). PagerDuty is told whatever the sink's setting:
 * an incident that nobody closes is worse than a message too many. That goes for the incident of a storm as well, which is over with
 * the last of the alerts that its digests told.
 */
export async function resolveAlerts(
  db: Queryable,
  alertIds: readonly string[],
  resolutions: readonly string[],
): Promise<ResolvedAlert[]> {
  const { rows } = await db.query<ResolvedAlert>({
    name: 'alerts-resolve',
    text: `
      with resolved as (
        update engine.alerts a
        set resolved_at = engine.now(), resolution = d.resolution
        from unnest($1::uuid[], $2::text[]) as d (alert_id, resolution)
        where a.alert_id = d.alert_id and a.resolved_at is null
        returning a.alert_id, a.tenant_id, a.rule, a.severity, a.message, a.pipeline, a.run_id, a.resolution
      ),
      told as (
        insert into engine.alert_sends (tenant_id, sink_id, alert_id, what)
        select distinct r.tenant_id, k.sink_id, r.alert_id, 'resolve'
        from resolved r
        join engine.alert_sends s on s.alert_id = r.alert_id and s.what in ('open', 'reminder') and s.status in ('waiting', 'sent')
        join engine.alert_sinks k on k.sink_id = s.sink_id and k.enabled and (k.send_resolved or k.kind = 'pagerduty')
        order by r.alert_id
        on conflict do nothing
      ),
      calm as (
        insert into engine.alert_sends (tenant_id, sink_id, alert_id, what, round)
        select distinct d.tenant_id, d.sink_id, d.alert_id, 'digest_end', d.round
        from resolved r
        join engine.alert_sends f on f.alert_id = r.alert_id and f.status = 'folded'
        join engine.alert_sends d on d.send_id = f.folded_into and d.status in ('waiting', 'sent')
        join engine.alert_sinks k on k.sink_id = d.sink_id and k.enabled and k.kind = 'pagerduty'
        where not exists (
          select from engine.alerts a join engine.alert_sends o on o.alert_id = a.alert_id and o.status = 'folded'
          where a.tenant_id = r.tenant_id and a.rule = r.rule and a.resolved_at is null and a.alert_id <> all ($1)
            and o.sink_id = d.sink_id
        )
        on conflict do nothing
      )
      select alert_id, tenant_id, rule, severity, message, pipeline, run_id, resolution from resolved`,
    values: [alertIds, resolutions],
  });
  return rows;
}

/** Open alerts whose figure is no longer beyond its threshold; those that were so already keep their time. */
export async function markClear(db: Queryable, alertIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'alerts-mark-clear',
    text: `update engine.alerts set clear_since = engine.now() where alert_id = any ($1) and clear_since is null and resolved_at is null`,
    values: [alertIds],
  });
}

/** Says again what has been open for `everyMs` and nobody has acknowledged. */
export async function remindOfAlerts(db: Queryable, everyMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'alerts-remind',
    text: `
      with overdue as (
        select alert_id from engine.alerts
        where resolved_at is null and acknowledged_at is null and clear_since is null
          and coalesce(reminded_at, opened_at) < engine.now() - $1 * interval '1 millisecond'
        order by alert_id
        limit $2
      ),
      reminded as (
        update engine.alerts a set reminded_at = engine.now(), reminders = a.reminders + 1
        where a.alert_id = any (array(select alert_id from overdue))
        returning a.alert_id, a.tenant_id, a.severity, a.reminders
      )
      insert into engine.alert_sends (tenant_id, sink_id, alert_id, what, round)
      select r.tenant_id, k.sink_id, r.alert_id, 'reminder', r.reminders from reminded r ${sinksOf('r')}`,
    values: [everyMs, limit],
  });
  return rowCount ?? 0;
}

/** PagerDuty learns that somebody looks after it. */
export async function passOnAcknowledgements(db: Queryable): Promise<void> {
  await db.query({
    name: 'alerts-pass-on-acknowledgements',
    text: `
      insert into engine.alert_sends (tenant_id, sink_id, alert_id, what)
      select a.tenant_id, s.sink_id, a.alert_id, 'acknowledge'
      from engine.alerts a
      join engine.alert_sends s on s.alert_id = a.alert_id and s.what = 'open' and s.status in ('waiting', 'sent')
      join engine.alert_sinks k on k.sink_id = s.sink_id and k.enabled and k.kind = 'pagerduty'
      where a.resolved_at is null and a.acknowledged_at is not null
      on conflict do nothing`,
  });
}

/** Resolved alerts and noted tests that are older than their retention. */
export async function pruneAlerts(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'alerts-prune',
    text: `
      with tests as (
        delete from engine.alert_sends where send_id = any (array(
          select send_id from engine.alert_sends
          where what = 'test' and created_at < (select engine.now() - $1 * interval '1 day')
          limit $2
        ))
      )
      delete from engine.alerts where alert_id = any (array(
        select alert_id from engine.alerts where resolved_at < (select engine.now() - $1 * interval '1 day') limit $2
      ))`,
    values: [days, limit],
  });
  return rowCount ?? 0;
}
