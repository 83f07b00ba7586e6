// How daily numbers are shown: measures by name as exact decimals, and an id that names the day, by which a row is found.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { measures } from '../fields.ts';
import type { MeasureColumns, MetricFilter, MetricRow } from '../sql/read-metrics.ts';

export function measuresOf(row: MeasureColumns): Record<string, string | null> {
  return Object.fromEntries(measures.map((name) => [name, row[name]]));
}

export function viewMetric(row: MetricRow): AnswerOf<'ads.daily-metrics'>['data'][number] {
  return {
    id: `${row.metric_date}.${row.id}`,
    client_id: row.client_id,
    platform: row.platform,
    metric_date: row.metric_date,
    period_end: row.period_end,
    grain: row.grain,
    counts: row.is_winner,
    campaign_external_id: row.campaign_external_id,
    campaign_name: row.campaign_name,
    ad_set_external_id: row.ad_set_external_id,
    ad_set_name: row.ad_set_name,
    ad_external_id: row.ad_external_id,
    ad_name: row.ad_name,
    currency: row.currency,
    measures: measuresOf(row),
    reported_at: row.reported_at.toISOString(),
    run_id: row.run_id,
    line: row.line,
  };
}

/** The day and the number of a metric's id; undefined when it is not one of ours. */
export function parseMetricId(id: string): { day: string; number: string } | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})\.(\d{1,18})$/.exec(id);
  return match?.[1] && match[2] ? { day: match[1], number: match[2] } : undefined;
}

export interface MetricQuery {
  readonly client_id?: string | undefined;
  readonly platform?: string | undefined;
  readonly campaign?: string | undefined;
  readonly ad_set?: string | undefined;
  readonly ad?: string | undefined;
  readonly run_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly grain?: string | undefined;
}

export function metricFilter(query: MetricQuery): MetricFilter {
  return {
    clientId: query.client_id ?? null,
    platform: query.platform ?? null,
    campaign: query.campaign ?? null,
    adSet: query.ad_set ?? null,
    ad: query.ad ?? null,
    runId: query.run_id ?? null,
    since: query.since ?? null,
    until: query.until ?? null,
    grain: query.grain ?? null,
  };
}
