// A notice tells one sink one thing about an alert. It carries everything a sink needs, so that no sink reads the database.
import type { AlertSeverity } from '../../contract/api/alert-metrics.ts';

export type NoticeKind = 'open' | 'reminder' | 'acknowledge' | 'resolve' | 'test' | 'digest' | 'digest_end';

export interface Notice {
  readonly what: NoticeKind;
  /** Tells reminders of one alert apart. */
  readonly round: number;
  /** The same for everything that is said about one alert; a receiver can tell repetitions by it. */
  readonly dedupKey: string;
  readonly alertId: string | null;
  readonly tenantId: string | null;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly pipeline: string | null;
  readonly runId: string | null;
  readonly link: string;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly occurrences: number;
  readonly openedAt: Date;
  readonly resolvedAt: Date | null;
}

/** Where a sink sends to: the part of it that is sealed at rest. */
export interface SinkTarget {
  readonly url: string;
  readonly routingKey?: string;
}

/** One HTTP call. */
export interface SinkCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a kind of sink says a notice; undefined: it has no words for that, and nothing is sent. */
export type Compose = (notice: Notice, target: SinkTarget) => SinkCall | undefined;

export function headline({ what, message }: Notice): string {
  if (what === 'resolve') return `[RESOLVED] ${message}`;
  return what === 'reminder' ? `[STILL OPEN] ${message}` : message;
}

/** Short facts beside the sentence, the same in every chat. */
export function factsOf(notice: Notice): [string, string][] {
  const facts: [string, string | null][] = [
    ['Severity', notice.severity],
    ['Rule', notice.rule],
    ['Pipeline', notice.pipeline],
    ['Run', notice.runId],
    ['Tenant', notice.tenantId],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

export function dedupKeyOf(alertId: string): string {
  return `millrace-${alertId}`;
}

/** The same for every digest of one rule: a storm is one incident, however long it lasts. */
export function digestKeyOf(tenantId: string, rule: string): string {
  return `millrace-digest-${tenantId}-${rule}`;
}

/** The page of the run, or of the runs that a figure counts. */
export function linkOf(publicUrl: string, about: { runId: string | null; pipeline: string | null }): string {
  if (about.runId !== null) return `${publicUrl}/r/${about.runId}`;
  return about.pipeline === null
    ? `${publicUrl}/runs`
    : `${publicUrl}/runs?pipeline=${encodeURIComponent(about.pipeline)}`;
}

export function jsonCall(url: string, body: unknown): SinkCall {
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
