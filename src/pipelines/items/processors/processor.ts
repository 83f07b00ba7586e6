// What a processor is: the public contract of what is done with an item. A processor says what became of one item at a time and never throws
// what it can say; the engine of slices around it owns claims, retries, pace, time limits and what is stored. Its columns are those of
// the grid and of every export, declared once.
import type { z } from 'zod';
import type { Queryable } from '../../../platform/database.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';

export interface ProcessorColumn {
  /** Its key in the result. */
  readonly name: string;
  readonly title: string;
  /** How an export writes it. */
  readonly type: 'text' | 'number' | 'date';
}

/** An item as a processor sees it, corrections laid over it. */
export interface ProcessedItem {
  readonly id: string;
  readonly rowIndex: number;
  /** By the names of the file's columns. */
  readonly cells: Readonly<Record<string, string>>;
  /** Fields that are recognised whatever the file calls them: sku, gtin, brand, title, price. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface ProcessContext<Options> {
  /** The strategy of this attempt: the first one, and the next after every attempt that found nothing. */
  readonly strategy: string;
  /** From 1. */
  readonly attempt: number;
  /** The same until an answer about this item is stored, also when a worker dies before; hand it to the other side, so that it does nothing twice. */
  readonly idempotencyKey: string;
  /** Aborted when the time of the item is over, or the job is cancelled. */
  readonly signal: AbortSignal;
  readonly options: Options;
  readonly tenantId: string;
  readonly jobId: string;
  /** The job's own file; undefined where it is no longer stored. */
  readonly file: () => Promise<JobFile | undefined>;
  /** Tells of a request, for search_events. */
  readonly tell: (request: ToldRequest) => void;
  /** Reads under the tenant of the job. */
  readonly read: <T>(work: (db: Queryable) => Promise<T>) => Promise<T>;
}

export interface JobFile {
  readonly name: string;
  readonly source: ByteSource;
}

export interface ToldRequest {
  readonly provider: string;
  readonly ms: number;
  readonly outcome: string;
  readonly strategy?: string;
}

export type RetryKind = 'transient' | 'rate_limited' | 'timeout';

export type Outcome =
  | {
      readonly kind: 'found';
      readonly result: Readonly<Record<string, unknown>>;
      readonly answer?: unknown;
      readonly strategy?: string;
    }
  /** `isFinal`: asking again cannot change the answer. */
  | { readonly kind: 'not_found'; readonly isFinal?: boolean; readonly answer?: unknown; readonly detail?: string }
  | { readonly kind: 'skipped'; readonly reason: string; readonly code?: string; readonly answer?: unknown }
  /** For good: the item itself is wrong. */
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string; readonly answer?: unknown }
  | {
      readonly kind: 'retry';
      readonly because: RetryKind;
      readonly code?: string;
      readonly reason: string;
      readonly afterMs?: number;
      readonly answer?: unknown;
      /** The other side was not asked at all: it had said before that it wants to be left alone. */
      readonly isUnasked?: boolean;
    };

export interface ProcessorLimits<Options> {
  /** What shares the pace: as a rule the host that is asked. */
  readonly key?: (options: Options) => string;
  /** Requests per second to one key. */
  readonly perSecond?: number;
  readonly concurrency?: number;
  /** The same where the options say it. */
  readonly perSecondOf?: (options: Options) => number | undefined;
  /** With `processBatch`: items per call. */
  readonly batch?: number;
  readonly batchOf?: (options: Options) => number;
}

export interface Processor<Options = unknown> {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  /** What it may be told with the job. */
  readonly options: z.ZodType<Options>;
  /** What it needs of an item; an item that does not fit is ERROR without an attempt. */
  readonly input?: z.ZodType;
  /** What it may answer; an answer that does not fit is none. */
  readonly output: z.ZodType<Readonly<Record<string, unknown>>>;
  readonly columns: readonly ProcessorColumn[];
  /** Instead, where the options say which columns there are. */
  columnsOf?(options: Options): readonly ProcessorColumn[];
  /** Called once, when a job is submitted: what is stored of the options. Seals secrets; throws to refuse. */
  prepare?(options: Options, jobId: string): Options;
  /** Its items are the images of a job, not rows of a table. */
  readonly takesImages?: boolean;
  readonly strategies: readonly [string, ...string[]];
  readonly limits?: ProcessorLimits<Options>;
  process(item: ProcessedItem, context: ProcessContext<Options>): Promise<Outcome>;
  /** Instead, for many items at once: an outcome for each, in their order. */
  processBatch?(
    work: readonly { readonly item: ProcessedItem; readonly context: ProcessContext<Options> }[],
  ): Promise<readonly Outcome[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds processors of many option types; each is only handed what its own schema parsed.
export type AnyProcessor = Processor<any>;

/** Gives a processor its types and refuses one that cannot work. */
export function defineProcessor<Options>(processor: Processor<Options>): Processor<Options> {
  const { name, version, columns, strategies } = processor;
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name))
    throw new Error(`processor "${name}": a name has small letters, digits, _ and -`);
  if (!(Number.isInteger(version) && version >= 1))
    throw new Error(`processor "${name}": version is a whole number from 1`);
  if (strategies.length === 0) throw new Error(`processor "${name}" needs a strategy`);
  const names = columns.map((column) => column.name);
  if (new Set(names).size !== names.length) throw new Error(`processor "${name}" names a column twice`);
  return processor;
}

export function found(
  result: Readonly<Record<string, unknown>>,
  more: { readonly answer?: unknown; readonly strategy?: string } = {},
): Outcome {
  return { kind: 'found', result, ...more };
}

export function notFound(
  more: { readonly isFinal?: boolean; readonly answer?: unknown; readonly detail?: string } = {},
): Outcome {
  return { kind: 'not_found', ...more };
}

export function skipped(reason: string, more: { readonly code?: string; readonly answer?: unknown } = {}): Outcome {
  return { kind: 'skipped', reason, ...more };
}

export function refused(code: string, reason: string, answer?: unknown): Outcome {
  return { kind: 'refused', code, reason, ...(answer === undefined ? {} : { answer }) };
}

export function retry(
  because: RetryKind,
  reason: string,
  more: {
    readonly code?: string;
    readonly afterMs?: number;
    readonly answer?: unknown;
    readonly isUnasked?: boolean;
  } = {},
): Outcome {
  return { kind: 'retry', because, reason, ...more };
}
