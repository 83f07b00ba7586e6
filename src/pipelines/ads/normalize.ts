// From the fields of a row to what is staged: the day, the external ids of its level, the measures, the currency. Everything that
// is wrong with the row is said at once; the first fault does not hide the second.
import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import type { ColumnMapping } from '../../tabular/mapping/mapping.ts';
import { type IssuePlace, issueWith, type RowIssue, rowIssue } from '../../tabular/validation/row-issue.ts';
import type { ParsedRow } from '../../tabular/validation/row-parser.ts';
import { checkRules, type FieldValues } from '../../tabular/validation/rules.ts';
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
  readonly name: 'campaign' | 'ad set' | 'ad';
  readonly id: string;
  readonly title: string;
}

const levels: readonly Level[] = [
  { name: 'campaign', id: 'campaign_id', title: 'campaign_name' },
  { name: 'ad set', id: 'ad_set_id', title: 'ad_set_name' },
  { name: 'ad', id: 'ad_id', title: 'ad_name' },
];

const MICROS_DIGITS = 6;
const noIssues: readonly RowIssue[] = [];

export class Normalizer {
  readonly #hasDay: boolean;
  readonly #levels: readonly Level[];
  readonly #restFields: readonly string[];
  readonly #hasMicros: boolean;
  readonly #headers: ReadonlyMap<string, string>;
  readonly isSegmented: boolean;

  constructor(columns: readonly ColumnMapping[]) {
    const mapped = new Set(columns.flatMap(({ field }) => (field === null ? [] : [field])));
    this.#headers = new Map(columns.flatMap(({ field, header }) => (field === null ? [] : [[field, header] as const])));
    this.#hasDay = mapped.has('metric_date');
    this.#levels = levels.filter(({ id, title }) => mapped.has(id) || mapped.has(title));
    this.#restFields = [...mapped].filter((field) => segmentFields.has(field) || field === 'account_time_zone');
    this.#hasMicros = mapped.has('spend_micros') && !mapped.has('spend');
    this.isSegmented = [...mapped].some((field) => segmentFields.has(field));
  }

  judge(parsed: ParsedRow, placeOf: () => IssuePlace): Judged {
    const { values } = parsed;
    if (this.#hasMicros) values.spend = fromMicros(values.spend_micros ?? null);
    const currency = values.currency?.toUpperCase() ?? parsed.currency;
    if (values.currency != null) values.currency = values.currency.toUpperCase();
    const found = measures.map((measure) => values[measure] ?? null);
    const issues = [...parsed.issues, ...checkRules(adsRules, values, lazyPlace(placeOf))];
    const complain = (
      code: ErrorCode,
      column: string | null,
      value: string | null,
      params: Record<string, string> = {},
    ) => issues.push(complaint(placeOf(), code, column, value, params));

    const date = this.#day(values, issues, complain);
    const named = this.#identify(values, issues, complain);
    if (found.every((value) => value === null) && issues.every(({ severity }) => severity !== 'error'))
      complain('measures_missing', null, null);
    const isRefused = issues.some(({ severity }) => severity === 'error');
    const shown = issues.length === 0 ? noIssues : issues.map((issue) => this.#underHeader(issue));
    if (isRefused || date === null) return { row: null, issues: shown, measures: found };
    const [campaign = null, adSet = null, ad = null] = named;
    const row = { date, campaign, adSet, ad, currency: currency ?? null, measures: found, rest: this.#rest(values) };
    return { row, issues: shown, measures: found };
  }

  #day(values: FieldValues, issues: readonly RowIssue[], complain: Complain): string | null {
    if (this.#hasDay) {
      const date = values.metric_date ?? null;
      if (date === null && !hasError(issues, 'metric_date')) complain('day_missing', 'metric_date', null);
      return date;
    }
    const [start, end] = [values.date_start ?? null, values.date_end ?? null];
    if (start !== null && start === end) return start;
    if (hasError(issues, 'date_start') || hasError(issues, 'date_end')) return null;
    if (start === null && end === null) complain('day_missing', 'date_start', null);
    else complain('row_not_daily', 'date_start', `${start ?? '?'} to ${end ?? '?'}`);
    return null;
  }

  /** The levels the file has, from the top. A level the file has and the row leaves empty is a fault: it would be counted twice. */
  #identify(values: FieldValues, issues: readonly RowIssue[], complain: Complain): (Named | null)[] {
    const found = new Map<Level['name'], Named>();
    let parent: string | null = null;
    for (const level of this.#levels) {
      const id = values[level.id] ?? null;
      const name = values[level.title] ?? null;
      if (id === null && name === null) {
        if (!hasError(issues, level.id))
          complain('identity_missing', this.#headers.has(level.id) ? level.id : level.title, null, {
            level: level.name,
          });
        continue;
      }
      if (id === null && hasError(issues, level.id)) continue;
      const named: Named = { externalId: id ?? idFromName(name ?? '', parent), name, isDerived: id === null };
      found.set(level.name, named);
      parent = named.externalId;
    }
    return levels.map(({ name }) => found.get(name) ?? null);
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
  const plain = rowIssue(place, code, column, value);
  const message = plain.message.replace(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole);
  return issueWith(place, code, column, value, message, 'error');
}

function hasError(issues: readonly RowIssue[], field: string): boolean {
  return issues.some(({ column, severity }) => column === field && severity === 'error');
}

/** Line and offset are looked up only for rows that have something to complain about. */
function lazyPlace(placeOf: () => IssuePlace): IssuePlace {
  return {
    get line() {
      return placeOf().line;
    },
    get offset() {
      return placeOf().offset;
    },
  };
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

/** Position of a measure in `NormalizedRow.measures`. */
export function measureIndex(measure: Measure): number {
  return measures.indexOf(measure);
}
