// Computes which rules are broken, by which figure and for which tenant. Pure: rules and figures in, breaches out.
//
// A default rule applies to every tenant that has no rule of that name; a tenant's own rule replaces it, even when it is switched off.
// A missing figure counts as 0 if it is a count; a missing mean breaks no rule.
import { type AlertComparison, type AlertMetric, alertMetrics } from '../../contract/api/alert-metrics.ts';
import type { Measured } from './metrics.ts';
import type { ThresholdRule } from './sql/read-rules.ts';

export interface Breach {
  readonly rule: ThresholdRule;
  readonly tenantId: string;
  /** The pipeline, or "all". */
  readonly subject: string;
  readonly pipeline: string | null;
  readonly value: number;
}

const EVERYTHING = 'all';

const holds: Readonly<Record<AlertComparison, (value: number, threshold: number) => boolean>> = {
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
};

/** Metrics whose absence means 0; a mean or a share of nothing is nothing. */
const countsFromZero: ReadonlySet<AlertMetric> = new Set<AlertMetric>([
  'backlog',
  'dead_letters',
  'failed_runs',
  'stale_runs',
  'ownerless_runs',
  'queued_runs',
  'retries',
  'troubled_schedules',
]);

export function findBreaches(
  rules: readonly ThresholdRule[],
  figuresOf: (rule: ThresholdRule) => readonly Measured[],
): Breach[] {
  const own = new Set(rules.flatMap((rule) => (rule.tenant_id === null ? [] : [`${rule.tenant_id} ${rule.name}`])));
  return rules
    .filter(({ enabled }) => enabled)
    .flatMap((rule) =>
      breachesOf(rule, figuresOf(rule)).filter(
        ({ tenantId }) => rule.tenant_id !== null || !own.has(`${tenantId} ${rule.name}`),
      ),
    );
}

function breachesOf(rule: ThresholdRule, figures: readonly Measured[]): Breach[] {
  const isBroken = (value: number) => holds[rule.comparison](value, rule.threshold);
  const found = figures.flatMap(({ tenantId, pipeline, value }): Breach[] => {
    // A figure of the whole installation is alerted to the tenants that asked for it.
    const whose = tenantId ?? rule.tenant_id;
    if (whose === null || (rule.tenant_id !== null && whose !== rule.tenant_id)) return [];
    if (rule.pipeline !== null && pipeline !== null && pipeline !== rule.pipeline) return [];
    if (!isBroken(value)) return [];
    return [{ rule, tenantId: whose, subject: pipeline ?? EVERYTHING, pipeline, value }];
  });
  return [...found, ...absent(rule, figures).filter(({ value }) => isBroken(value))];
}

/** A tenant's own rule "fewer than" on one pipeline is broken by a pipeline in which nothing happens. */
function absent(rule: ThresholdRule, figures: readonly Measured[]): Breach[] {
  const { tenant_id: tenantId, pipeline, metric } = rule;
  if (tenantId === null || pipeline === null || !countsFromZero.has(metric) || !alertMetrics[metric].isPerPipeline)
    return [];
  const isThere = figures.some((figure) => figure.tenantId === tenantId && figure.pipeline === pipeline);
  return isThere ? [] : [{ rule, tenantId, subject: pipeline, pipeline, value: 0 }];
}
