// Folds the messages of a storm into one digest. Runs as millrace_engine, in one transaction that locks the sinks, so that two senders
// cannot write two digests for one storm.
import type { Queryable } from '../../../platform/database.ts';

export interface Storm {
  readonly sink_id: string;
  readonly tenant_id: string;
  readonly rule: string;
  /** A digest that still gathers. */
  readonly digest_id: number | null;
  /** Messages to be folded, oldest first, and the alert of the first. */
  readonly send_ids: readonly number[];
  readonly first_alert_id: string;
}

/**
 * What goes beyond `after` messages per sink, tenant and rule within the window; while a digest gathers, or one was sent within the window,
 * all that came after it. Only messages that nobody has tried to send.
 */
export async function lockStorms(db: Queryable, after: number, windowMs: number): Promise<Storm[]> {
  const { rows } = await db.query<Storm>({
    name: 'alerts-lock-storms',
    text: `
      with sinks as (
        select k.sink_id from engine.alert_sinks k
        where k.enabled and exists (
          select from engine.alert_sends s
          where s.sink_id = k.sink_id and s.status = 'waiting' and s.attempts = 0 and s.what in ('open', 'reminder')
        )
        order by k.sink_id
        for update skip locked
      ),
      fresh as (
        select s.send_id, s.sink_id, s.alert_id, a.tenant_id, a.rule,
               row_number() over (partition by s.sink_id, a.tenant_id, a.rule order by s.send_id) as place
        from sinks k
        join engine.alert_sends s
          on s.sink_id = k.sink_id and s.status = 'waiting' and s.attempts = 0 and s.what in ('open', 'reminder')
        join engine.alerts a on a.alert_id = s.alert_id
      ),
      lately as (
        select s.sink_id, a.tenant_id, a.rule,
               count(*) filter (where s.what <> 'digest')::int as told,
               max(s.send_id) filter (where s.what = 'digest') as last_digest_id,
               max(s.send_id) filter (where s.what = 'digest' and s.status = 'waiting' and s.attempts = 0) as digest_id
        from sinks k
        join lateral (
          select * from engine.alert_sends w
          where w.sink_id = k.sink_id and w.status = 'waiting' and (w.attempts > 0 or w.what = 'digest')
          union all
          select * from engine.alert_sends t
          where t.sink_id = k.sink_id and t.sent_at > (select engine.now()) - $2 * interval '1 millisecond'
        ) s on s.what in ('open', 'reminder', 'digest')
        join engine.alerts a on a.alert_id = s.alert_id
        group by s.sink_id, a.tenant_id, a.rule
      )
      select f.sink_id, f.tenant_id, f.rule, l.digest_id,
             array_agg(f.send_id order by f.send_id) as send_ids,
             (array_agg(f.alert_id order by f.send_id))[1] as first_alert_id
      from fresh f
      left join lately l using (sink_id, tenant_id, rule)
      where f.send_id > l.last_digest_id or f.place + coalesce(l.told, 0) > $1
      group by f.sink_id, f.tenant_id, f.rule, l.digest_id
      order by f.sink_id, f.tenant_id, f.rule`,
    values: [after, windowMs],
  });
  return rows;
}

/** The digest gathers until the window is over. */
export async function insertDigest(db: Queryable, storm: Storm, windowMs: number): Promise<number> {
  const { rows } = await db.query<{ send_id: number }>({
    name: 'alerts-insert-digest',
    text: `
      insert into engine.alert_sends (tenant_id, sink_id, alert_id, what, round, next_at)
      select $1, $2, $3, 'digest',
             (select count(*) from engine.alert_sends s where s.alert_id = $3 and s.sink_id = $2 and s.what = 'digest'),
             engine.now() + $4 * interval '1 millisecond'
      returning send_id`,
    values: [storm.tenant_id, storm.sink_id, storm.first_alert_id, windowMs],
  });
  return (rows[0] as { send_id: number }).send_id;
}

/** An alert whose opening is folded is not said to be over either: nobody heard of it by itself. */
export async function foldSends(db: Queryable, sendIds: readonly number[], digestId: number): Promise<void> {
  await db.query({
    name: 'alerts-fold-sends',
    text: `
      with folded as (
        update engine.alert_sends set status = 'folded', folded_into = $2
        where send_id = any ($1::bigint[])
        returning alert_id, sink_id, what
      )
      update engine.alert_sends s set status = 'dropped'
      from folded f
      where f.what = 'open' and s.alert_id = f.alert_id and s.sink_id = f.sink_id
        and s.status = 'waiting' and s.what in ('resolve', 'acknowledge')`,
    values: [sendIds, digestId],
  });
}
