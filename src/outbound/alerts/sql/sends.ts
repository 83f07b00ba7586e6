// Takes messages that are due, one per sink, and records the result. Runs as millrace_engine.
import type { AlertSeverity, AlertSinkKind } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { NoticeKind } from '../notice.ts';

export interface DueSend {
  readonly send_id: number;
  readonly attempts: number;
  readonly what: NoticeKind;
  readonly round: number;
  readonly age_ms: number;
  readonly sink_id: string;
  readonly sink_kind: AlertSinkKind;
  readonly target: Buffer;
  readonly alert_id: string;
  readonly tenant_id: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly pipeline: string | null;
  readonly run_id: string | null;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly occurrences: number;
  readonly opened_at: Date;
  readonly resolved_at: Date | null;
  /** Of a digest: how many messages it stands for. */
  readonly folded: number;
}

/**
 * The oldest due message of each sink that is not paused, taken for `leaseMs`. The sink's row is locked while choosing, so that two
 * senders never take two messages of one sink at once; a message waits for the earlier ones of its alert, so that nothing is
 * resolved before it was opened.
 */
export async function takeSends(db: Queryable, leaseMs: number, limit: number): Promise<DueSend[]> {
  const { rows } = await db.query<DueSend>({
    name: 'alerts-take-sends',
    text: `
      with sinks as (
        select k.sink_id, k.kind, k.target
        from engine.alert_sinks k
        where k.enabled and (k.paused_until is null or k.paused_until <= engine.now())
          and exists (select from engine.alert_sends s where s.sink_id = k.sink_id and s.status = 'waiting' and s.next_at <= (select engine.now()))
        order by k.sink_id
        limit $2
        for update skip locked
      ),
      chosen as (
        select k.sink_id, k.kind, k.target, s.send_id
        from sinks k
        cross join lateral (
          select s.send_id from engine.alert_sends s
          where s.sink_id = k.sink_id and s.status = 'waiting' and s.next_at <= (select engine.now())
            and (select true from engine.alert_sends e
                 where e.sink_id = s.sink_id and e.alert_id = s.alert_id and e.send_id < s.send_id and e.status = 'waiting'
                 limit 1) is null
          order by s.send_id
          limit 1
        ) s
      ),
      taken as (
        update engine.alert_sends
        set attempts = attempts + 1, next_at = engine.now() + $1 * interval '1 millisecond'
        where send_id = any (array(select send_id from chosen))
        returning send_id, attempts, what, round, sink_id, alert_id, created_at
      )
      select s.send_id, s.attempts, s.what, s.round, s.sink_id, c.kind as sink_kind, c.target,
             (extract(epoch from engine.now() - s.created_at) * 1000)::float8 as age_ms,
             a.alert_id, a.tenant_id, a.rule, a.severity, a.message, a.pipeline, a.run_id, a.value, a.threshold, a.occurrences,
             a.opened_at, a.resolved_at,
             (select count(*)::int from engine.alert_sends f where f.folded_into = s.send_id) as folded
      from taken s
      join chosen c on c.send_id = s.send_id
      cross join lateral (select * from engine.alerts where alert_id = s.alert_id limit 1) a`,
    values: [leaseMs, limit],
  });
  return rows;
}

export interface SendEnd {
  readonly sendId: number;
  readonly attempts: number;
  readonly status: 'sent' | 'failed' | 'dropped' | 'waiting';
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  /** Of one that waits again. */
  readonly delayMs: number;
}

/** False when the lease had run out and another sender has taken it since. */
export async function endSend(db: Queryable, end: SendEnd): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'alerts-end-send',
    text: `
      update engine.alert_sends
      set status = $3, http_status = $4, error_code = $5,
          sent_at = case when $3 = 'sent' then engine.now() end,
          next_at = engine.now() + $6 * interval '1 millisecond'
      where send_id = $1 and attempts = $2 and status = 'waiting'`,
    values: [end.sendId, end.attempts, end.status, end.httpStatus, end.errorCode, end.delayMs],
  });
  return rowCount === 1;
}

/** What an opening that failed for good leaves behind: nobody was told, so nobody is told that it is over. */
export async function dropRest(db: Queryable, alertId: string, sinkId: string): Promise<void> {
  await db.query({
    name: 'alerts-drop-rest',
    text: `update engine.alert_sends set status = 'dropped' where alert_id = $1 and sink_id = $2 and status = 'waiting'`,
    values: [alertId, sinkId],
  });
}

export interface SinkHealth {
  readonly sinkId: string;
  readonly isOk: boolean;
  readonly errorCode: string | null;
  /** The receiver asked for a pause. */
  readonly pauseMs: number | null;
}

export async function noteSinkHealth(db: Queryable, health: SinkHealth): Promise<void> {
  await db.query({
    name: 'alerts-note-sink-health',
    text: `
      update engine.alert_sinks
      set last_ok_at = case when $2 then engine.now() else last_ok_at end,
          last_error_at = case when $2 then last_error_at else engine.now() end,
          last_error_code = case when $2 then last_error_code else $3 end,
          consecutive_failures = case when $2 then 0 else consecutive_failures + 1 end,
          paused_until = case when $4::float8 is null then null else engine.now() + $4 * interval '1 millisecond' end
      where sink_id = $1`,
    values: [health.sinkId, health.isOk, health.errorCode, health.pauseMs],
  });
}
