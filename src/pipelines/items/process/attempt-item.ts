// One attempt at one item, or at many at once: the processor is asked within its pace and its time, and whatever it does becomes an outcome. It may
// throw, hang or answer nonsense; none of that reaches the slice.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Decision } from '../../../engine/adaptive.ts';
import type { Queryable } from '../../../platform/database.ts';
import { translateDatabaseError } from '../../../platform/database-errors.ts';
import { partsOnDemand } from '../../../platform/parts-on-demand.ts';
import { countRequest } from '../metrics.ts';
import { UnknownCulprit, worksElsewhere } from '../processors/alone.ts';
import {
  type AnyProcessor,
  type JobFile,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  refused,
  retry,
} from '../processors/processor.ts';
import { type FieldFinder, fieldsNow } from '../reading.ts';
import type { ClaimedItem } from '../sql/claim-items.ts';
import type { RequestRow } from '../sql/write-results.ts';
import { type CheckedOutcome, checkedOutcome, checkedRequest, clean, nonsense } from './checked-outcome.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { Pace } from './pace.ts';
import { strategyOf } from './retry-rules.ts';
import type { TimeLimit, TimeLimits } from './time-limits.ts';

export interface AttemptDeps {
  readonly processor: AnyProcessor;
  readonly options: unknown;
  readonly tenantId: string;
  readonly jobId: string;
  readonly fields: FieldFinder;
  readonly pace: Pace;
  readonly timeoutMs: number;
  readonly limits: TimeLimits;
  readonly signal: AbortSignal;
  readonly read: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;
  readonly onDecision: (decision: Decision) => void;
  readonly file: () => Promise<JobFile | undefined>;
}

export interface Attempted {
  readonly claimed: ClaimedItem;
  readonly outcome: CheckedOutcome;
  readonly strategy: string;
  readonly ms: number;
  readonly requests: readonly RequestRow[];
}

const LONG_MS = 1_000;
/** Requests of one attempt that are kept; the record shows no more of an item. */
const MOST_TOLD = 500;

/** One item, for processors that take one at a time. Quick ones take thousands a second: nothing is made here that one item does not need. */
export async function attemptItem(claimed: ClaimedItem, deps: AttemptDeps): Promise<Attempted> {
  const limit = deps.limits.begin();
  const requests: RequestRow[] = [];
  const item = shownItem(claimed, deps.fields);
  const strategy = strategyOf(deps.processor.strategies, claimed.not_founds);
  const work = { item, context: contextOf({ item: claimed, deps, strategy, limit, told: requests }) };
  let outcome: CheckedOutcome | undefined = unfitness(deps.processor, item);
  try {
    outcome ??= (await answersOf([work], deps, limit))[0];
  } catch (error) {
    return attemptAlone(error, deps, (alone) => attemptItem(claimed, alone));
  } finally {
    limit.stop();
  }
  return {
    claimed,
    outcome: outcome ?? nonsense('it gave no outcome for this item'),
    strategy,
    ms: limit.takenMs(),
    requests,
  };
}

/** Many in one call of the processor. */
export async function attemptItems(claimed: readonly ClaimedItem[], deps: AttemptDeps): Promise<Attempted[]> {
  const limit = deps.limits.begin();
  const tried = claimed.map((item) => {
    const requests: RequestRow[] = [];
    const shown = shownItem(item, deps.fields);
    const strategy = strategyOf(deps.processor.strategies, item.not_founds);
    const work = { item: shown, context: contextOf({ item, deps, strategy, limit, told: requests }) };
    return { item, requests, strategy, outcome: unfitness(deps.processor, shown), work };
  });
  const ready = tried.filter(({ outcome }) => outcome === undefined).map(({ work }) => work);
  let answers: CheckedOutcome[] = [];
  try {
    if (ready.length > 0) answers = await answersOf(ready, deps, limit);
  } catch (error) {
    const each = claimed.map((one) => attemptAlone(error, deps, (alone) => attemptItems([one], alone)));
    return (await Promise.all(each)).flat();
  } finally {
    limit.stop();
  }
  const ms = limit.takenMs() / Math.max(1, ready.length);
  let next = 0;
  return tried.map(({ item, requests, strategy, outcome }) => {
    const answered = outcome ?? answers[next++] ?? nonsense('it gave no outcome for this item');
    return { claimed: item, outcome: answered, strategy, ms, requests };
  });
}

/** Its process ended, and nobody knows because of which row. */
function attemptAlone<T>(error: unknown, deps: AttemptDeps, attempt: (alone: AttemptDeps) => Promise<T>): Promise<T> {
  const alone = worksElsewhere(deps.processor) ? deps.processor.alone : undefined;
  if (!(error instanceof UnknownCulprit) || alone === undefined) throw error;
  return alone(deps.jobId, deps.signal, (processor) => attempt({ ...deps, processor }));
}

/** Undefined: the processor can be asked. */
function unfitness(processor: AnyProcessor, { cells }: ProcessedItem): Outcome | undefined {
  const fit = processor.input?.safeParse(cells);
  if (fit === undefined || fit.success) return undefined;
  return refused('processor_options_invalid', clean(fit.error.issues.map(({ message }) => message).join('; ')));
}

async function answersOf(
  work: readonly { item: ProcessedItem; context: ProcessContext<unknown> }[],
  { processor, pace, timeoutMs, onDecision, options, tenantId, signal: outer }: AttemptDeps,
  limit: TimeLimit,
): Promise<CheckedOutcome[]> {
  // Items do not wait here for a host that wants to be left alone for long.
  const closedForMs = pace.closedForMs();
  if (closedForMs > LONG_MS)
    return work.map(() =>
      retry('rate_limited', clean(`Not asked yet, because of the answer to another row: ${pace.why}`), {
        afterMs: closedForMs,
        isUnasked: true,
      }),
    );
  const provider = processor.limits?.key?.(options) ?? processor.name;
  try {
    const ask = () => {
      limit.start();
      return asked(processor, work, limit, outer);
    };
    const answers = await pace.run(
      outer,
      worksElsewhere(processor) ? () => processor.ready(work[0]?.context.jobId ?? '').then(ask) : ask,
    );
    if (answers.length !== work.length)
      return work.map(() => nonsense(`it gave ${answers.length} outcomes for ${work.length} items`));
    const checked = answers.map((answer) => checkedOutcome(processor, answer));
    const refusal = checked.find((each) => each.kind === 'retry');
    countRequest(tenantId, provider, refusal?.kind === 'retry' && refusal.because === 'rate_limited');
    if (refusal?.kind === 'retry') pace.slowDown(refusal.reason, refusal.afterMs, onDecision);
    else pace.answeredWell(onDecision);
    return checked;
  } catch (error) {
    if (outer.aborted) throw outer.reason;
    if (error instanceof UnknownCulprit) throw error;
    return work.map(() => outcomeOfThrow(error, limit.isOver, timeoutMs));
  }
}

/** Whatever the processor does, it is over when its time is; where others may be the reason, when that is known. */
function asked(
  processor: AnyProcessor,
  work: readonly { item: ProcessedItem; context: ProcessContext<unknown> }[],
  limit: TimeLimit,
  outer: AbortSignal,
): Promise<readonly Outcome[]> {
  const answer = async () => {
    if (processor.processBatch !== undefined) return processor.processBatch(work);
    const [only] = work;
    return only === undefined ? [] : [await processor.process(only.item, only.context)];
  };
  return new Promise((resolve, reject) => {
    limit.onOver = (reason) => {
      if (outer.aborted || !worksElsewhere(processor)) reject(reason);
    };
    answer().then(resolve, reject);
  });
}

function outcomeOfThrow(error: unknown, isLate: boolean, timeoutMs: number): Outcome {
  if (isLate) {
    const late = new MillraceError('item_timeout', { ms: timeoutMs });
    return retry('timeout', late.message, { code: late.code });
  }
  const ours = translateDatabaseError(error);
  // The database is away: not the item's fault, and the slice will find out itself.
  if (
    ours instanceof MillraceError &&
    (ours.kind === 'lost' || ours.code === 'lease_lost' || ours.code.startsWith('database_'))
  )
    throw ours;
  const failed = new MillraceError('processor_failed', {
    reason: clean(error instanceof Error ? error.message : error),
  });
  return retry('transient', failed.message, { code: failed.code });
}

/** Of what the context of an attempt is made. */
interface ContextSource {
  readonly item: ClaimedItem;
  readonly deps: AttemptDeps;
  readonly strategy: string;
  readonly limit: TimeLimit;
  readonly told: RequestRow[];
}

const contextOf = partsOnDemand<ProcessContext<unknown>, ContextSource>({
  strategy: ({ strategy }) => strategy,
  attempt: ({ item }) => item.attempts,
  idempotencyKey: ({ item, deps }) => idempotencyKey(deps.jobId, item),
  signal: ({ limit }) => limit.signal,
  options: ({ deps }) => deps.options,
  tenantId: ({ deps }) => deps.tenantId,
  jobId: ({ deps }) => deps.jobId,
  tell:
    ({ item, strategy, told }) =>
    (request) => {
      if (told.length < MOST_TOLD) told.push(checkedRequest(item.id, strategy, request));
    },
  read: ({ deps }) => deps.read,
  file: ({ deps }) => deps.file,
});

/** With the corrections of people laid over it. */
function shownItem(item: ClaimedItem, finder: FieldFinder): ProcessedItem {
  const { id, row_index: rowIndex, input_json: input, corrections } = item;
  const cells = corrections === null ? (input ?? {}) : { ...input, ...corrections };
  return { id, rowIndex, cells, fields: fieldsNow(item, finder) ?? {} };
}
