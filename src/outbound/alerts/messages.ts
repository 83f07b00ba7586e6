// The sentences of alerts, in the words of the specification. Only they leave the installation, so they contain ids, codes and counts
// and nothing else: no name of a person, no cell, no error text.
import type { AlertMetric } from '../../contract/api/alert-metrics.ts';
import { redactText } from '../../platform/redaction.ts';

const MAX_LABEL = 200;
const MAX_MESSAGE = 500;

/** `label`: the batch id where the pipeline has one, else the run's id. */
export function runFailed(label: string, errorType: string): string {
  return `[INGEST FAILURE] ${safeLabel(label)}: ${safeCode(errorType)}`;
}

export function runTakenOver(label: string, hours: number): string {
  return `[STALE TAKEOVER] ${safeLabel(label)} abandoned for ${round(hours)}h`;
}

export function questionAsked(label: string): string {
  return `[READING DOUBTFUL] ${safeLabel(label)} waits for an answer before it stores anything`;
}

export function webhookDisabled(endpointId: string, reason: string): string {
  return `[WEBHOOK DISABLED] ${safeLabel(endpointId)}: ${safeCode(reason)}`;
}

/** Of a storm. Begins as the alerts it stands for do, so that they are found together. */
export function digestOf(rule: string, example: string, count: number): string {
  const tag = /^\[[A-Z ]+\]/.exec(example)?.[0] ?? '[ALERTS]';
  return `${tag} and ${count} more (rule ${safeLabel(rule)})`;
}

export const testMessage = 'Test message from Millrace: this sink works.';

interface Figure {
  /** Null: of no pipeline in particular. */
  readonly who: string | null;
  readonly value: number;
  readonly threshold: number;
  readonly windowMinutes: number | null;
}

/** What a figure says when it is on the wrong side of its threshold. */
const sentences: Readonly<Record<AlertMetric, (who: string, figure: Figure) => string>> = {
  dead_letters: (who, { value }) => `${who} dead-letter queue has ${value} messages`,
  backlog: (who, { value }) => `${who} backlog at ${value} pending or processing jobs`,
  failed_runs: (who, { value, windowMinutes }) => `${who} had ${value} failed jobs in the last ${span(windowMinutes)}`,
  stale_runs: (who, { value }) => `${who} has ${value} stale jobs whose worker has gone silent`,
  avg_processing_s: (who, { value, threshold }) => `${who} takes ${value}s a job on average (threshold ${threshold}s)`,
  oldest_waiting_s: (who, { value, threshold }) => `${who} has a job waiting for ${value}s (threshold ${threshold}s)`,
  queued_runs: (who, { value, windowMinutes }) => `${who} queued ${value} jobs in the last ${span(windowMinutes)}`,
  success_percent: (who, { value, windowMinutes }) =>
    `${who} success rate at ${value}% over the last ${span(windowMinutes)}`,
  retries: (who, { value, windowMinutes }) => `${who} retried ${value} times in the last ${span(windowMinutes)}`,
  throttled_percent: (who, { value, windowMinutes }) =>
    `${who} was told to wait in ${value}% of attempts over the last ${span(windowMinutes)}`,
  not_found_percent: (who, { value, windowMinutes }) =>
    `${who} did not find what ${value}% of jobs asked for over the last ${span(windowMinutes)}`,
  items_per_second: (who, { value, threshold }) => `${who} reads ${value} items a second (threshold ${threshold})`,
  troubled_schedules: (who, { value }) => `${who} has ${value} schedules that do not fire`,
  no_end_s: (_, { value }) => `Millrace has work, and no run has ended or moved for ${Math.floor(value / 60)} minutes`,
  oldest_end_s: (_, { value }) => `The end of a run has waited for ${value}s to be written down`,
  ownerless_runs: (who, { value }) => `${who} has ${value} jobs that no living worker holds`,
  workers_alive: (_, { value }) => `${value} workers alive`,
};

export function overThreshold(metric: AlertMetric, figure: Figure): string {
  return sentences[metric](figure.who ?? 'Millrace', { ...figure, value: round(figure.value) });
}

/** Ids come from people: no secret or address in them, no mark-up of a chat, no line breaks. */
export function safeLabel(label: string): string {
  const plain = label
    .replace(/[\p{C}\p{Zl}\p{Zp}<>`]/gu, '')
    .replaceAll('[', '(')
    .replaceAll(']', ')');
  return redactText(plain).slice(0, MAX_LABEL);
}

/** A code of the catalogue, or one of a pipeline of one's own; never a sentence. */
export function safeCode(code: string): string {
  return /^[a-z][a-z0-9_.-]{0,60}$/.test(code) ? code : 'internal';
}

export function cutMessage(message: string): string {
  return message.slice(0, MAX_MESSAGE);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function span(minutes: number | null): string {
  if (minutes === null) return 'hour';
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes} min`;
}
