// The one error class. It carries a catalogued code; its sentence is made from the catalogue's template and the parameters.
import { type AnyErrorCode, entryOf } from './catalogue.ts';
import type { ErrorKind } from './entry.ts';

export type ErrorParams = Readonly<Record<string, string | number>>;

export class MillraceError extends Error {
  readonly code: AnyErrorCode;
  readonly kind: ErrorKind;
  readonly status: number;
  readonly next: string;
  readonly params: ErrorParams;
  /** Set by the server that asked us to wait (Retry-After); honoured for `rate_limited` and `transient`. */
  readonly retryAfterMs?: number;

  constructor(code: AnyErrorCode, params: ErrorParams = {}, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    const entry = entryOf(code);
    super(sentence(entry.message, params), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MillraceError';
    this.code = code;
    this.kind = entry.kind;
    this.status = entry.status;
    this.next = sentence(entry.next, params);
    this.params = params;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** For people: what was not given is left open, and no placeholder is ever shown. */
export function sentence(template: string, params: ErrorParams = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => (name in params ? String(params[name]) : '…'));
}

/** A parameter that is not given stays as it is written. */
export function fill(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}
