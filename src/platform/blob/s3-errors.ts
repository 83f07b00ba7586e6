// Translates errors of an S3 service into ours: by its error name first, then by HTTP status, then as a network fault.
import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const byName: Readonly<Record<string, ErrorCode>> = {
  NoSuchKey: 'blob_missing',
  NotFound: 'blob_missing',
  PreconditionFailed: 'blob_exists',
  NoSuchBucket: 'blob_store_refused',
  AccessDenied: 'blob_store_refused',
  InvalidAccessKeyId: 'blob_store_refused',
  SignatureDoesNotMatch: 'blob_store_refused',
  ExpiredToken: 'blob_store_refused',
  CredentialsProviderError: 'blob_store_refused',
  EntityTooLarge: 'blob_store_refused',
  InsufficientStorage: 'disk_full',
  XMinioStorageFull: 'disk_full',
  QuotaExceeded: 'disk_full',
};

const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'blob_store_refused',
  403: 'blob_store_refused',
  404: 'blob_missing',
  412: 'blob_exists',
  507: 'disk_full',
};

export function translateS3Error(error: unknown, key: string): unknown {
  if (!(error instanceof Error) || error instanceof MillraceError || error.name === 'AbortError') return error;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const isForeign = $metadata !== undefined || 'code' in error || error.name === 'TimeoutError' || error.name in byName;
  if (!isForeign) return error;
  const code = byName[error.name] ?? (status === undefined ? undefined : byStatus[status]) ?? 'blob_store_unreachable';
  return new MillraceError(code, { key, blob: key, reason: s3Reason(error, status) }, { cause: error });
}

/** The name and status only: messages of S3 services may repeat the names of buckets, hosts and key ids. */
export function s3Reason(error: Error, status: number | undefined): string {
  const { code } = error as { code?: unknown };
  const name = typeof code === 'string' ? code : error.name;
  return status === undefined ? name : `${name} (${status})`;
}
