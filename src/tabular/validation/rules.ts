// Rules as a table: code, column, test, message, severity. A rule sees the parsed row and says whether it holds; everything that
// can be said about one row is said at once.
import { type IssuePlace, issueWith, type RowIssue, type Severity } from './row-issue.ts';

/** Parsed values by field; null where there is none. */
export type FieldValues = Readonly<Record<string, string | null>>;

export interface Rule {
  readonly code: string;
  /** The field the message is about. */
  readonly column: string;
  /** True when the row is in order. Not asked when the field has no value, unless `onEmpty`. */
  readonly test: (value: string, row: FieldValues) => boolean;
  /** `{value}` is replaced. */
  readonly message: string;
  readonly severity: Severity;
  /** Also asked (with an empty text) when the field has no value. */
  readonly onEmpty?: boolean;
}

export function checkRules(rules: readonly Rule[], row: FieldValues, place: IssuePlace): RowIssue[] {
  const issues: RowIssue[] = [];
  for (const rule of rules) {
    const value = row[rule.column] ?? null;
    if (value === null && rule.onEmpty !== true) continue;
    if (rule.test(value ?? '', row)) continue;
    const message = rule.message.replaceAll('{value}', value ?? '');
    issues.push(issueWith(place, rule.code, rule.column, value, message, rule.severity));
  }
  return issues;
}
