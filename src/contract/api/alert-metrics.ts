// What an alert rule can watch: facts that happen once (events), and figures that are compared with a threshold (metrics). Free of
// zod, so that the console can offer them.
import { pipelineAlertEvents } from '../pipelines/all.ts';

/** Facts that open an alert each. */
export const alertEvents = {
  run_failed: 'A run ended as failed or as a dead letter (not when a person cancelled it).',
  run_taken_over: 'A run was taken over because its worker had gone silent.',
  question_asked: 'A run of a folder or a source is in doubt and waits for an answer before it stores anything.',
  ...pipelineAlertEvents,
  webhook_disabled: 'A webhook endpoint was switched off after too many failures.',
} as const;
/** Those of pipelines that do not come with Millrace are called x.<pipeline>.<word>. */
export type AlertEvent = keyof typeof alertEvents | `x.${string}`;

export interface AlertMetricInfo {
  readonly label: string;
  readonly unit: 'runs' | 'seconds' | 'percent' | 'retries' | 'items' | 'workers' | 'schedules';
  /** Reckoned over the rule's window; the others are as of now. */
  readonly isWindowed: boolean;
  /** Has a figure for each pipeline. */
  readonly isPerPipeline: boolean;
}

/** Figures of one tenant. */
export const alertMetrics = {
  backlog: { label: 'Runs pending or processing', unit: 'runs', isWindowed: false, isPerPipeline: true },
  dead_letters: {
    label: 'Failed runs and dead letters that nobody has retried',
    unit: 'runs',
    isWindowed: false,
    isPerPipeline: true,
  },
  failed_runs: { label: 'Runs that failed in the window', unit: 'runs', isWindowed: true, isPerPipeline: true },
  stale_runs: {
    label: 'Runs that are active for too long and whose worker is silent',
    unit: 'runs',
    isWindowed: false,
    isPerPipeline: true,
  },
  avg_processing_s: {
    label: 'Mean time from start to end of runs that succeeded in the window',
    unit: 'seconds',
    isWindowed: true,
    isPerPipeline: true,
  },
  oldest_waiting_s: {
    label: 'Age of the run that has waited longest',
    unit: 'seconds',
    isWindowed: false,
    isPerPipeline: true,
  },
  queued_runs: { label: 'Runs queued in the window', unit: 'runs', isWindowed: true, isPerPipeline: true },
  success_percent: {
    label: 'Share of ended runs that succeeded in the window',
    unit: 'percent',
    isWindowed: true,
    isPerPipeline: true,
  },
  retries: { label: 'Retries in the window', unit: 'retries', isWindowed: true, isPerPipeline: true },
  throttled_percent: {
    label: 'Share of attempts that were told to wait, of runs made in the window',
    unit: 'percent',
    isWindowed: true,
    isPerPipeline: true,
  },
  not_found_percent: {
    label: 'Share of ended runs that failed because something was not found, in the window',
    unit: 'percent',
    isWindowed: true,
    isPerPipeline: true,
  },
  items_per_second: {
    label: 'Items read for each second of work in the window',
    unit: 'items',
    isWindowed: true,
    isPerPipeline: true,
  },
  troubled_schedules: {
    label: 'Schedules that are set aside, that fail, or that are overdue and nobody fires',
    unit: 'schedules',
    isWindowed: false,
    isPerPipeline: true,
  },
  no_end_s: {
    label: 'How long no run of the installation has ended or moved while this tenant has work',
    unit: 'seconds',
    isWindowed: false,
    isPerPipeline: false,
  },
  oldest_end_s: {
    label: 'Age of the oldest end that waits to be written, while this tenant has active runs',
    unit: 'seconds',
    isWindowed: false,
    isPerPipeline: false,
  },
  ownerless_runs: {
    label: 'Runs held by no living worker for longer than a takeover takes',
    unit: 'runs',
    isWindowed: false,
    isPerPipeline: true,
  },
  workers_alive: {
    label: 'Workers that are alive, of the whole installation',
    unit: 'workers',
    isWindowed: false,
    isPerPipeline: false,
  },
} as const satisfies Record<string, AlertMetricInfo>;
export type AlertMetric = keyof typeof alertMetrics;

export const alertSinkKinds = ['discord', 'slack', 'pagerduty', 'webhook'] as const;
export type AlertSinkKind = (typeof alertSinkKinds)[number];

/** From the mildest on, in the words of the specification. */
export const alertSeverities = ['INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export const alertComparisons = ['>', '>=', '<', '<='] as const;
export type AlertComparison = (typeof alertComparisons)[number];
