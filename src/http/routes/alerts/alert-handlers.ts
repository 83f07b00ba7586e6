// /v1/alerts, /v1/alert-rules, /v1/alert-sinks. Everything is read and written under the caller's tenant; every change has its entry in
// the audit log, with names and kinds and never an address or a key.
import { inTenant } from '../../../access/tenant-session.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { addRule, changeRule, removeRule } from '../../../outbound/alerts/rules.ts';
import {
  type AlertService,
  addSink,
  changeSink,
  explainVerdict,
  readTarget,
  removeSink,
  requireSink,
  sendTest,
} from '../../../outbound/alerts/sinks.ts';
import {
  type AlertRow,
  acknowledgeAlert,
  findAlert,
  listAlerts,
  listSendsOfAlert,
  listSendsOfSink,
} from '../../../outbound/alerts/sql/alert-store.ts';
import { listRules } from '../../../outbound/alerts/sql/rule-store.ts';
import { noteSinkHealth } from '../../../outbound/alerts/sql/sends.ts';
import { listSinks, noteTest } from '../../../outbound/alerts/sql/sink-store.ts';
import type { Queryable } from '../../../platform/database.ts';
import { type Call, type Handlers, handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { withoutHidden } from '../../run-views/hidden-runs.ts';
import { change, look } from '../change.ts';
import { viewAlert, viewRule, viewSend, viewSink } from './alert-views.ts';

const ruleName = /^[a-z][a-z0-9_]{0,59}$/;

export function alertHandlers(service: AlertService): Handlers {
  return { ...readAlerts(service), ...rules(), ...sinks(service) };
}

function readAlerts({ settings: { publicUrl } }: AlertService): Handlers {
  return {
    ...handle('alerts.list', (call) => {
      const { limit, after, status = null, rule = null, run_id: runId = null } = call.query;
      const before = readCursor(after, shapes.uuid)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const rows = await listAlerts(db, tenantId, { status, rule, runId }, before, limit + 1);
        const page = pageOf(rows, limit, (row) => writeCursor(row.alert_id));
        const shown = await withoutHidden(db, call, page.data);
        return { data: shown.map((row) => viewAlert(row, publicUrl)), next: page.next };
      });
    }),
    ...handle('alerts.show', (call) =>
      look(call, async (db, tenantId) => {
        const { alert_id: alertId } = call.params;
        const alert = await requireAlert(db, call, alertId);
        const sends = await listSendsOfAlert(db, tenantId, alertId);
        return { ...viewAlert(alert, publicUrl), sends: sends.map(viewSend) };
      }),
    ),
    ...handle('alerts.acknowledge', async (call) => {
      const { alert_id: alertId } = call.params;
      const acknowledged = await change(
        call,
        async (db, tenantId) => {
          await requireAlert(db, call, alertId);
          const isFirst = await acknowledgeAlert(db, tenantId, alertId, call.principal.actor);
          return { alert: await requireAlert(db, call, alertId), isFirst };
        },
        ({ isFirst }) => ({ target: alertId, data: { is_first: isFirst } }),
      );
      return viewAlert(acknowledged.alert, publicUrl);
    }),
  };
}

function rules(): Handlers {
  return {
    ...handle('alert-rules.list', (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, ruleName)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const page = pageOf(await listRules(db, tenantId, cursor, limit + 1), limit, (row) => writeCursor(row.name));
        return { data: page.data.map(viewRule), next: page.next };
      });
    }),
    ...handle('alert-rules.create', async (call) => {
      const { body } = call;
      const wish =
        body.kind === 'event' ? { ...body, metric: null, comparison: null, threshold: null } : { ...body, event: null };
      const added = await change(
        call,
        (db, tenantId) => addRule(db, tenantId, wish),
        ({ name, kind, metric, event }) => ({ target: name, data: { kind, metric, event } }),
      );
      return viewRule(added);
    }),
    ...handle('alert-rules.update', async (call) => {
      const { rule } = call.params;
      const patch = withoutUndefined(call.body);
      const changed = await change(
        call,
        (db, tenantId) => changeRule(db, tenantId, rule, patch),
        () => ({ target: rule, data: { fields: Object.keys(patch) } }),
      );
      return viewRule(changed);
    }),
    ...handle('alert-rules.remove', async (call) => {
      const { rule } = call.params;
      await change(
        call,
        (db, tenantId) => removeRule(db, tenantId, rule),
        () => ({ target: rule }),
      );
      return undefined;
    }),
  };
}

function sinks(service: AlertService): Handlers {
  return {
    ...handle('alert-sinks.list', (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, shapes.uuid)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const rows = await listSinks(db, tenantId, cursor, limit + 1);
        const page = pageOf(rows, limit, (row) => writeCursor(row.sink_id));
        return { data: page.data.map(viewSink), next: page.next };
      });
    }),
    ...handle('alert-sinks.create', async (call) => {
      const { body } = call;
      const wish = {
        name: body.name,
        kind: body.kind,
        url: body.url,
        routingKey: body.kind === 'pagerduty' ? body.routing_key : undefined,
        minSeverity: body.min_severity,
        sendResolved: body.send_resolved,
        enabled: body.enabled,
      };
      const added = await change(
        call,
        (db, tenantId) => addSink(service, db, tenantId, wish),
        ({ sink_id: sinkId, kind, host }) => ({ target: sinkId, data: { kind, host } }),
      );
      return viewSink(added);
    }),
    ...handle('alert-sinks.show', (call) =>
      look(call, async (db, tenantId) => viewSink(await requireSink(db, tenantId, call.params.sink_id))),
    ),
    ...handle('alert-sinks.update', async (call) => {
      const { body, params } = call;
      const patch = withoutUndefined({
        name: body.name,
        url: body.url,
        routingKey: body.routing_key,
        minSeverity: body.min_severity,
        sendResolved: body.send_resolved,
        enabled: body.enabled,
      });
      const changed = await change(
        call,
        (db, tenantId) => changeSink(service, db, tenantId, params.sink_id, patch),
        () => ({ target: params.sink_id, data: { fields: Object.keys(patch) } }),
      );
      return viewSink(changed);
    }),
    ...handle('alert-sinks.remove', async (call) => {
      const { sink_id: sinkId } = call.params;
      await change(
        call,
        (db, tenantId) => removeSink(db, tenantId, sinkId),
        () => ({ target: sinkId }),
      );
      return undefined;
    }),
    ...handle('alert-sinks.test', async (call) => {
      const { sink_id: sinkId } = call.params;
      const { tenantId } = call.principal;
      // Not within one transaction: the receiver may take its time, and a connection must not wait with it.
      const { sink, target } = await inTenant(call.app.pool, tenantId, async (db) => ({
        sink: await requireSink(db, tenantId, sinkId),
        target: await readTarget(service, db, tenantId, sinkId),
      }));
      const verdict = await sendTest(service, sink, target, tenantId);
      const isOk = verdict.kind === 'sent';
      const { message, errorCode } = explainVerdict(verdict, sinkId);
      const httpStatus = verdict.kind === 'nothing' ? null : verdict.status;
      await change(
        call,
        async (db) => {
          await noteTest(db, { tenantId, sinkId, isOk, httpStatus, errorCode });
          await noteSinkHealth(db, { sinkId, isOk, errorCode, pauseMs: null });
        },
        () => ({ target: sinkId, data: { ok: isOk, status: httpStatus } }),
      );
      const ms = verdict.kind === 'nothing' ? 0 : verdict.ms;
      return { ok: isOk, status: httpStatus, ms, error_code: errorCode, message };
    }),
    ...handle('alert-sinks.sends', (call) => {
      const { limit, after } = call.query;
      const { sink_id: sinkId } = call.params;
      const before = readCursor(after, shapes.integer)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        await requireSink(db, tenantId, sinkId);
        const rows = await listSendsOfSink(db, tenantId, sinkId, before, limit + 1);
        const page = pageOf(rows, limit, (row) => writeCursor(row.send_id));
        return { data: page.data.map(viewSend), next: page.next };
      });
    }),
  };
}

async function requireAlert(
  db: Queryable,
  call: Pick<Call<'alerts.show'>, 'app' | 'principal'>,
  alertId: string,
): Promise<AlertRow> {
  const found = await findAlert(db, call.principal.tenantId, alertId);
  const [alert] = await withoutHidden(db, call, found === undefined ? [] : [found]);
  if (alert === undefined) throw new MillraceError('alert_not_found', { alert: alertId });
  return alert;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}
