// Rules as a table: code, column, test, message, severity. A rule sees the parsed row and says whether it holds; everything that
// can be said about one row is said at once.
import { sentence } from '../../contract/errors/millrace-error.ts';
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

/** Rules by column, so that a value is looked for once and not by each of its rules. */
export class RuleSet {
  readonly #rules: readonly Rule[];
  readonly #byColumn: readonly { readonly column: string; readonly rules: readonly Rule[] }[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    const columns = [...new Set(rules.map(({ column }) => column))];
    this.#byColumn = columns.map((column) => ({ column, rules: rules.filter((rule) => rule.column === column) }));
  }

  /** What is wrong, in the order of the rules. */
  check(row: FieldValues, place: IssuePlace): RowIssue[] {
    return this.#allHold(row) ? [] : checkRules(this.#rules, row, place);
  }

  #allHold(row: FieldValues): boolean {
    for (const { column, rules } of this.#byColumn) {
      const value = row[column] ?? null;
      for (const rule of rules)
        if ((value !== null || rule.onEmpty === true) && !rule.test(value ?? '', row)) return false;
    }
    return true;
  }
}

export function checkRules(rules: readonly Rule[], row: FieldValues, place: IssuePlace): RowIssue[] {
  const issues: RowIssue[] = [];
  for (const rule of rules) {
    const value = row[rule.column] ?? null;
    if (value === null && rule.onEmpty !== true) continue;
    if (rule.test(value ?? '', row)) continue;
    const message = sentence(rule.message, { value: value ?? '', column: rule.column });
    issues.push(issueWith(place, rule.code, rule.column, value, message, rule.severity));
  }
  return issues;
}
