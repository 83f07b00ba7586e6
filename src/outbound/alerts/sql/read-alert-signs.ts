// Health figures of alerts, in one statement. Runs as millrace_engine.
import type { Queryable } from '../../../platform/database.ts';

export interface AlertSigns {
  readonly sinks: number;
  readonly failing: readonly { readonly name: string; readonly code: string }[];
  /** Given up in the last day. */
  readonly undelivered: number;
  /** How long the oldest message has waited. */
  readonly waiting_s: number | null;
  /** Null: the figures were never looked at. */
  readonly evaluated_s: number | null;
}

export async function readAlertSigns(db: Queryable): Promise<AlertSigns> {
  const { rows } = await db.query<AlertSigns>({
    name: 'alerts-read-signs',
    text: `
      select (select count(*)::int from engine.alert_sinks where enabled) as sinks,
             (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'code', last_error_code) order by name), '[]')
              from engine.alert_sinks where enabled and consecutive_failures > 0) as failing,
             (select count(*)::int from engine.alert_sends s join engine.alert_sinks k on k.sink_id = s.sink_id and k.enabled
              where s.status = 'failed' and s.what <> 'test' and s.created_at > engine.now() - interval '1 day'
                and s.created_at > coalesce(k.last_ok_at, '-infinity')) as undelivered,
             (select extract(epoch from engine.now() - min(s.created_at))::float8
              from engine.alert_sends s join engine.alert_sinks k on k.sink_id = s.sink_id and k.enabled
              where s.status = 'waiting') as waiting_s,
             (select extract(epoch from engine.now() - evaluated_at)::float8 from engine.alert_clock
              where evaluated_at > '-infinity') as evaluated_s`,
  });
  return rows[0] as AlertSigns;
}
