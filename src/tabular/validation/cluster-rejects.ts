// Groups issues by cause, so that a user sees three mistakes instead of twelve hundred rows. Memory is bounded: a cluster keeps a
// few lines and values, and beyond a number of clusters the rest of a code and column go into one.
import { type SuggestedFix, suggestFix } from './fixes.ts';
import type { RowIssue, Severity } from './row-issue.ts';

export interface RejectCluster {
  readonly cause: string;
  readonly code: string;
  readonly column: string | null;
  readonly severity: Severity;
  readonly count: number;
  /** One of the messages. */
  readonly message: string;
  readonly lines: readonly number[];
  readonly values: readonly string[];
  readonly suggestion: SuggestedFix | null;
}

const KEPT_LINES = 20;
const KEPT_VALUES = 50;
const MAX_CLUSTERS = 1_000;

interface Gathering {
  readonly first: RowIssue;
  readonly cause: string;
  count: number;
  readonly lines: number[];
  readonly values: Set<string>;
}

/** Takes issues one by one, as rows are read. */
export class RejectClusters {
  readonly #clusters = new Map<string, Gathering>();

  add(issue: RowIssue): void {
    const cluster = this.#clusterFor(issue);
    cluster.count++;
    if (cluster.lines.length < KEPT_LINES) cluster.lines.push(issue.line);
    if (issue.value !== null && cluster.values.size < KEPT_VALUES) cluster.values.add(issue.value);
  }

  /** The largest first. */
  list(): RejectCluster[] {
    return [...this.#clusters.values()]
      .sort((a, b) => b.count - a.count || a.first.line - b.first.line)
      .map(({ first, cause, count, lines, values }) => ({
        cause,
        code: first.code,
        column: first.column,
        severity: first.severity,
        count,
        message: first.message,
        lines,
        values: [...values],
        suggestion: suggestFix(first.code, [...values]),
      }));
  }

  #clusterFor(issue: RowIssue): Gathering {
    const known = this.#clusters.get(issue.cause);
    if (known !== undefined) return known;
    const cause = this.#clusters.size < MAX_CLUSTERS ? issue.cause : `${issue.code}|${issue.column ?? ''}|*`;
    const existing = this.#clusters.get(cause);
    if (existing !== undefined) return existing;
    const fresh: Gathering = { first: issue, cause, count: 0, lines: [], values: new Set() };
    this.#clusters.set(cause, fresh);
    return fresh;
  }
}

export function clusterRejects(issues: Iterable<RowIssue>): RejectCluster[] {
  const clusters = new RejectClusters();
  for (const issue of issues) clusters.add(issue);
  return clusters.list();
}
