// From the fields of a row to what is staged: the day, the external ids of its level, the measures, the currency. Everything that
// is wrong with the row is said at once; the first fault does not hide the second.
import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import { type IssuePlace, type RowIssue, rowIssue } from '../../tabular/validation/row-issue.ts';
import type { ParsedRow } from '../../tabular/validation/row-parser.ts';
import { type FieldValues, RuleSet } from '../../tabular/validation/rules.ts';
import { type Measure, measures, segmentFields } from './fields.ts';
import { idFromName } from './natural-key.ts';
import { adsRules } from './rules.ts';

/** Something the row names: a campaign, an ad set or an ad. */
export interface Named {
  readonly externalId: string;
  readonly name: string | null;
  /** The file has no id for it. */
  readonly isDerived: boolean;
}

export interface NormalizedRow {
  readonly date: string;
  readonly campaign: Named | null;
  readonly adSet: Named | null;
  readonly ad: Named | null;
  readonly currency: string | null;
  readonly measures: readonly (string | null)[];
  /** What has no column of its own in staging: segments, the account's time zone. Null when there is nothing. */
  readonly rest: Readonly<Record<string, string>> | null;
}

export interface Judged {
  /** Null when an issue is an error. */
  readonly row: NormalizedRow | null;
  readonly issues: readonly RowIssue[];
  /** Also of refused rows, for the control totals: whatever could be read. */
  readonly measures: readonly (string | null)[];
}

interface Level {
  readonly depth: 0 | 1 | 2;
  readonly name: 'campaign' | 'ad set' | 'ad';
  readonly id: string;
  readonly title: string;
}

const levels: readonly Level[] = [
  { depth: 0, name: 'campaign', id: 'campaign_id', title: 'campaign_name' },
  { depth: 1, name: 'ad set', id: 'ad_set_id', title: 'ad_set_name' },
  { depth: 2, name: 'ad', id: 'ad_id', title: 'ad_name' },
];

const MICROS_DIGITS = 6;
const noIssues: readonly RowIssue[] = [];
const rules = new RuleSet(adsRules);

export class Normalizer {
  readonly #hasDay: boolean;
  readonly #levels: readonly Level[];
  readonly #restFields: readonly string[];
  readonly #hasMicros: boolean;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #last: (
    | { readonly id: string | null; readonly parent: string | null; readonly named: Named }
    | undefined
  )[] = [];
  readonly #isPeriod: boolean;
  readonly isSegmented: boolean;

  /** `constants`: fields that every row has without a column. */
  constructor(
    columns: readonly ColumnMapping[],
    constants: Readonly<Record<string, string>> = {},
    { period = false, addRepeated = false }: { readonly period?: boolean; readonly addRepeated?: boolean } = {},
  ) {
    const inColumns = new Set(columns.flatMap(({ field }) => (field === null ? [] : [field])));
    const mapped = new Set([...inColumns, ...Object.keys(constants)]);
    this.#headers = new Map(columns.flatMap(({ field, header }) => (field === null ? [] : [[field, header] as const])));
    this.#hasDay = mapped.has('metric_date');
    this.#levels = levels.filter(({ id, title }) => mapped.has(id) || mapped.has(title));
    this.#isPeriod = period;
    this.#restFields = [...mapped, ...(period ? ['period_end'] : [])].filter(
      (field) => segmentFields.has(field) || field === 'account_time_zone' || field === 'period_end',
    );
    this.#hasMicros = mapped.has('spend_micros') && !mapped.has('spend');
    // What is the same in every row parts nothing.
    this.isSegmented = addRepeated || [...inColumns].some((field) => segmentFields.has(field));
  }

  judge(parsed: ParsedRow, place: IssuePlace): Judged {
    const { values } = parsed;
    if (this.#hasMicros) values.spend = fromMicros(values.spend_micros ?? null);
    if (values.currency != null) values.currency = values.currency.toUpperCase();
    const found: (string | null)[] = [];
    let hasMeasure = false;
    for (const measure of measures) {
      const value = values[measure] ?? null;
      if (value !== null) hasMeasure = true;
      found.push(value);
    }
    const broken = rules.check(values, place);
    // Nearly all rows are in order; they get no list of their own.
    const issues = parsed.issues.length === 0 ? broken : [...this.#thatMatter(parsed.issues), ...broken];
    const complain: Complain = (code, column, value, params = {}) =>
      issues.push(complaint(place, code, column, value, params));

    const date = this.#day(values, issues, complain);
    const named = this.#identify(values, issues, complain);
    if (!hasMeasure && !hasAnyError(issues)) complain('measures_missing', null, null);
    if (issues.length === 0 && date !== null)
      return { row: this.#row(parsed, date, named, found), issues: noIssues, measures: found };
    const shown = issues.map((issue) => this.#underHeader(issue));
    const isRefused = date === null || hasAnyError(issues);
    return { row: isRefused ? null : this.#row(parsed, date, named, found), issues: shown, measures: found };
  }

  /** The range of the report says nothing of a row that has its day: a fault in it refuses no row. */
  #thatMatter(issues: readonly RowIssue[]): RowIssue[] {
    return issues.filter(({ column }) => !(this.#hasDay && (column === 'date_start' || column === 'date_end')));
  }

  #row(
    parsed: ParsedRow,
    date: string,
    named: readonly (Named | null)[],
    found: readonly (string | null)[],
  ): NormalizedRow {
    const [campaign = null, adSet = null, ad = null] = named;
    const currency = parsed.values.currency ?? parsed.currency;
    return { date, campaign, adSet, ad, currency, measures: found, rest: this.#rest(parsed.values) };
  }

  #day(values: Record<string, string | null>, issues: readonly RowIssue[], complain: Complain): string | null {
    if (this.#hasDay) {
      const date = values.metric_date ?? null;
      if (date === null && !hasError(issues, 'metric_date')) complain('day_missing', 'metric_date', null);
      return date;
    }
    const [start, end] = [values.date_start ?? null, values.date_end ?? null];
    if (start !== null && start === end) return start;
    if (hasError(issues, 'date_start') || hasError(issues, 'date_end')) return null;
    if (this.#isPeriod && start !== null && end !== null && start < end) {
      values.period_end = end;
      return start;
    }
    if (start === null && end === null) complain('day_missing', 'date_start', null);
    else complain('row_not_daily', 'date_start', `${start ?? '?'} to ${end ?? '?'}`);
    return null;
  }

  /** The levels the file has, from the top. A level the file has and the row leaves empty is a fault: it would be counted twice. */
  #identify(values: FieldValues, issues: readonly RowIssue[], complain: Complain): (Named | null)[] {
    const found: (Named | null)[] = [null, null, null];
    let parent: string | null = null;
    for (const level of this.#levels) {
      const id = values[level.id] ?? null;
      const name = values[level.title] ?? null;
      if (id === null && hasError(issues, level.id)) continue;
      if (id === null && name === null) {
        const column = this.#headers.has(level.id) ? level.id : level.title;
        complain('identity_missing', column, null, { level: level.name });
        continue;
      }
      const named = this.#named(level.depth, id, name, parent);
      found[level.depth] = named;
      parent = named.externalId;
    }
    return found;
  }

  /** Mostly that of the row before: exports are sorted, and an id made of a name is a hash. */
  #named(depth: Level['depth'], id: string | null, name: string | null, parent: string | null): Named {
    const last = this.#last[depth];
    if (last !== undefined && last.id === id && last.named.name === name && last.parent === parent) return last.named;
    const named = { externalId: id ?? idFromName(name ?? '', parent), name, isDerived: id === null };
    this.#last[depth] = { id, parent, named };
    return named;
  }

  #rest(values: FieldValues): Record<string, string> | null {
    let rest: Record<string, string> | null = null;
    for (const field of this.#restFields) {
      const value = values[field];
      if (value == null) continue;
      rest ??= {};
      rest[field] = value;
    }
    return rest;
  }

  /** Fields are ours; a person looks for the column by the name it has in the file. */
  #underHeader(issue: RowIssue): RowIssue {
    const header = issue.column === null ? undefined : this.#headers.get(issue.column);
    return header === undefined ? issue : { ...issue, column: header };
  }
}

type Complain = (code: ErrorCode, column: string | null, value: string | null, params?: Record<string, string>) => void;

function complaint(
  place: IssuePlace,
  code: ErrorCode,
  column: string | null,
  value: string | null,
  params: Record<string, string>,
): RowIssue {
  return rowIssue(place, code, column, value, 'error', params);
}

function hasError(issues: readonly RowIssue[], field: string): boolean {
  return issues.some(({ column, severity }) => column === field && severity === 'error');
}

function hasAnyError(issues: readonly RowIssue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** Millionths of a currency unit as a decimal. */
export function fromMicros(micros: string | null): string | null {
  if (micros === null) return null;
  const isNegative = micros.startsWith('-');
  const [whole = '', fraction = ''] = micros.replace('-', '').split('.');
  const padded = whole.padStart(MICROS_DIGITS + 1, '0');
  const decimals = `${padded.slice(-MICROS_DIGITS)}${fraction}`.replace(/0+$/, '');
  const units = padded.slice(0, -MICROS_DIGITS);
  return `${isNegative ? '-' : ''}${units}${decimals === '' ? '' : `.${decimals}`}`;
}

/** The day, or the first and the last day of a period: what a number is of. */
export function daysOf({ date, rest }: Pick<NormalizedRow, 'date' | 'rest'>): string {
  const end = rest?.period_end;
  return end === undefined ? date : `${date}/${end}`;
}

/** Position of a measure in `NormalizedRow.measures`. */
export function measureIndex(measure: Measure): number {
  return measures.indexOf(measure);
}
