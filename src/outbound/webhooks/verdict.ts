// Maps an answer to the fate of its delivery, as a table. Everything but 2xx failed; a redirect is never followed.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { GuardedAnswer } from '../guarded-request.ts';

/**
 * delivered: 2xx · gone: 410, the endpoint is switched off at once · later: asked to slow down, costs no try ·
 * refused: any other answer, or none
 */
export interface Verdict {
  readonly kind: 'delivered' | 'gone' | 'later' | 'refused';
  readonly error: MillraceError | null;
  readonly status: number | null;
  /** The receiver asked for at least this much time. */
  readonly waitMs: number;
}

export function judgeAnswer(endpointId: string, { status, retryAfterMs }: GuardedAnswer): Verdict {
  const params = { endpoint: endpointId, status };
  const waitMs = retryAfterMs ?? 0;
  if (status >= 200 && status < 300) return { kind: 'delivered', error: null, status, waitMs: 0 };
  if (status === 410) return { kind: 'gone', error: new MillraceError('webhook_gone', params), status, waitMs: 0 };
  if ((status === 429 || status === 503) && retryAfterMs !== undefined)
    return { kind: 'later', error: new MillraceError('webhook_rate_limited', params), status, waitMs };
  const code = status >= 300 && status < 400 ? 'webhook_redirected' : 'webhook_refused';
  return { kind: 'refused', error: new MillraceError(code, params), status, waitMs };
}

export function judgeFailure(error: unknown): Verdict {
  const known = error instanceof MillraceError ? error : new MillraceError('internal', {}, { cause: error });
  return { kind: 'refused', error: known, status: null, waitMs: 0 };
}
