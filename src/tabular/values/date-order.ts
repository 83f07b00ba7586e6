// Which order the dates of a column are written in, from all values seen. A day above 12 proves it; when none occurs, or when dates of both
// orders do, the column is ambiguous, and that is said; with none, together with the order under which the days form a dense run, if only
// one does.
import { type Decision, decided } from '../decision.ts';
import { type DateOrder, parseDate } from './parse-date.ts';

export interface DateOrderDecision extends Decision<DateOrder> {
  /** True when no value proves the order, or values prove both. */
  readonly isAmbiguous: boolean;
}

const NUMERIC = /^(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})\b/;
const SERIAL = /^[3-6]\d{4}(?:\.\d+)?$/;
const DAY_MS = 86_400_000;
/** One date in so many that has the other order is a mistake, refused by itself. */
const MISTAKES = 20;

export function decideDateOrder(values: Iterable<string>): DateOrderDecision | null {
  const seen = { dmy: 0, mdy: 0, either: 0, other: 0, serial: 0, none: 0 };
  const undecided = new Set<string>();
  for (const value of values) {
    const text = value.trim();
    if (text === '') continue;
    const numeric = NUMERIC.exec(text);
    if (numeric !== null) {
      const [first, second] = [Number(numeric[1]), Number(numeric[3])];
      if (second <= 12 && (first > 12 || numeric[2] === '.')) seen.dmy++;
      else if (second > 12 && first <= 12) seen.mdy++;
      else if (first !== second && first <= 12 && second <= 12) {
        seen.either++;
        if (undecided.size < 400) undecided.add(text);
      }
    } else if (parseDate(text, 'unknown').kind === 'value') seen.other++;
    else if (SERIAL.test(text)) seen.serial++;
    else seen.none++;
  }
  return decide(seen, undecided);
}

function decide(
  seen: { dmy: number; mdy: number; either: number; other: number; serial: number },
  undecided: ReadonlySet<string>,
): DateOrderDecision | null {
  if (seen.dmy > 0 && seen.mdy > 0) {
    const order = seen.dmy >= seen.mdy ? 'dmy' : 'mdy';
    const reason = `${seen.dmy} dates have the day first, ${seen.mdy} the month first`;
    const isMixed = Math.min(seen.dmy, seen.mdy) * MISTAKES > Math.max(seen.dmy, seen.mdy);
    // Of a date that fits both orders nobody can say which one is meant; those that fit one are read by it.
    return isMixed ? { ...decided('unknown', 'guess', reason), isAmbiguous: true } : sure(order, 'guess', reason);
  }
  if (seen.dmy > 0) return sure('dmy', 'exact', `${seen.dmy} dates can only have the day first`);
  if (seen.mdy > 0) return sure('mdy', 'exact', `${seen.mdy} dates can only have the month first`);
  if (seen.either > 0) return byDensity(undecided);
  if (seen.other > 0) return sure('ymd', 'exact', 'the year comes first or the month is a word');
  if (seen.serial > 0) return sure('serial', 'likely', 'the values are day numbers as spreadsheets count them');
  return null;
}

function sure(order: DateOrder, confidence: Decision<DateOrder>['confidence'], reason: string): DateOrderDecision {
  return { ...decided(order, confidence, reason), isAmbiguous: false };
}

/** Reports cover runs of days. If one reading gives such a run and the other days scattered over months, it is the better guess. */
function byDensity(values: ReadonlySet<string>): DateOrderDecision {
  const [dayFirst, monthFirst] = [spread(values, 'dmy'), spread(values, 'mdy')];
  const example = [...values][0] ?? '';
  if (values.size >= 3 && dayFirst <= 1.5 && monthFirst >= 10) {
    return {
      ...decided('dmy', 'guess', `read with the day first, "${example}" and the others are a run of days`),
      isAmbiguous: true,
    };
  }
  if (values.size >= 3 && monthFirst <= 1.5 && dayFirst >= 10) {
    return {
      ...decided('mdy', 'guess', `read with the month first, "${example}" and the others are a run of days`),
      isAmbiguous: true,
    };
  }
  const reason = `"${example}" can be day/month or month/day, and so can all others`;
  return { ...decided('unknown', 'guess', reason), isAmbiguous: true };
}

/** Days covered per distinct date: 1 for an unbroken run. */
function spread(values: ReadonlySet<string>, order: DateOrder): number {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    const parsed = parseDate(value, order);
    if (parsed.kind !== 'value') continue;
    const time = Date.parse(parsed.value);
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  return ((last - first) / DAY_MS + 1) / values.size;
}
