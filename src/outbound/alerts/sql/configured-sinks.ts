// The operator's sinks: rows without a tenant. Runs as millrace_engine.
import type { AlertSinkKind } from '../../../contract/api/alert-metrics.ts';
import type { Queryable } from '../../../platform/database.ts';

export interface ConfiguredSink {
  readonly sinkId: string;
  readonly name: string;
  readonly kind: AlertSinkKind;
  readonly host: string;
  readonly target: Buffer;
}

export async function saveConfiguredSink(db: Queryable, sink: ConfiguredSink): Promise<void> {
  await db.query({
    name: 'alerts-save-configured-sink',
    text: `
      insert into engine.alert_sinks (sink_id, tenant_id, name, kind, host, target) values ($1, null, $2, $3, $4, $5)
      on conflict (sink_id) do update set host = excluded.host, target = excluded.target, enabled = true, updated_at = engine.now()`,
    values: [sink.sinkId, sink.name, sink.kind, sink.host, sink.target],
  });
}

/** Those that the configuration no longer names are switched off; what they sent stays in the log. */
export async function switchOffOthers(db: Queryable, sinkIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'alerts-switch-off-others',
    text: `
      update engine.alert_sinks set enabled = false, updated_at = engine.now()
      where tenant_id is null and enabled and sink_id <> all ($1::uuid[])`,
    values: [sinkIds],
  });
}
