// What an S3 service says of a listing or an object, in the words of sources: by its error name first, then by status, then as a network fault.
import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { s3Reason } from '../../platform/blob/s3-errors.ts';
import { askedWaitMs } from '../../platform/retry-after.ts';

const ofPlace: Readonly<Record<string, ErrorCode>> = {
  AccessDenied: 'source_denied',
  InvalidAccessKeyId: 'source_denied',
  SignatureDoesNotMatch: 'source_denied',
  ExpiredToken: 'source_denied',
  InvalidToken: 'source_denied',
  CredentialsProviderError: 'source_denied',
  AuthorizationHeaderMalformed: 'source_denied',
  Forbidden: 'source_denied',
  RequestTimeTooSkewed: 'source_clock_skewed',
  NoSuchBucket: 'source_place_gone',
  QueueDoesNotExist: 'source_place_gone',
  'AWS.SimpleQueueService.NonExistentQueue': 'source_place_gone',
  PermanentRedirect: 'source_place_gone',
  SlowDown: 'source_throttled',
  Throttling: 'source_throttled',
  ThrottlingException: 'source_throttled',
  TooManyRequestsException: 'source_throttled',
  RequestLimitExceeded: 'source_throttled',
};

const ofObject: Readonly<Record<string, ErrorCode>> = {
  AccessDenied: 'source_object_denied',
  Forbidden: 'source_object_denied',
  InvalidObjectState: 'source_object_denied',
  NoSuchKey: 'source_object_gone',
  NotFound: 'source_object_gone',
  PreconditionFailed: 'source_file_changing',
};

const byStatus: Readonly<Record<number, ErrorCode>> = {
  // Nowhere is followed: the place is where the source says, or it is not there.
  301: 'source_place_gone',
  302: 'source_place_gone',
  307: 'source_place_gone',
  308: 'source_place_gone',
  401: 'source_denied',
  403: 'source_denied',
  404: 'source_place_gone',
  429: 'source_throttled',
};

const objectByStatus: Readonly<Record<number, ErrorCode>> = {
  403: 'source_object_denied',
  404: 'source_object_gone',
  412: 'source_file_changing',
};

/** `key`: asked about one object; left out: about the whole place. */
export function s3Fault(error: unknown, signal: AbortSignal, key?: string): unknown {
  if (!(error instanceof Error) || error instanceof MillraceError) return error;
  if (signal.aborted) return signal.reason ?? error;
  const { $metadata, $response, cause } = error as {
    $metadata?: { httpStatusCode?: number };
    $response?: { headers?: Record<string, string> };
    cause?: unknown;
  };
  // A guard inside the connection has spoken: it is heard through whatever wraps it.
  if (cause instanceof MillraceError) return cause;
  const status = $metadata?.httpStatusCode;
  const own = key === undefined ? undefined : (ofObject[error.name] ?? objectByStatus[status ?? 0]);
  const code = own ?? ofPlace[error.name] ?? byStatus[status ?? 0] ?? 'source_unreachable';
  const waitMs = askedWaitMs($response?.headers ?? {});
  return new MillraceError(
    code,
    { reason: s3Reason(error, status), name: key?.split('/').at(-1) ?? '' },
    { cause: error, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
  );
}
