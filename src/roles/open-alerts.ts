// Opens alerts from the configuration: the consumer of the outbox, the evaluator and the sender.
import type { Engine } from '../engine/engine.ts';
import { type AlertSettings, defaultAlertSettings } from '../outbound/alerts/alert-settings.ts';
import { configuredTargets, saveConfiguredSinks } from '../outbound/alerts/configured-sinks.ts';
import { saveRulesOf } from '../outbound/alerts/default-rules.ts';
import { createAlertEvaluator } from '../outbound/alerts/evaluator.ts';
import { alertConsumer } from '../outbound/alerts/event-consumer.ts';
import type { AlertedPipelines } from '../outbound/alerts/pipeline-alerts.ts';
import { createAlertSender } from '../outbound/alerts/sender.ts';
import type { SinkBox } from '../outbound/alerts/sink-target.ts';
import type { AlertService } from '../outbound/alerts/sinks.ts';
import type { Config } from '../platform/config.ts';
import type { RoleProcess } from './role-process.ts';

const SECOND_MS = 1_000;
const HOUR_S = 3_600;

export function openAlerts(config: Config, box: SinkBox, pipelines: AlertedPipelines): AlertService {
  return { box, settings: { ...alertSettings(config), pipelines } };
}

/** Before the engine starts. */
export function consumeForAlerts(engine: Pick<Engine, 'consume'>, pipelines: AlertedPipelines): void {
  engine.consume(alertConsumer(pipelines));
}

/** Where services run: all of them may, in every process. */
export async function startAlerts(
  { config, log, shutdown }: RoleProcess,
  { engine, alerts }: { readonly engine: Engine; readonly alerts: AlertService },
): Promise<void> {
  const { box, settings } = alerts;
  const pool = engine.pools.control;
  await saveRulesOf(pool, settings.pipelines);
  await saveConfiguredSinks(pool, box, configuredTargets(config), settings.allowPrivate);
  const sender = createAlertSender({ pool, box, log, settings, election: engine.election });
  const evaluator = createAlertEvaluator({
    pool,
    log,
    settings,
    election: engine.election,
    onChanged: () => sender.wake(),
  });
  const stopListening = engine.onEvents(() => sender.wake());
  for (const service of [sender, evaluator]) service.start();
  shutdown.add('alerts', async () => {
    stopListening();
    await Promise.all([sender.stop(), evaluator.stop()]);
  });
}

function alertSettings(config: Config): AlertSettings {
  return {
    ...defaultAlertSettings,
    publicUrl: (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/+$/, ''),
    allowPrivate: config.allowPrivateWebhooks,
    timeoutMs: config.alertTimeoutSeconds * SECOND_MS,
    evaluateMs: config.alertEverySeconds * SECOND_MS,
    settleMs: config.alertSettleSeconds * SECOND_MS,
    remindMs: config.alertReminderHours * HOUR_S * SECOND_MS,
    digestAfter: config.alertDigestAfter,
    digestMs: config.alertDigestSeconds * SECOND_MS,
    retentionDays: config.alertRetentionDays,
  };
}
