// Translates errors of the file system into ours. An error that is not in the table stays as it is.
import type { ErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const diskErrors: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  EACCES: 'blob_store_refused',
  EPERM: 'blob_store_refused',
  EROFS: 'blob_store_refused',
  ENOTDIR: 'blob_store_refused',
  ELOOP: 'blob_store_refused',
  EIO: 'blob_store_unreachable',
  ESTALE: 'blob_store_unreachable',
  EMFILE: 'blob_store_unreachable',
  ENFILE: 'blob_store_unreachable',
  ENOENT: 'blob_store_unreachable',
};

export function translateDiskError(error: unknown, root: string): unknown {
  if (!(error instanceof Error) || error instanceof MillraceError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const ours = code === undefined || syscall === undefined ? undefined : diskErrors[code];
  return ours === undefined ? error : new MillraceError(ours, { reason: `${code} in ${root}` }, { cause: error });
}
