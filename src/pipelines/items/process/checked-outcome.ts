// What a processor answered, as it can be stored. One answer must not spoil the commit of all the others of its slice: whatever the database would refuse is cut, cleaned or
// taken for nonsense here.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { storableJson, storableText } from '../../../platform/storable-text.ts';
import { type AnyProcessor, type Outcome, type RetryKind, refused, type ToldRequest } from '../processors/processor.ts';
import type { RequestRow } from '../sql/write-results.ts';

const MAX_DETAIL = 500;
const MAX_WORD = 200;
const MAX_RESULT_BYTES = 1_048_576;
/** Lists and objects in each other; the server takes a few thousand. */
const MAX_DEPTH = 500;
const LONGEST_WAIT_MS = 30 * 86_400_000;
const LONGEST_REQUEST_MS = 86_400_000;

type Given = Readonly<Record<string, unknown>>;
type Checks = { readonly [Kind in Outcome['kind']]: (given: Given, processor: AnyProcessor) => CheckedOutcome };

/** `bytes`: of the JSON that is kept of it, about; left out where there is none. */
export type CheckedOutcome = Outcome & { readonly bytes?: number };

const retryKinds: readonly RetryKind[] = ['transient', 'rate_limited', 'timeout'];

const checks: Checks = {
  found({ result, answer, strategy }, processor) {
    const parsed = processor.output.safeParse(result);
    if (!parsed.success)
      return nonsense(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    const stored = storable(parsed.data);
    if (stored === undefined) return nonsense('its result cannot be stored');
    const beside = storable(answer);
    const bytes = stored.bytes + (beside?.bytes ?? 0);
    const kept = { kind: 'found', result: stored.value as Given, answer: beside?.value ?? null, bytes } as const;
    return strategy === undefined ? kept : { ...kept, strategy: word(strategy) };
  },
  not_found: ({ isFinal, answer, detail }) => ({
    kind: 'not_found',
    isFinal: isFinal === true,
    ...answered(answer),
    ...(detail === undefined ? {} : { detail: clean(detail) }),
  }),
  skipped({ reason, code, answer }) {
    if (typeof reason !== 'string') return nonsense('it gave no reason');
    return { kind: 'skipped', reason: clean(reason), ...coded(code), ...answered(answer) };
  },
  refused({ reason, code, answer }) {
    if (typeof reason !== 'string' || typeof code !== 'string') return nonsense('it gave no code or no reason');
    return { kind: 'refused', code: word(code), reason: clean(reason), ...answered(answer) };
  },
  retry({ because, reason, code, afterMs, answer, isUnasked }) {
    if (typeof reason !== 'string') return nonsense('it gave no reason');
    if (!retryKinds.includes(because as RetryKind)) return nonsense(`it is to be retried because of ${word(because)}`);
    const after = typeof afterMs === 'number' && afterMs >= 0 ? { afterMs: Math.min(LONGEST_WAIT_MS, afterMs) } : {};
    const kind = { kind: 'retry', because: because as RetryKind, reason: clean(reason) } as const;
    return { ...kind, ...coded(code), ...after, ...answered(answer), isUnasked: isUnasked === true };
  },
};

export function checkedOutcome(processor: AnyProcessor, outcome: Outcome): CheckedOutcome {
  if (typeof outcome !== 'object' || outcome === null || !Object.hasOwn(checks, outcome.kind))
    return nonsense('it is not an outcome');
  return checks[outcome.kind](outcome, processor);
}

export function nonsense(reason: string): Outcome {
  const error = new MillraceError('processor_answer_invalid', { reason: clean(reason) });
  return refused(error.code, error.message);
}

/** What it told of a request it made for the item. */
export function checkedRequest(item: string, strategy: string, told: ToldRequest): RequestRow {
  const ms = Math.round(Number(told.ms));
  return {
    item,
    strategy: word(told.strategy ?? strategy),
    provider: word(told.provider),
    ms: Number.isFinite(ms) ? Math.min(LONGEST_REQUEST_MS, Math.max(0, ms)) : 0,
    outcome: word(told.outcome),
  };
}

export function clean(text: unknown, most = MAX_DETAIL): string {
  return storableText(textOf(text).slice(0, most));
}

/** Not everything has a text: what has none is told by its kind. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}

const word = (text: unknown) => clean(text, MAX_WORD);
const coded = (code: unknown) => (code === undefined ? {} : { code: word(code) });

function answered(answer: unknown): { answer?: unknown; bytes?: number } {
  if (answer === undefined) return {};
  const kept = storable(answer);
  return kept === undefined ? { answer: null } : { answer: kept.value, bytes: kept.bytes };
}

/** Undefined: the database cannot hold it. */
function storable(value: unknown): { readonly value: unknown; readonly bytes: number } | undefined {
  if (value === undefined) return undefined;
  try {
    const json = storableJson(value);
    if (json === undefined || json.length > MAX_RESULT_BYTES || isTooDeep(json)) return undefined;
    return { value: JSON.parse(json), bytes: json.length };
  } catch {
    return undefined;
  }
}

function isTooDeep(json: string): boolean {
  if (json.length < MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0, isText = false; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') isText = !isText;
    else if (isText) at += sign === '\\' ? 1 : 0;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
