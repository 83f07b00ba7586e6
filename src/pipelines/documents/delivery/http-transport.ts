// INGEST_MODE=http: POST /internal/process of an ingest worker, with the shared bearer token. Redirects are not followed.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Transport } from './transport.ts';

const CHECK_MS = 3_000;
const UNAVAILABLE = 503;
const ACCEPTED = 202;

export function createHttpTransport(settings: {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}): Transport {
  const base = settings.url.replace(/\/+$/, '');
  return {
    mode: 'http',
    timeoutMs: settings.timeoutMs,
    async send(payload, signal) {
      try {
        const answer = await fetch(`${base}/internal/process`, {
          method: 'POST',
          headers: { authorization: `Bearer ${settings.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(payload),
          redirect: 'manual',
          signal: AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs)]),
        });
        const text = await answer.text();
        if (answer.status === ACCEPTED) return undefined;
        if (answer.status === UNAVAILABLE && text.includes('worker busy')) return new MillraceError('worker_busy');
        return unavailable(`it answered ${answer.status}`);
      } catch (error) {
        const { name, cause } = error as Error & { cause?: { code?: string } };
        return unavailable(name === 'TimeoutError' ? 'it did not answer in time' : (cause?.code ?? name));
      }
    },
    async check() {
      const answer = await fetch(`${base}/health`, { signal: AbortSignal.timeout(CHECK_MS), redirect: 'manual' });
      if (!answer.ok) throw new Error(`/health answers ${answer.status}`);
    },
    close() {},
  };
}

function unavailable(reason: string): MillraceError {
  return new MillraceError('worker_unavailable', {}, { cause: new Error(reason) });
}
