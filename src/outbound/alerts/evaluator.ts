// The evaluator reads the figures, opens alerts for broken rules, resolves alerts whose rule holds again, sends reminders and deletes old
// alerts. It is safe in every process: a row with the time of the last evaluation lets one of them through per interval, and one transaction
// holds everything the evaluation decides, messages included.

import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { type Pool, type Queryable, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { AlertSettings } from './alert-settings.ts';
import { type Breach, findBreaches } from './breaches.ts';
import { cutMessage, overThreshold } from './messages.ts';
import { type Measured, readMetric } from './metrics.ts';
import { type AlertedPipelines, labelOf } from './pipeline-alerts.ts';
import { takeTurn } from './sql/evaluation.ts';
import { readEndedEvents, readOpenThresholds } from './sql/read-open-alerts.ts';
import { readThresholdRules, type ThresholdRule } from './sql/read-rules.ts';
import {
  type AlertDraft,
  markClear,
  openAlerts,
  passOnAcknowledgements,
  pruneAlerts,
  remindOfAlerts,
  resolveAlerts,
} from './sql/write-alerts.ts';
import { tellOpened, tellResolved } from './tell-events.ts';

export interface EvaluatorOptions {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly log: Log;
  readonly settings: AlertSettings;
  readonly election?: Elected;
  /** There may be messages to send. */
  readonly onChanged: () => void;
}

export interface Evaluation {
  readonly opened: number;
  readonly resolved: number;
  readonly reminded: number;
}

const BATCH = 500;
const PRUNE_EVERY_MS = 600_000;

export function createAlertEvaluator(options: EvaluatorOptions): Service {
  let prunedAt = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: 'alert evaluator',
    everyMs: options.settings.evaluateMs,
    election: options.election,
    log: options.log,
    async tick() {
      const evaluation = await evaluateAlerts(options.pool, options.settings);
      if (evaluation === undefined) return undefined;
      if (performance.now() - prunedAt > PRUNE_EVERY_MS) {
        await pruneAlerts(options.pool, options.settings.retentionDays, BATCH);
        prunedAt = performance.now();
      }
      const { opened, resolved, reminded } = evaluation;
      if (opened + resolved > 0) options.log.info({ opened, resolved }, 'alerts evaluated');
      if (opened + resolved + reminded > 0) options.onChanged();
      return undefined;
    },
  });
}

/** One round; undefined when another process has just had its turn. */
export async function evaluateAlerts(pool: Pool, settings: AlertSettings): Promise<Evaluation | undefined> {
  const evaluation = await withTransaction(pool, async (tx) => {
    // A little less than the interval: timers of several processes are never quite in step.
    if (!(await takeTurn(tx, settings.evaluateMs * 0.9))) return undefined;
    const rules = await readThresholdRules(tx);
    const breaches = findBreaches(rules, await readFigures(tx, rules, settings));
    const opened = await openBroken(tx, breaches, settings.pipelines);
    const resolved = (await resolveHealed(tx, breaches, rules, settings)) + (await resolveEndedEvents(tx));
    const reminded = settings.remindMs > 0 ? await remindOfAlerts(tx, settings.remindMs, BATCH) : 0;
    await passOnAcknowledgements(tx);
    failpoint('alerts.before_commit');
    return { opened, resolved, reminded };
  });
  failpoint('alerts.after_commit');
  return evaluation;
}

/** Each figure is read once, however many rules compare it, and only where an enabled rule does. */
async function readFigures(
  tx: Queryable,
  rules: readonly ThresholdRule[],
  settings: AlertSettings,
): Promise<(rule: ThresholdRule) => readonly Measured[]> {
  const keyOf = ({ metric, window_minutes: minutes }: ThresholdRule) => `${metric} ${minutes ?? ''}`;
  const figures = new Map<string, Measured[]>();
  for (const rule of rules) {
    const key = keyOf(rule);
    if (rule.enabled && !figures.has(key))
      figures.set(key, await readMetric(tx, rule.metric, rule.window_minutes, settings.pipelines));
  }
  return (rule) => figures.get(keyOf(rule)) ?? [];
}

async function openBroken(tx: Queryable, breaches: readonly Breach[], pipelines: AlertedPipelines): Promise<number> {
  let count = 0;
  for (let at = 0; at < breaches.length; at += BATCH) {
    const opened = await openAlerts(
      tx,
      breaches.slice(at, at + BATCH).map((breach) => draftOf(breach, pipelines)),
    );
    await tellOpened(tx, opened);
    count += opened.length;
  }
  return count;
}

function draftOf({ rule, tenantId, subject, pipeline, value }: Breach, pipelines: AlertedPipelines): AlertDraft {
  const who = pipeline === null ? null : labelOf(pipelines, pipeline);
  const figure = { who, value, threshold: rule.threshold, windowMinutes: rule.window_minutes };
  return {
    alertId: uuidv7(),
    tenantId,
    rule: rule.name,
    kind: 'threshold',
    subject,
    severity: rule.severity,
    message: cutMessage(overThreshold(rule.metric, figure)),
    pipeline,
    runId: null,
    value,
    threshold: rule.threshold,
    expiresMinutes: null,
  };
}

/** A figure has to stay on the good side for a while, so that one that wavers around its threshold does not ring at every turn. */
async function resolveHealed(
  tx: Queryable,
  breaches: readonly Breach[],
  rules: readonly ThresholdRule[],
  { settleMs }: AlertSettings,
): Promise<number> {
  const broken = new Set(breaches.map(({ tenantId, rule, subject }) => `${tenantId} ${rule.name} ${subject}`));
  const healed = (await readOpenThresholds(tx, settleMs)).filter(
    (alert) => !broken.has(`${alert.tenant_id} ${alert.rule} ${alert.subject}`),
  );
  const isOff = (alert: { tenant_id: string; rule: string }) => !isEnabled(rules, alert.tenant_id, alert.rule);
  const over = healed.filter((alert) => alert.is_settled || settleMs === 0 || isOff(alert));
  await markClear(
    tx,
    healed.map(({ alert_id: id }) => id),
  );
  const resolved = await resolveAlerts(
    tx,
    over.map(({ alert_id: id }) => id),
    over.map((alert) => (isOff(alert) ? 'rule_off' : 'below_threshold')),
  );
  await tellResolved(tx, resolved);
  return resolved.length;
}

async function resolveEndedEvents(tx: Queryable): Promise<number> {
  const ended = await readEndedEvents(tx, BATCH);
  if (ended.length === 0) return 0;
  const resolved = await resolveAlerts(
    tx,
    ended.map(({ alert_id: id }) => id),
    ended.map(({ resolution }) => resolution),
  );
  await tellResolved(tx, resolved);
  return resolved.length;
}

function isEnabled(rules: readonly ThresholdRule[], tenantId: string, name: string): boolean {
  const own = rules.find((rule) => rule.tenant_id === tenantId && rule.name === name);
  return (own ?? rules.find((rule) => rule.tenant_id === null && rule.name === name))?.enabled ?? false;
}
