// The error shapes of the Airbyte API, as its servers send them.

export interface FakeAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ok(body: string): FakeAnswer {
  return { status: 200, body };
}

export function problem(status: number, type: string, title: string, extra: object = {}): FakeAnswer {
  const body = { status, type: `https://reference.airbyte.com/reference/errors#${type}`, title, ...extra };
  return { status, body: JSON.stringify(body), headers: { 'content-type': 'application/problem+json' } };
}

export const unauthorized = () =>
  problem(401, 'invalid-api-key', 'invalid-api-key', { detail: 'The API key is not valid.' });
export const forbidden = () =>
  problem(403, 'forbidden', 'forbidden', { detail: 'The application has no access to this resource.' });
export const notFound = (resourceId: string) =>
  problem(404, 'resource-not-found', 'resource-not-found', {
    detail: 'Could not find a resource.',
    data: { resourceId },
  });
export const busy = (connectionId: string) =>
  problem(409, 'try-again-later', 'try-again-later', {
    data: { message: `A sync is already running for: ${connectionId}` },
  });
export const stateConflict = () =>
  problem(409, 'state-conflict', 'state-conflict', { detail: 'Job is not currently running' });
export const unprocessable = (detail: string) =>
  problem(422, 'unprocessable-entity', 'unprocessable-entity', { detail });
export const unexpected = (status = 500) =>
  problem(status, 'unexpected-problem', 'unexpected-problem', { detail: 'Something broke.' });

/** Load shedding: not a problem object, and no Retry-After unless a proxy adds one. */
export function shedding(retryAfter: number | 'date' | undefined, nowMs: number): FakeAnswer {
  const value = retryAfter === 'date' ? new Date(nowMs + 60_000).toUTCString() : retryAfter?.toString();
  return {
    status: 429,
    body: JSON.stringify({ message: 'Too many requests' }),
    ...(value === undefined ? {} : { headers: { 'retry-after': value } }),
  };
}

export function htmlPage(status: number): FakeAnswer {
  return {
    status,
    body: '<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>',
    headers: { 'content-type': 'text/html' },
  };
}
