// How a fake Airbyte misbehaves. Every probability is between 0 and 1; all are 0 unless a test turns them up.

export interface Knobs {
  /** 401 invalid-api-key although the token is good. */
  readonly unauthorized: number;
  /** 403 forbidden. */
  readonly forbidden: number;
  /** 409 try-again-later on create although nothing runs. */
  readonly busy: number;
  /** 429 with a plain message body. */
  readonly rateLimited: number;
  /** Sent with a 429 as a proxy would: seconds, or "date" for an HTTP date a minute ahead. Left out: no header, as Airbyte does. */
  readonly retryAfter?: number | 'date';
  /** 500 unexpected-problem, 502 and 503. */
  readonly serverError: number;
  /** Takes the request and never answers. */
  readonly hang: number;
  /** Answers after slowMs. */
  readonly slow: number;
  readonly slowMs: number;
  /** A page of HTML from a proxy, with status 502 or 200. */
  readonly htmlPage: number;
  /** The connection is cut instead of an answer. */
  readonly reset: number;
  /** How often a lost answer (hang, reset, serverError, htmlPage) had its effect nevertheless. */
  readonly effectBeforeLoss: number;
  /** How far Airbyte's clock is from ours. */
  readonly clockSkewMs: number;
}

export const calm: Knobs = {
  unauthorized: 0,
  forbidden: 0,
  busy: 0,
  rateLimited: 0,
  serverError: 0,
  hang: 0,
  slow: 0,
  slowMs: 200,
  htmlPage: 0,
  reset: 0,
  effectBeforeLoss: 0.5,
  clockSkewMs: 0,
};
