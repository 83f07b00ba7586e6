// Statements of webhooks and alerts: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import {
  byControl as control,
  byEngine as engine,
  type PlanCase,
  byRequest as request,
} from '../../test/plans/plan-case.ts';
import { testPlans } from '../../test/plans/plans.ts';
import type { World } from '../../test/plans/world.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  acknowledgeAlert,
  findAlert,
  listAlerts,
  listSendsOfAlert,
  listSendsOfSink,
} from './alerts/sql/alert-store.ts';
import { saveConfiguredSink, switchOffOthers } from './alerts/sql/configured-sinks.ts';
import { countOpenAlerts, readOpenAlertCounts } from './alerts/sql/count-alerts.ts';
import { foldSends, insertDigest, lockStorms } from './alerts/sql/fold-sends.ts';
import { readAlertSigns } from './alerts/sql/read-alert-signs.ts';
import {
  readBacklog,
  readDeadLetters,
  readFailedRuns,
  readItemsPerSecond,
  readMeanSeconds,
  readNotFoundPercent,
  readOldestWaiting,
  readOwnerless,
  readQueuedRuns,
  readRetries,
  readStaleRuns,
  readSuccessPercent,
  readThrottledPercent,
  readTroubledSchedules,
} from './alerts/sql/read-metrics.ts';
import {
  haveOpenEvents,
  readAlertsEndedByRuns,
  readEndedEvents,
  readOpenThresholds,
} from './alerts/sql/read-open-alerts.ts';
import { readEventRules, readThresholdRules } from './alerts/sql/read-rules.ts';
import { readRunFacts as readRunFactsOfAlerts } from './alerts/sql/read-run-facts.ts';
import { deleteRule, findRule, listRules, saveRule } from './alerts/sql/rule-store.ts';
import { saveDefaultRules } from './alerts/sql/save-default-rules.ts';
import { dropRest, endSend, noteSinkHealth, takeSends } from './alerts/sql/sends.ts';
import {
  deleteSink,
  findSink,
  findSinkTarget,
  insertSink,
  listSinks,
  noteTest,
  updateSink,
} from './alerts/sql/sink-store.ts';
import {
  markClear,
  openAlerts,
  passOnAcknowledgements,
  pruneAlerts,
  remindOfAlerts,
  resolveAlerts,
} from './alerts/sql/write-alerts.ts';
import { claimDeliveries, lockDueEndpoints, readTarget, takeBackLost } from './webhooks/sql/claim-deliveries.ts';
import {
  countFailed,
  failWaiting,
  findDelivery,
  listDeliveries,
  listTries,
  requeueFailed,
  resendDelivery,
} from './webhooks/sql/deliveries.ts';
import {
  countEndpoints,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  rotateSecret,
  updateEndpoint,
} from './webhooks/sql/endpoints.ts';
import {
  insertDeliveries,
  insertTest,
  lockListeners,
  readRunFacts,
  setTestPayload,
} from './webhooks/sql/feed-deliveries.ts';
import { countDeliveries, pruneDeliveries } from './webhooks/sql/look-after-deliveries.ts';
import { noteFailure, noteSuccess, recordTry, releaseDelivery } from './webhooks/sql/record-try.ts';

/** The endpoint and the sink that half of everything goes to, and those that get little. */
const busyEndpoint = (w: World) => w.id('endpoint_id', 0);
const endpoint = (w: World) => w.id('endpoint_id', 1);
const delivery = (w: World) => w.id('delivery_id', 41);
const busySink = (w: World) => w.id('sink_id', 0);
const sink = (w: World) => w.id('sink_id', 1);
const alert = (w: World) => w.id('alert_id', 1);
const runs = (w: World) => [w.run('ads', 'small'), w.run('judgments', 'failed')];
const dayAgo = (w: World) => w.id('run_id', w.size - 20);
const epoch = '2000-01-01T00:00:00Z';

const everyOpen = { readsAll: 'the alerts that are open' };
const queue = { readsAll: 'counts what waits' };
const live = { readsAll: 'counts the runs at work' };

const filter = (w: World) => ({
  tenantId: w.ours,
  endpointId: busyEndpoint(w),
  statuses: null,
  eventType: null,
  runId: null,
  since: null,
  until: null,
});

const rule = (name: string) =>
  ({
    rule_id: uuidv7(),
    name,
    description: '',
    kind: 'event',
    event: 'run_failed',
    metric: null,
    comparison: null,
    threshold: null,
    pipeline: null,
    window_minutes: null,
    severity: 'ERROR',
    enabled: true,
  }) as never;

const webhooks: PlanCase[] = [
  control((db) => lockDueEndpoints(db, 20), { readsAll: 'every endpoint that something waits for' }),
  control((db, w) =>
    claimDeliveries(db, { endpointIds: [busyEndpoint(w), endpoint(w)], perEndpoint: 5, limit: 20, leaseMs: 1_000 }),
  ),
  control((db, w) => readTarget(db, w.ours, endpoint(w))),
  control((db) => takeBackLost(db, 20)),
  request((db, w) => listDeliveries(db, filter(w), null, 20)),
  request((db, w) => listDeliveries(db, { ...filter(w), statuses: ['failed'] }, null, 20)),
  request((db, w) => findDelivery(db, w.ours, endpoint(w), delivery(w))),
  request((db, w) => listTries(db, w.ours, delivery(w))),
  request((db, w) => resendDelivery(db, w.ours, endpoint(w), delivery(w))),
  request((db, w) => countFailed(db, w.ours, busyEndpoint(w), epoch), {
    readsAll: 'the failed deliveries of one endpoint',
  }),
  request((db, w) => requeueFailed(db, w.ours, busyEndpoint(w), epoch), {
    readsAll: 'the failed deliveries of one endpoint',
  }),
  request((db, w) => failWaiting(db, w.ours, busyEndpoint(w)), { readsAll: 'what waits for one endpoint' }),
  request((db, w) => listEndpoints(db, w.ours, null, 20), {
    readsAll: 'counts up to a thousand deliveries of each endpoint',
  }),
  request((db, w) => findEndpoint(db, w.ours, endpoint(w))),
  request((db, w) => countEndpoints(db, w.ours)),
  request((db, w) =>
    insertEndpoint(db, {
      endpointId: uuidv7(),
      tenantId: w.ours,
      url: 'https://example.com',
      description: '',
      eventTypes: ['run.done'],
      secret: Buffer.alloc(32),
      createdBy: null,
    }),
  ),
  request((db, w) => updateEndpoint(db, w.ours, endpoint(w), { description: 'new' })),
  request((db, w) => deleteEndpoint(db, w.ours, endpoint(w))),
  control((db, w) =>
    rotateSecret(db, { tenantId: w.ours, endpointId: endpoint(w), secret: Buffer.alloc(32), graceHours: 1 }),
  ),
  request((db, w) => lockEndpoint(db, w.ours, endpoint(w))),
  request((db, w) => enableEndpoint(db, w.ours, endpoint(w))),
  request((db, w) => disableEndpoint(db, w.ours, endpoint(w), 'person')),
  control((db, w) => lockListeners(db, [w.ours])),
  control((db, w) => readRunFacts(db, runs(w))),
  control((db, w) =>
    insertDeliveries(db, [
      {
        deliveryId: uuidv7(),
        tenantId: w.ours,
        endpointId: endpoint(w),
        eventId: 900_000,
        eventType: 'run.done',
        eventAt: w.now,
        runId: null,
        payload: '',
        isDisabled: false,
      },
    ]),
  ),
  request(
    (db, w) => insertTest(db, { deliveryId: uuidv7(), tenantId: w.ours, endpointId: endpoint(w), leaseMs: 1_000 }),
    { role: 'millrace_engine' },
  ),
  control((db, w) => setTestPayload(db, delivery(w), '{}')),
  control((db) => pruneDeliveries(db, 1, 50)),
  control((db) => countDeliveries(db), { readsAll: 'counts what waits to be delivered' }),
  control((db, w) =>
    recordTry(db, {
      deliveryId: delivery(w),
      tenantId: w.ours,
      attempt: 1,
      status: 'delivered',
      step: 0,
      delayMs: null,
      httpStatus: 200,
      errorCode: null,
      excerpt: null,
      ms: 1,
    }),
  ),
  control((db, w) => releaseDelivery(db, delivery(w), 1)),
  control((db, w) => noteSuccess(db, endpoint(w))),
  control((db, w) => noteFailure(db, endpoint(w), 'webhook_refused', 10)),
];

const alerts: PlanCase[] = [
  ...(['open', 'resolved', null] as const).map((status) =>
    request((db, w) => listAlerts(db, w.ours, { status, rule: null, runId: null }, null, 20)),
  ),
  request((db, w) => listAlerts(db, w.ours, { status: 'open', rule: 'rule 1', runId: null }, null, 20), everyOpen),
  request((db, w) => listAlerts(db, w.ours, { status: null, rule: null, runId: w.id('run_id', 41) }, null, 20)),
  request((db, w) => findAlert(db, w.ours, alert(w))),
  request((db, w) => acknowledgeAlert(db, w.ours, alert(w), 'somebody')),
  request((db, w) => listSendsOfAlert(db, w.ours, alert(w))),
  request((db, w) => listSendsOfSink(db, w.ours, busySink(w), null, 20)),
  control((db) =>
    saveConfiguredSink(db, { sinkId: uuidv7(), name: 'a sink', kind: 'slack', host: 'h', target: Buffer.alloc(4) }),
  ),
  control((db, w) => switchOffOthers(db, [sink(w)])),
  request((db, w) => countOpenAlerts(db, w.ours), everyOpen),
  control((db) => readOpenAlertCounts(db), everyOpen),
  control((db) => lockStorms(db, 5, 60_000), { readsAll: 'the messages that wait to be sent' }),
  control((db, w) =>
    insertDigest(
      db,
      { sink_id: sink(w), tenant_id: w.ours, rule: 'rule 1', digest_id: null, send_ids: [1], first_alert_id: alert(w) },
      1_000,
    ),
  ),
  control((db) => foldSends(db, [1, 3, 5], 7)),
  engine((db) => readAlertSigns(db), { readsAll: 'the sinks that are on, and what waits for them' }),
  control((db) => takeSends(db, 1_000, 20)),
  control((db) =>
    endSend(db, { sendId: 49, attempts: 0, status: 'sent', httpStatus: 200, errorCode: null, delayMs: 0 }),
  ),
  control((db, w) => dropRest(db, alert(w), sink(w))),
  control((db, w) => noteSinkHealth(db, { sinkId: sink(w), isOk: true, errorCode: null, pauseMs: null })),
  request((db, w) => listSinks(db, w.ours, null, 20), { readsAll: 'counts what waits for each sink' }),
  request((db, w) => findSink(db, w.ours, sink(w))),
  request((db, w) => findSinkTarget(db, w.ours, sink(w))),
  request((db, w) =>
    insertSink(db, w.ours, {
      sinkId: uuidv7(),
      name: 'new',
      kind: 'slack',
      host: 'h',
      target: Buffer.alloc(4),
      minSeverity: 'ERROR',
      sendResolved: true,
      enabled: true,
    }),
  ),
  request((db, w) =>
    updateSink(db, w.ours, sink(w), {
      name: 'other',
      minSeverity: null,
      sendResolved: null,
      enabled: null,
      target: null,
      host: null,
    }),
  ),
  request((db, w) => deleteSink(db, w.ours, sink(w))),
  request((db, w) => noteTest(db, { tenantId: w.ours, sinkId: sink(w), isOk: true, httpStatus: 200, errorCode: null })),
  control((db, w) =>
    openAlerts(db, [
      {
        alertId: uuidv7(),
        tenantId: w.ours,
        rule: 'rule 1',
        kind: 'event',
        subject: 'new',
        severity: 'ERROR',
        message: 'it broke',
        pipeline: null,
        runId: null,
        value: null,
        threshold: null,
        expiresMinutes: 5,
      },
    ]),
  ),
  control((db, w) => resolveAlerts(db, [alert(w)], ['expired'])),
  control((db, w) => markClear(db, [alert(w)])),
  control((db) => remindOfAlerts(db, 1_000, 20)),
  control((db) => passOnAcknowledgements(db), everyOpen),
  control((db) => pruneAlerts(db, 1, 20)),
  request((db, w) => listRules(db, w.ours, null, 20)),
  request((db, w) => findRule(db, w.ours, 'rule 21')),
  request((db, w) => saveRule(db, w.ours, rule('rule 21'))),
  request((db, w) => deleteRule(db, w.ours, 'rule 21')),
  control((db) => saveDefaultRules(db, [rule('rule 1')])),
  control((db) => readThresholdRules(db), { readsAll: 'the rules of all tenants' }),
  control((db, w) => readEventRules(db, [w.ours])),
  control((db, w) =>
    readRunFactsOfAlerts(
      db,
      runs(w).map((runId) => ({ runId, attempt: 1 })),
      ['judgments'],
    ),
  ),
  control((db) => readOpenThresholds(db, 1_000), everyOpen),
  control((db) => readEndedEvents(db, 20), everyOpen),
  control((db, w) => readAlertsEndedByRuns(db, runs(w), runs(w))),
  control((db, w) => haveOpenEvents(db, [w.ours])),
];

const metrics: PlanCase[] = [
  control((db) => readBacklog(db), queue),
  control((db) => readOldestWaiting(db), queue),
  control((db) => readDeadLetters(db), { readsAll: 'counts the dead letters' }),
  control((db) => readFailedRuns(db, 60)),
  control((db) => readStaleRuns(db, [{ pipeline: 'ads', atWorkSeconds: 60, queuedSeconds: 60 }]), live),
  control((db) => readOwnerless(db), live),
  ...[
    readMeanSeconds,
    readQueuedRuns,
    readSuccessPercent,
    readRetries,
    readThrottledPercent,
    readNotFoundPercent,
    readItemsPerSecond,
  ].map((read) => control((db, w) => read(db, dayAgo(w)))),
  control((db) => readTroubledSchedules(db), { readsAll: 'the schedules that are overdue or in trouble' }),
];

testPlans({
  folders: ['src/outbound'],
  cases: [...webhooks, ...alerts, ...metrics],
});
