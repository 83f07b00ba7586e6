// Recognises the same kind of file again: a hash of its column names, whatever their order, letter case or currency.
import { createHash } from 'node:crypto';
import { isRejectColumn } from '../csv/rejects-file.ts';
import { headerName } from './header-name.ts';

export function headerFingerprint(names: readonly string[]): string {
  // A file of refused rows is of the kind of the file they came from.
  const keys = names
    .filter((name) => !isRejectColumn(name))
    .map((name) => headerName(name).key)
    .sort();
  return createHash('sha256').update(JSON.stringify(keys)).digest('hex').slice(0, 32);
}
