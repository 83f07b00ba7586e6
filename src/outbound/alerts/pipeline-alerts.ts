// What a pipeline declares for alerts: the words for itself and its runs, when its runs count as stale, which of its events open alerts,
// and the rules for every tenant. Alerts know pipelines only through this declaration.
import type { AlertComparison, AlertEvent, AlertMetric, AlertSeverity } from '../../contract/api/alert-metrics.ts';
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import type { RunFacts } from './sql/read-run-facts.ts';

/** A fact that a rule may name, in words. The message leaves the installation: ids, codes and counts only. */
export interface OwnFact {
  readonly event: AlertEvent;
  /** What it is about: one alert is open per rule and subject. Default: the run. */
  readonly subject?: string;
  readonly message: string;
}

export type ReadFact = (event: FeedRow, run: RunFacts | undefined) => OwnFact | undefined;

export interface DefaultRule {
  /** Of a pipeline that does not come with Millrace: begins with the pipeline's name. */
  readonly name: string;
  readonly description: string;
  readonly severity: AlertSeverity;
  /** Default: true */
  readonly enabled?: boolean;
  /** Of a threshold: the span of its figure. Of an event: its alert is resolved after this long when nothing else ends it. */
  readonly windowMinutes?: number;
  readonly on:
    | { readonly event: AlertEvent }
    | { readonly metric: AlertMetric; readonly comparison: AlertComparison; readonly threshold: number };
}

export interface PipelineAlerts {
  /** By the type of an event in the outbox. */
  readonly facts?: Readonly<Record<string, ReadFact>>;
  /** They hold for every tenant that has no rule of the same name; a threshold compares the figure of this pipeline. */
  readonly rules?: readonly DefaultRule[];
}

export interface FigureWords {
  /** How sentences about its figures call it. Default: its name with a capital letter. */
  readonly label?: string;
  /** What sentences call a run: its unique key where people chose that themselves. Default: the run's id. */
  readonly runsBy?: 'id' | 'unique_key';
}

export interface StaleAfter {
  /** At work for longer while its worker has gone silent. */
  readonly atWorkSeconds: number;
  /** Waiting for longer while workers for it live. Default: never */
  readonly queuedSeconds?: number;
}

export interface AlertedPipeline extends PipelineAlerts, FigureWords {
  readonly staleAfter?: StaleAfter;
}

/** By the name of the pipeline. */
export type AlertedPipelines = Readonly<Record<string, AlertedPipeline>>;

export function labelOf(pipelines: AlertedPipelines, pipeline: string): string {
  return pipelines[pipeline]?.label ?? pipeline.charAt(0).toUpperCase() + pipeline.slice(1);
}

export function namesOf(pipelines: AlertedPipelines, isWanted: (each: AlertedPipeline) => boolean): string[] {
  return Object.keys(pipelines).filter((name) => isWanted(pipelines[name] ?? {}));
}
