// The only names a blob can be stored under: `<tenant uuid>/<blob uuid>.<extension>`, all made by us.
// Nothing a user typed is ever part of a key, so no key can leave the store's root; every store checks again before use.
import { MillraceError } from '../../contract/errors/millrace-error.ts';

declare const brand: unique symbol;
export type BlobKey = string & { readonly [brand]: 'BlobKey' };

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const keyPattern = new RegExp(`^${uuid}/${uuid}\\.[a-z0-9]{1,10}$`);

export interface BlobName {
  readonly tenantId: string;
  readonly blobId: string;
  /** Lower-case letters and digits, without the dot. */
  readonly extension: string;
}

export function blobKey({ tenantId, blobId, extension }: BlobName): BlobKey {
  return parseBlobKey(`${tenantId}/${blobId}.${extension}`);
}

export function isBlobKey(key: string): key is BlobKey {
  return keyPattern.test(key);
}

export function parseBlobKey(key: string): BlobKey {
  if (!isBlobKey(key)) throw new MillraceError('blob_key_invalid');
  return key;
}
