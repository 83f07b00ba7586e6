// What goes between Millrace and the process of an own processor. Everything is plain data: the other side is another process.
import type { Outcome, ProcessContext, ProcessedItem, ToldRequest } from './processor.ts';

/** What of a context is data. */
export type SentContext = Pick<
  ProcessContext<unknown>,
  'strategy' | 'attempt' | 'idempotencyKey' | 'options' | 'tenantId' | 'jobId'
>;

export interface SentWork {
  readonly item: ProcessedItem;
  readonly context: SentContext;
}

/** To the process. `open`: the processor that it works with, once, before anything else. */
export type ToOwn =
  | { readonly open: string; readonly processor: string }
  | { readonly call: number; readonly work: readonly SentWork[] }
  | { readonly stop: number }
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly fault: string };

/** What a processor may ask for while it works, about one of its calls. */
export type Asked =
  | { readonly what: 'read' }
  | { readonly what: 'query'; readonly read: number; readonly query: readonly unknown[] }
  | { readonly what: 'read-end'; readonly read: number }
  | { readonly what: 'file' }
  | { readonly what: 'open'; readonly start: number; readonly end: number | undefined }
  | { readonly what: 'chunk'; readonly stream: number };

/** From the process. `stopping`: it was told that the time of the call is over, so it has its event loop. */
export type FromOwn =
  | { readonly ready: true }
  | { readonly call: number; readonly stopping: true }
  | { readonly call: number; readonly outcomes: readonly Outcome[] }
  | { readonly call: number; readonly fault: string }
  | { readonly call: number; readonly ask: number; readonly asked: Asked }
  | { readonly call: number; readonly index: number; readonly told: ToldRequest };
